import type { Channel } from "../../domain/events/channel.js";
import {
  BOT_ATTACHED,
  BOT_DETACHED,
  CHANNEL_UPDATED,
  INTERACTION_CREATED,
  isCustom,
  POST_DELETED,
  POST_EDITED,
  type StoredEvent,
} from "../../domain/events/event.js";
import { decodeEdit, decodePost, encodePost, type Post } from "../../domain/events/post.js";
import { addressees } from "../../domain/events/subscription.js";
import type { CarriedEntry, PostToAppend, Store } from "../store.js";

/** Where entries are carried. */
export interface Destination {
  /** The cell of the bots. */
  store: Store;
  /** The bot whose log is carried; left out of an outbox. */
  botId?: string;
}

/** An entry, and whose its channel is where it is carried. */
type Entry = CarriedEntry & { channelId: string; host: string };

const bodyOf = ({ body, replyTo }: Post): string[] => addressees(body, replyTo?.author);

/**
 * Carries entries of an outbox to the cell of the bots, in their order, by the verbs that did the same in the channel's cell. What was
 * carried already is found out by its id, so that an entry that is carried again changes nothing: its idempotency key says so only of the same
 * author, and what is carried in the name of a bot is not any more once the bot has left. The key is for two that carry at the same moment.
 */
export async function carryEntries(to: Destination, entries: readonly CarriedEntry[]): Promise<void> {
  const placed = entries.map((entry) => ({ ...entry, channelId: entry.channelId ?? channelIn(entry) }));
  const states = await to.store.findCarried(
    placed.flatMap(({ channelId, id, authorBotId }) =>
      channelId === undefined ? [] : { channelId, id, authorBotId },
    ),
  );
  const state = new Map(states.map((one) => [one.id, one]));
  let posts: CarriedPost[] = [];
  const flush = async (): Promise<void> => {
    if (posts.length > 0) await appendPosts(to, posts);
    posts = [];
  };
  for (const { channelId, ...entry } of placed) {
    const { host, isHeard = false, isKnown, mayPost = false } = state.get(entry.id) ?? {};
    // No bot of that cell ever was in the channel, or the channel is deleted; or it was carried.
    if (channelId === undefined || host === undefined || isKnown) continue;
    const found = { ...entry, channelId, host };
    // Nobody is there to hear what is new.
    if (!isHeard && (entry.eventType === null || isCustom(entry.eventType))) continue;
    if (entry.eventType === null && to.botId === undefined) {
      // Its channel's order is kept only if no post has to be given to another author afterwards.
      posts.push(toPost({ ...found, authorBotId: mayPost ? entry.authorBotId : null }));
      continue;
    }
    await flush();
    await carryEvent(to, found);
  }
  await flush();
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
    mentions: bodyOf(decodePost(payload, createdAt)),
    idempotencyKey: id,
    ...(cause !== null && { cause }),
  };
}

type CarriedPost = PostToAppend & { host: string };

/** An author may leave in this moment. What was carried while it was one is there already. */
async function appendPosts({ store }: Destination, carried: readonly CarriedPost[]): Promise<void> {
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

async function carryEvent(to: Destination, entry: Entry): Promise<void> {
  const { store } = to;
  const { channelId, host, eventType, payload, id, createdAt, cause, authorBotId } = entry;
  if (eventType === null) return;
  const event = { id, eventType, payload, createdAt, ...(cause !== null && { cause }) };
  const fields = JSON.parse(payload) as {
    post_id?: string;
    deleted?: boolean;
  };
  if (to.botId !== undefined) {
    if (eventType === INTERACTION_CREATED)
      await store.appendInteraction({
        ownerUserId: host,
        channelId,
        botId: to.botId,
        event,
        idempotencyKey: id,
      });
    return;
  }
  const change = {
    channelId,
    host,
    event,
    idempotencyKey: id,
    ...(authorBotId !== null && { editorBotId: authorBotId }),
  };
  switch (eventType) {
    case POST_EDITED:
      return await editPost(to, { ...change, post: decodeEdit(payload, createdAt) });
    case POST_DELETED:
      return await deletePost(to, { ...change, postId: fields.post_id ?? "" });
    case CHANNEL_UPDATED:
      return await editChannel(to, entry, event, JSON.parse(payload).channel as Partial<Channel>);
    case BOT_DETACHED:
      if (fields.deleted) await store.deleteChannel({ ownerUserId: host, channelId }, event);
      return;
    case BOT_ATTACHED:
      return;
  }
  if (!isCustom(eventType)) return;
  const target = { channelId, event, idempotencyKey: id };
  const stored = authorBotId !== null && (await store.appendBotEvent({ ...target, botId: authorBotId }));
  if (authorBotId === null || isRefused(stored))
    await store.appendEvent({ ownerUserId: host, to: { channelId }, event, idempotencyKey: id });
}

interface Change {
  channelId: string;
  host: string;
  event: StoredEvent;
  idempotencyKey: string;
  editorBotId?: string;
}

async function editPost(
  { store }: Destination,
  { post, host, ...change }: Change & { post: Post },
): Promise<void> {
  const { channelId, idempotencyKey } = change;
  const payload = encodePost(post);
  const edit = {
    ...change,
    postId: post.id,
    replaces: post.revision - 1,
    payload,
    editedAt: post.editedAt ?? change.event.createdAt,
    mentions: bodyOf(post),
  };
  if ((await store.editPost(edit)) !== undefined) return;
  const [found] = await store.findCarried([{ channelId, id: post.id, authorBotId: null }]);
  // It is deleted, or nobody is there to hear of it.
  if (!found?.isHeard || found.isKnown) return;
  // It was published before the first guest came.
  const author = { ownerUserId: host };
  await store.importPosts([
    { id: post.id, channelId, author, payload, createdAt: edit.editedAt, idempotencyKey: post.id },
  ]);
  await store.editPost({ ...edit, idempotencyKey });
}

async function deletePost(
  { store }: Destination,
  { host, ...deletion }: Change & { postId: string },
): Promise<void> {
  const found = await store.findPost({ ownerUserId: host }, deletion.channelId, deletion.postId);
  if (!found || found === "no channel") return;
  await store.deletePost({ ...deletion, mentions: bodyOf(found.post) });
}

async function editChannel(
  { store }: Destination,
  { channelId, host }: Entry,
  event: Change["event"],
  { title, description }: Partial<Channel>,
): Promise<void> {
  const from = await store.findChannel({ ownerUserId: host, channelId });
  if (!from || (from.title === title && from.description === description)) return;
  const to = { ...from, title: title ?? from.title, description: description ?? from.description };
  await store.editChannel({ ownerUserId: host, channelId }, { from, to, event });
}
