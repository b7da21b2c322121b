import type { Components } from "../components.js";
import type { BotPost, BotRole, CreateChannelPostRequest, Post } from "../types.js";
import { isCleanText } from "./clean-text.js";
import { type FakeAnswer, type FakeRequest, json, refused } from "./fake-answer.js";
import { faultOf, sizeFaultOf } from "./fake-components.js";
import type { FakeLog } from "./fake-log.js";

const POSTS_PATH = /^\/v1\/bot-api\/channels\/([^/]+)\/posts(?:\/([^/]+))?$/;
const LONGEST_BODY = 4_096;
const MOST_MEDIA = 10;
const MOST_MEDIA_BYTES = 16 * 1024;
const KEY = /^[!-~]{1,255}$/;

const EDITS_PER_SECOND = 5;

/** When posts were edited, by id. */
const edited = new Map<string, number[]>();

/** The posts that were published with a key, by log, channel and key. */
const published = new WeakMap<FakeLog, Map<string, BotPost>>();

/** The answers to edits and deletions with a key, by log, method, post and key. */
const changed = new WeakMap<FakeLog, Map<string, FakeAnswer>>();

/** The bot's operations on posts; undefined for every other path. */
export function answerPosts(log: FakeLog, request: FakeRequest): FakeAnswer | undefined {
  const { method, url } = request;
  const [path, channel, post] = POSTS_PATH.exec(url.pathname) ?? [];
  if (path === undefined || channel === undefined) return undefined;
  const channelId = decodeURIComponent(channel);
  if (post === undefined) return method === "POST" ? publish(log, channelId, request) : undefined;
  if (method !== "GET" && method !== "PATCH" && method !== "DELETE") return undefined;
  const isForOthers = method !== "PATCH" && hasRole(log, channelId, "moderator");
  const found = findPost(log, channelId, decodeURIComponent(post), isForOthers);
  if (method === "GET") return "status" in found ? found : json(200, found);
  return changeOnce(log, `${method} ${post}`, request, found);
}

/** An edit or a deletion; a repetition of one with the same key changes nothing more, and has its answer. */
function changeOnce(log: FakeLog, what: string, request: FakeRequest, found: Post | FakeAnswer): FakeAnswer {
  const { method, idempotencyKey: key } = request;
  if (key !== undefined && !isKey(key)) return wrongKey();
  const answers = changed.get(log) ?? new Map<string, FakeAnswer>();
  changed.set(log, answers);
  const earlier = key === undefined ? undefined : answers.get(`${what} ${key}`);
  const replayed = earlier && { ...earlier, headers: { "idempotency-replayed": "true" } };
  // A deletion is repeated though the post is gone; an edit is not.
  if ("status" in found) return (method === "DELETE" && found.status === 404 && replayed) || found;
  if (hasRole(log, found.channel_id, "reader")) return readOnly();
  const answer = replayed ?? (method === "PATCH" ? edit(log, found, request) : erase(log, found));
  if (key !== undefined && answer.status === 200) answers.set(`${what} ${key}`, answer);
  return answer;
}

function erase(log: FakeLog, post: Post): FakeAnswer {
  log.erase(post);
  return json(200, { status: "deleted" });
}

function publish(log: FakeLog, channelId: string, request: FakeRequest): FakeAnswer {
  const { idempotencyKey: key } = request;
  if (key !== undefined && !isKey(key)) return wrongKey();
  const content = contentOf(request);
  if ("status" in content) return content;
  const { body, media, reply_to } = content;
  if (body === undefined || (body === "" && !media?.length)) return badText();
  if (!log.channels.some(({ id }) => id === channelId)) return notAttached();
  if (hasRole(log, channelId, "reader")) return readOnly();
  if (reply_to !== undefined && !log.posts.some(isPost(channelId, reply_to)))
    return refused(
      400,
      "reply_to must be the id of a post in the same channel that its author may read",
      "reply_not_found",
    );
  const keys = published.get(log) ?? new Map<string, BotPost>();
  published.set(log, keys);
  const first = key === undefined ? undefined : keys.get(`${channelId} ${key}`);
  if (first) return { ...json(201, first), headers: { "idempotency-replayed": "true" } };
  // A copy: a later edit does not change the first answer.
  const post = {
    ...log.publish(channelId, { username: log.me.username }, { ...content, body }),
  };
  if (key !== undefined) keys.set(`${channelId} ${key}`, post);
  return json(201, post);
}

function edit(log: FakeLog, post: Post, request: FakeRequest): FakeAnswer {
  const changes = contentOf(request);
  if ("status" in changes) return changes;
  if (changes.body === undefined && !changes.media && !changes.components) {
    return refused(400, "give body, media or components: there is nothing to change", "nothing_to_change");
  }
  const conflict = revisionConflict(request, post);
  if (conflict) return conflict;
  if ((changes.body ?? post.body) === "" && !(changes.media ?? post.media)?.length) return badText();
  if (!mayEdit(post.id)) {
    const answer = refused(
      429,
      `at most ${EDITS_PER_SECOND} edits of one post in a second: try again in 1 s`,
      "too_many_edits",
    );
    return { ...answer, headers: { ...answer.headers, "retry-after": "1" } };
  }
  const { reply_to: _, ...content } = changes;
  return json(200, log.edit(post, content));
}

/** The refusal of a change to a revision that is not the newest any more. */
export function revisionConflict({ ifMatch }: FakeRequest, { revision }: Post): FakeAnswer | undefined {
  const wanted = ifMatch?.replaceAll('"', "");
  if (wanted === undefined || wanted === "*" || wanted === String(revision)) return undefined;
  return refused(
    400,
    `the post has revision ${revision}, not ${wanted}: read it and decide again`,
    "revision_conflict",
  );
}

/** Whether fewer edits of the post were made within the last second than may be. */
function mayEdit(postId: string): boolean {
  const now = Date.now();
  const recent = (edited.get(postId) ?? []).filter((at) => at > now - 1_000);
  if (recent.length < EDITS_PER_SECOND) recent.push(now);
  else return false;
  edited.set(postId, recent);
  return true;
}

/** @param isForOthers whether the bot may do with the posts of others what it wants to */
function findPost(log: FakeLog, channelId: string, postId: string, isForOthers: boolean): Post | FakeAnswer {
  if (!log.channels.some(({ id }) => id === channelId)) return notAttached();
  const post = log.posts.find(isPost(channelId, postId));
  if (!post) return refused(404, "post not found in this channel", "post_not_found");
  return isForOthers || post.author?.id === log.me.id
    ? post
    : refused(403, "the bot did not publish this post", "not_author");
}

function isPost(channelId: string, postId: string): (post: Post) => boolean {
  return ({ id, channel_id }) => id === postId && channel_id === channelId;
}

/** What a request has of the fields of a post, or its refusal. */
export function contentOf({ body }: FakeRequest): Partial<CreateChannelPostRequest> | FakeAnswer {
  let content: { body?: unknown; media?: unknown; components?: unknown; reply_to?: unknown } | null;
  try {
    content = JSON.parse(body) as { body?: unknown };
  } catch {
    return refused(400, "the body must be valid JSON", "invalid_json");
  }
  const text = content?.body;
  const isText = isCleanText(text, 0, LONGEST_BODY) && (text === "" || text.trim() !== "");
  if (text !== undefined && !isText) return badText();
  const { media, reply_to } = content ?? {};
  if (media !== undefined && !isMedia(media))
    return refused(400, `media must be at most ${MOST_MEDIA} objects`);
  if (media !== undefined && Buffer.byteLength(JSON.stringify(media)) > MOST_MEDIA_BYTES)
    return refused(400, `media must be at most ${MOST_MEDIA_BYTES} bytes of JSON`, "too_large");
  if (reply_to !== undefined && typeof reply_to !== "string")
    return refused(400, "reply_to must be a string");
  const components = content?.components;
  const fault = components === undefined ? undefined : faultOf(components);
  if (fault !== undefined) return refused(400, fault, "invalid_components");
  const sizeFault = components === undefined ? undefined : sizeFaultOf(components);
  if (sizeFault !== undefined) return refused(400, sizeFault, "too_large");
  return {
    ...(isText ? { body: text } : {}),
    ...(media === undefined ? {} : { media }),
    ...(components === undefined ? {} : { components: components as Components }),
    ...(reply_to === undefined ? {} : { reply_to }),
  };
}

function isMedia(media: unknown): media is Record<string, unknown>[] {
  const isItem = (item: unknown) => typeof item === "object" && item !== null && !Array.isArray(item);
  return Array.isArray(media) && media.length <= MOST_MEDIA && media.every(isItem);
}

export function isKey(key: string): boolean {
  return KEY.test(key);
}

export function wrongKey(): FakeAnswer {
  return refused(
    400,
    "Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces",
    "invalid_idempotency_key",
  );
}

function badText(): FakeAnswer {
  return refused(400, `body must have 1 to ${LONGEST_BODY} characters, and not only white space`);
}

export function hasRole(log: FakeLog, channelId: string, role: BotRole): boolean {
  return log.channels.some(({ id, bot_role }) => id === channelId && bot_role === role);
}

export function readOnly(): FakeAnswer {
  return refused(403, "the bot is a reader in this channel: it may not post there", "read_only");
}

function notAttached(): FakeAnswer {
  return refused(403, "the bot is not attached to this channel", "not_attached");
}
