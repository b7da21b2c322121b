import type { Channel } from "../../../domain/events/channel.js";
import {
  BOT_DETACHED,
  CHANNEL_UPDATED,
  INTERACTION_CREATED,
  isCustom,
  POST_DELETED,
  POST_EDITED,
  type StoredEvent,
} from "../../../domain/events/event.js";
import { decodeEdit, decodePost, encodePost, type Post } from "../../../domain/events/post.js";
import { addressees, mentionsIn } from "../../../domain/events/subscription.js";
import { forEachAtOnce } from "../../../domain/for-each-at-once.js";
import { eraseCarried, eraseDeletedPosts } from "../../erase-remains.js";
import type { CarriedEntry, PostToAppend, Store } from "../../store.js";
import { guestOwnerOf, isGuest, ownerOfGuests } from "./guests.js";

/** The cell to which the owner of a bot has moved from this one, unless it is the channel's own. @throws StoreUnavailable while they are being moved */
export type HomeOf = (ownerUserId: string) => Promise<Store | undefined>;

/** An entry, and whose its channel is where it is carried. */
type Entry = CarriedEntry & { channelId: string; host: string };

/** Of which something else than posts is carried at once. */
const CHANNELS_AT_ONCE = 16;

const addresseesOf = ({ body, replyTo }: Post): string[] => addressees(body, replyTo?.author);

/**
 * Carries entries of an outbox to the cell of the bots, in their order, by the verbs that did the same in the channel's cell. What was
 * carried already is found out by its id, so that an entry that is carried again changes nothing: its idempotency key says so only of the same
 * author, and what is carried in the name of a bot is not any more once the bot has left. The key is for two that carry at the same moment.
 */
export async function carryEntries(
  store: Store,
  entries: readonly CarriedEntry[],
  homeOf: HomeOf,
): Promise<void> {
  const located = entries.map((entry) => ({ ...entry, channelId: entry.channelId ?? channelIn(entry) }));
  const states = await store.findCarried(
    located.flatMap(({ channelId, id, authorBotId }) =>
      channelId === undefined ? [] : { channelId, id, authorBotId },
    ),
  );
  const state = new Map(states.map((one) => [one.id, one]));
  let posts: CarriedPost[] = [];
  let others = new Map<string, Entry[]>();
  const flushPosts = async (): Promise<void> => {
    if (posts.length > 0) await appendPosts(store, posts);
    posts = [];
  };
  /** Those of different channels at once. */
  const flushOthers = async (): Promise<void> => {
    await forEachAtOnce(others.values(), CHANNELS_AT_ONCE, async (inChannel) => {
      for (const entry of inChannel) await carryEvent(store, entry, homeOf);
    });
    others = new Map();
  };
  for (const { channelId, ...entry } of located) {
    const { host, isHeard = false, isKnown, mayPost = false } = state.get(entry.id) ?? {};
    // No bot of that cell ever was in the channel, or the channel is deleted.
    if (channelId === undefined || host === undefined) continue;
    if (isKnown) {
      // Whoever carried it may not have lived to erase the edits.
      if (entry.eventType === POST_DELETED) await eraseDeletedPosts(store, host);
      continue;
    }
    const found = { ...entry, channelId, host };
    // Nobody is there to hear what is new.
    if (!isHeard && (entry.eventType === null || isCustom(entry.eventType))) continue;
    if (entry.eventType === null) {
      await flushOthers();
      // Its channel's order is kept only if no post has to be given to another author afterwards.
      posts.push(toPost({ ...found, authorBotId: mayPost ? entry.authorBotId : null }));
      continue;
    }
    await flushPosts();
    others.set(channelId, [...(others.get(channelId) ?? []), found]);
  }
  await flushPosts();
  await flushOthers();
}

/** Of an event that belongs to no channel, such as one that tells of the channel's deletion. */
function channelIn({ payload }: CarriedEntry): string | undefined {
  return (JSON.parse(payload) as { channel_id?: string }).channel_id;
}

function toPost({ id, channelId, host, payload, createdAt, cause, authorBotId: botId }: Entry): CarriedPost {
  return {
    id,
    channelId,
    host,
    payload,
    createdAt,
    author: botId === null ? { ownerUserId: host } : { botId },
    mentions: addresseesOf(decodePost(payload, createdAt)),
    idempotencyKey: id,
    ...(cause !== null && { cause }),
  };
}

type CarriedPost = PostToAppend & { host: string };

/** An author may leave in this moment. What was carried while it was one is there already. */
async function appendPosts(store: Store, carried: readonly CarriedPost[]): Promise<void> {
  const results = await store.appendPosts(carried);
  const others: PostToAppend[] = [];
  for (const [i, { host, ...post }] of carried.entries()) {
    if (!("botId" in post.author && isRefused(results[i]))) continue;
    const author = { ownerUserId: host };
    if (!(await store.findPost(author, post.channelId, post.id))) others.push({ ...post, author });
  }
  if (others.length > 0) await store.appendPosts(others);
}

const isRefused = (result: unknown): boolean => result === false || result === "read only";

async function carryEvent(store: Store, entry: Entry, homeOf: HomeOf): Promise<void> {
  const { channelId, host, eventType, payload, id, createdAt, cause, authorBotId, madeBy } = entry;
  if (eventType === null) return;
  const event = { id, eventType, payload, createdAt, ...(cause !== null && { cause }) };
  const fields = JSON.parse(payload) as {
    post_id?: string;
    deleted?: boolean;
    channel?: Partial<Channel>;
  };
  const change = {
    channelId,
    host,
    event,
    idempotencyKey: id,
    ...(authorBotId !== null && { editorBotId: authorBotId }),
  };
  switch (eventType) {
    case INTERACTION_CREATED:
      return await press(store, entry, event, homeOf);
    case POST_EDITED:
      return await editPost(store, { ...change, post: decodeEdit(payload, createdAt) });
    case POST_DELETED:
      return await deletePost(store, { ...change, postId: fields.post_id ?? "" });
    case CHANNEL_UPDATED:
      return await editChannel(store, entry, event, fields.channel ?? {});
    case BOT_DETACHED:
      if (!fields.deleted) return;
      await store.deleteChannel({ ownerUserId: host, channelId }, event);
      // Whoever has deleted it waits until nothing of it can be read here.
      return await eraseCarried(store, host);
  }
  if (!isCustom(eventType)) return;
  const target = { channelId, event, idempotencyKey: id };
  const stored = authorBotId !== null && (await store.appendBotEvent({ ...target, botId: authorBotId }));
  if (authorBotId === null || isRefused(stored))
    await store.appendEvent({
      ownerUserId: host,
      to: { channelId },
      event,
      idempotencyKey: id,
      // By which it is found when the owner of a bot of a third cell is erased.
      ...(madeBy !== null && { madeBy: isGuest(madeBy) ? madeBy : guestOwnerOf(madeBy) }),
    });
}

/** To the one bot for which it is, if it is in the channel still. */
async function press(
  store: Store,
  { host: ownerUserId, channelId, subjectBotId: botId, subjectOwner }: Entry,
  event: StoredEvent,
  homeOf: HomeOf,
): Promise<void> {
  if (botId === null) return;
  const interaction = { ownerUserId, channelId, botId, event, idempotencyKey: event.id };
  if ((await store.appendInteraction(interaction)) !== "not attached" || subjectOwner === null) return;
  await (await homeOf(ownerOfGuests(subjectOwner)))?.appendInteraction(interaction);
}

interface Change {
  channelId: string;
  host: string;
  event: StoredEvent;
  idempotencyKey: string;
  editorBotId?: string;
}

async function editPost(store: Store, { post, ...change }: Change & { post: Post }): Promise<void> {
  const { channelId, host } = change;
  const payload = encodePost(post);
  const before = await store.findPost({ ownerUserId: host }, channelId, post.id);
  // Whoever is no longer mentioned has to hear that.
  const mentionedBefore = before && before !== "no channel" ? mentionsIn(before.post.body) : [];
  const edit = {
    ...change,
    postId: post.id,
    replaces: post.revision - 1,
    payload,
    editedAt: post.editedAt ?? change.event.createdAt,
    mentions: [...new Set([...addresseesOf(post), ...mentionedBefore])],
  };
  if ((await store.editPost(edit)) !== undefined) return;
  if (await importUnknown(store, change, post.id, payload, edit.editedAt)) await store.editPost(edit);
}

/**
 * Stores a post that was published before the first guest came, if it is not there by now: a mover of its holder may have brought it.
 *
 * @returns false when nobody is there to hear what becomes of it
 */
async function importUnknown(
  store: Store,
  { channelId, host }: Change,
  id: string,
  payload: string,
  createdAt: number,
): Promise<boolean> {
  const [found] = await store.findCarried([{ channelId, id, authorBotId: null }]);
  if (!found?.isHeard) return false;
  const author = { ownerUserId: host };
  if (!found.isKnown)
    await store.importPosts([{ id, channelId, author, payload, createdAt, idempotencyKey: id }]);
  return true;
}

async function deletePost(store: Store, deletion: Change & { postId: string }): Promise<void> {
  const { host, channelId, postId: id } = deletion;
  const found = await store.findPost({ ownerUserId: host }, channelId, id);
  if (found === "no channel") return;
  const nothing = encodePost({ id, channelId, authorUsername: "", body: "" });
  if (!found && !(await importUnknown(store, deletion, id, nothing, deletion.event.createdAt))) return;
  await store.deletePost({ ...deletion, mentions: found ? addresseesOf(found.post) : [] });
  await eraseDeletedPosts(store, host);
}

async function editChannel(
  store: Store,
  { channelId, host }: Entry,
  event: Change["event"],
  { title, description }: Partial<Channel>,
): Promise<void> {
  const from = await store.findChannel({ ownerUserId: host, channelId });
  if (!from || (from.title === title && from.description === description)) return;
  const to = { ...from, title: title ?? from.title, description: description ?? from.description };
  await store.editChannel({ ownerUserId: host, channelId }, { from, to, event });
}
