import { randomUUID } from "node:crypto";
import { hashBotToken } from "#botyard/domain/bots/tokens.js";
import type { BotRole } from "#botyard/domain/events/channel.js";
import { BOT_ATTACHED, BOT_DETACHED, type StoredEvent } from "#botyard/domain/events/event.js";
import { encodeEdit, encodePost } from "#botyard/domain/events/post.js";
import { idAt, newId } from "#botyard/domain/ids.js";
import type {
  AttemptOutcome,
  BotRef,
  ClaimedLane,
  ImportedPost,
  LaneOutcomes,
  NewBot,
  NewDirectChannel,
  NewRoom,
  PostAuthor,
  PostRevision,
  PostToAppend,
  Store,
} from "#botyard/store/store.js";

export const OWNER = "alice";
export const NOW = Date.UTC(2026, 0, 15, 12);

/** A new bot's record; its token is its id. */
export function aBot(ownerUserId = OWNER, username = `bot-${randomUUID()}`): NewBot {
  const id = newId();
  return {
    id,
    botUserId: newId(),
    ownerUserId,
    username,
    displayName: username,
    description: "",
    tokenHash: hashBotToken(id),
    createdAt: NOW,
    updatedAt: NOW,
  };
}

export async function makeBot(
  store: Store,
  ownerUserId = OWNER,
  username = `bot-${randomUUID()}`,
): Promise<BotRef> {
  const newBot = aBot(ownerUserId, username);
  const bot = await store.createBot(newBot);
  if (!bot || bot === "too many") throw new Error(`the username ${username} is taken`);
  return { botId: newBot.id, ownerUserId };
}

export async function makeChannel(store: Store, ownerUserId = OWNER): Promise<string> {
  const id = newId();
  const channel = await store.createChannel({
    id,
    slug: `c-${randomUUID()}`,
    title: "A channel",
    description: "",
    ownerUserId,
    createdAt: NOW,
  });
  if (typeof channel !== "object") throw new Error("the slug is taken");
  return id;
}

/** A direct channel of a bot's owner with that bot, for this user or for nobody. */
export function aDirectChannel({ ownerUserId, botId }: BotRef, userId?: string): NewDirectChannel {
  const id = newId();
  return {
    id,
    slug: `c-${id}`,
    title: "A direct channel",
    description: "",
    ownerUserId,
    directBotId: botId,
    ...(userId === undefined ? {} : { directUserId: userId, directUsername: `name of ${userId}` }),
    createdAt: NOW,
  };
}

/** A channel with an external id of its own, to be made with these bots, all of one owner. */
export function aRoom(first: BotRef, ...others: BotRef[]): NewRoom & { externalId: string } {
  const id = newId();
  return {
    id,
    slug: `c-${id}`,
    title: "A room",
    description: "",
    ownerUserId: first.ownerUserId,
    externalId: `room-${id}`,
    notice: JSON.stringify({ channel_id: id }),
    bots: [first, ...others].map(({ botId }) => ({ botId })),
    createdAt: NOW,
  };
}

/** A bot attached to a channel of its own. */
export async function makeAttachedBot(
  store: Store,
  ownerUserId = OWNER,
): Promise<{ ref: BotRef; botId: string; channelId: string }> {
  const ref = await makeBot(store, ownerUserId);
  const channelId = await makeChannel(store, ownerUserId);
  await attach(store, ref, channelId);
  return { ref, botId: ref.botId, channelId };
}

/** An event that tells of a change of a channel; its payload says nothing. */
export function aNotice(eventType: string): StoredEvent {
  return { id: newId(), eventType, payload: "{}", createdAt: NOW };
}

export function attach(store: Store, ref: BotRef, channelId: string, maxChannels?: number, role?: BotRole) {
  return store.attachBot(ref, channelId, aNotice(BOT_ATTACHED), { perHolder: maxChannels }, role);
}

export function detach(store: Store, ref: BotRef, channelId: string) {
  return store.detachBot(ref, channelId, aNotice(BOT_DETACHED));
}

export function aPost(channelId: string, body: string, author: PostAuthor, createdAt = NOW): PostToAppend {
  const id = newId();
  const payload = encodePost({ id, channelId, authorUsername: "someone", body });
  return { id, channelId, author, payload, createdAt };
}

/** A post of an owner that nobody is told of. */
/** The first edit of a post, by a bot. */
export function anEdit({ id, channelId }: PostToAppend, body: string, editorBotId: string): PostRevision {
  const edited = {
    id,
    channelId,
    authorUsername: "someone",
    body,
    createdAt: NOW,
    revision: 2,
    editedAt: NOW,
  };
  return {
    channelId,
    postId: id,
    replaces: 1,
    payload: encodePost(edited),
    editedAt: NOW,
    event: { ...aNotice("channel.post_edited"), payload: encodeEdit(edited) },
    mentions: [],
    editorBotId,
  };
}

export function anImport(
  channelId: string,
  body: string,
  createdAt: number,
  {
    ownerUserId = OWNER,
    ...more
  }: Partial<Pick<ImportedPost, "idempotencyKey"> & { ownerUserId: string }> = {},
): ImportedPost {
  const id = idAt(createdAt);
  const payload = encodePost({ id, channelId, authorUsername: "someone", body });
  return { id, channelId, author: { ownerUserId }, payload, createdAt, ...more };
}

/** Appends `count` posts, one call each, at the same time. */
export async function publish(
  store: Store,
  channelId: string,
  count: number,
  createdAt = NOW,
): Promise<void> {
  const author = { ownerUserId: OWNER };
  const stored = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      store.appendPosts([aPost(channelId, `post ${i}`, author, createdAt)]),
    ),
  );
  if (!stored.flat().every(Boolean)) throw new Error("a post was not stored");
}

/** Outcomes as tests write them: by default at the current webhook, of attempts without a duration. */
export interface ToldOutcomes extends Omit<LaneOutcomes, "webhookVersion" | "attempts"> {
  webhookVersion?: number;
  attempts: readonly (Omit<AttemptOutcome, "durationMs"> & { durationMs?: number })[];
}

export async function recordOutcomes(store: Store, lanes: readonly ToldOutcomes[]): Promise<void> {
  const reads = lanes.map(({ destinationId }) => ({ destinationId, afterUpdateId: 0, limit: 1 }));
  const due = await store.readDueUpdates(reads, 0);
  await store.recordAttempts(
    lanes.map(({ attempts, ...lane }, index) => ({
      webhookVersion: due[index]?.webhookVersion ?? 0,
      ...lane,
      attempts: attempts.map((attempt) => ({ durationMs: 0, ...attempt })),
    })),
  );
}

export async function claim(
  store: Store,
  now: number,
  holder = "here",
  leaseMs = 60_000,
): Promise<ClaimedLane[]> {
  const { lanes } = await store.claimLanes({
    holder,
    now,
    leaseMs,
    targetAgeMs: 250,
    limit: 100,
    updatesPerLane: 100,
  });
  return lanes;
}
