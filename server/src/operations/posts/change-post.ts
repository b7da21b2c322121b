import type { ErrorCode } from "../../domain/error-codes.js";
import { Forbidden, NotFound, RevisionConflict } from "../../domain/errors.js";
import type { Cause } from "../../domain/events/cause.js";
import { ALL_POSTS_ROLE, mayRead, READ_ONLY_ROLE } from "../../domain/events/channel.js";
import { actorType, POST_DELETED, POST_EDITED } from "../../domain/events/event.js";
import {
  answeredIn,
  decodeEdit,
  encodeDeletion,
  encodeEdit,
  encodePost,
  type Post,
  type PostContent,
} from "../../domain/events/post.js";
import { addressees, mentionsIn } from "../../domain/events/subscription.js";
import { newId } from "../../domain/ids.js";
import { eraseDeletedPosts } from "../../store/erase-remains.js";
import type { FoundPost, PostDeletion, PostReader, PostRevision, Store } from "../../store/store.js";
import { notFound } from "../found.js";
import { toldToHolder } from "../told-to-holder.js";
import { checkPost } from "./check-post.js";
import { notAttached, readOnly } from "./publish-post.js";

/** A post in a channel, as a caller names it. */
export interface PostRef {
  channelId: string;
  postId: string;
}

export interface PostEdit extends Partial<PostContent> {
  /** The revision to replace; any revision when left out. */
  ifRevision?: number | undefined;
  cause?: Cause | undefined;
  /** A second edit of the post with the same key, by the same caller, changes nothing. */
  idempotencyKey?: string | undefined;
}

/** A post after an edit. */
export interface EditedPost {
  post: Post;
  /** Whether an earlier call with the same key has edited it. Then it is as that has left it. */
  isReplayed: boolean;
}

/** A post has been edited as often as it may be in a second. */
export class TooManyEdits extends Error {
  override readonly name = "TooManyEdits";
  readonly code = "too_many_edits" satisfies ErrorCode;
}

/** How often an edit tries again after losing against a concurrent edit; each try waits for a commit. */
const MAX_RACES = 50;

/**
 * A post that the caller may read: an owner every post of a channel that they hold; a bot its own, and those that its role lets it read.
 *
 * @throws Forbidden to a bot when it is not attached to the channel, or may not read the post
 * @throws NotFound
 */
export async function findPost(store: Store, reader: PostReader, ref: PostRef): Promise<Post> {
  const { post, isOwn, membership } = await find(store, reader, ref);
  if (membership && !isOwn && !mayRead(membership, post))
    throw new Forbidden(
      "the bot did not publish this post, and its role does not let it read it",
      "not_author",
    );
  return post;
}

/** The same for changing it. A bot that is a reader in the channel may not even change posts that it published earlier. */
async function findChangeable(
  store: Store,
  editor: PostReader,
  ref: PostRef,
  isAllowedForOthers = false,
): Promise<FoundPost> {
  const found = await find(store, editor, ref);
  const { isOwn, membership } = found;
  if (!membership) return found;
  if (!isOwn && !(isAllowedForOthers && membership.role === ALL_POSTS_ROLE)) throw notAuthor();
  if (membership.role === READ_ONLY_ROLE) throw readOnly();
  return found;
}

function notAuthor(): Forbidden {
  return new Forbidden("the bot did not publish this post", "not_author");
}

async function find(store: Store, reader: PostReader, ref: PostRef): Promise<FoundPost> {
  const isBot = "botId" in reader;
  const found = await store.findPost(reader, ref.channelId, ref.postId);
  if (found === "no channel") {
    if (isBot) throw notAttached();
    throw notFound("channel");
  }
  if (!found) throw new NotFound("post not found in this channel", "post_not_found");
  return found;
}

/**
 * Changes a post; fields that are left out stay unchanged. When this resolves, the edit is durable and in the log of
 * every bot that hears it.
 *
 * @param admit rejects when no further edit is allowed; called before the edit is stored, but not for an edit that is
 *   refused anyway
 * @throws InvalidInput, {@link RevisionConflict}, Forbidden to a reader, and what {@link findPost} throws
 */
export async function editPost(
  store: Store,
  editor: PostReader,
  ref: PostRef,
  edit: PostEdit,
  admit: () => Promise<void> = async () => {},
): Promise<EditedPost> {
  for (let races = 0; races < MAX_RACES; races += 1) {
    const { post } = await findChangeable(store, editor, ref);
    // After the post: when another call with the key has edited it since, this one's revision is outdated.
    const earlier = await findEdited(store, editor, ref, edit.idempotencyKey, post);
    if (earlier) return { post: earlier, isReplayed: true };
    const { edited, revision } = revise(post, editor, ref, edit);
    if (races === 0) await admit();
    if ((await store.editPost(revision)) === true) return { post: edited, isReplayed: false };
  }
  throw new RevisionConflict("others change this post all the time: try again");
}

/**
 * The post as an earlier edit with the same key has left it; undefined without one, or when the post is deleted since.
 *
 * @param post as it is now, if it is known
 */
export async function findEdited(
  store: Store,
  editor: PostReader,
  ref: PostRef,
  key: string | undefined,
  post?: Post,
): Promise<Post | undefined> {
  const event =
    key === undefined ? undefined : await store.findKeyed({ change: "edit", ...ref, editor, key });
  if (!event) return undefined;
  const { createdAt } = post ?? (await findPost(store, editor, ref));
  return decodeEdit(event.payload, createdAt);
}

/** An edited post, and its form for the store. */
export interface PreparedEdit {
  edited: Post;
  revision: PostRevision;
}

/** @throws InvalidInput, {@link RevisionConflict}, Forbidden to a reader, and what {@link findPost} throws */
export async function prepareEdit(
  store: Store,
  editor: PostReader,
  ref: PostRef,
  edit: PostEdit,
): Promise<PreparedEdit> {
  const { post } = await findChangeable(store, editor, ref);
  return revise(post, editor, ref, edit);
}

function revise(
  post: Post,
  editor: PostReader,
  ref: PostRef,
  { body, media, components, ifRevision, cause, idempotencyKey }: PostEdit,
): PreparedEdit {
  if (ifRevision !== undefined && ifRevision !== post.revision) {
    throw new RevisionConflict(
      `the post has revision ${post.revision}, not ${ifRevision}: read it and decide again`,
    );
  }
  const editedAt = Math.max(Date.now(), post.editedAt ?? post.createdAt);
  const edited: Post = {
    ...post,
    body: body ?? post.body,
    ...(media && { media }),
    ...(components && { components }),
    revision: post.revision + 1,
    editedAt,
  };
  checkPost(edited);
  const revision: PostRevision = {
    ...ref,
    replaces: post.revision,
    payload: encodePost(edited),
    answered: answeredIn(edited),
    editedAt,
    event: { id: newId(), eventType: POST_EDITED, payload: encodeEdit(edited), createdAt: editedAt, cause },
    // A bot that is no longer mentioned has to hear that.
    mentions: [...new Set([...addressees(edited.body, post.replyTo?.author), ...mentionsIn(post.body)])],
    editorBotId: "botId" in editor ? editor.botId : undefined,
    actor: actorType(editor),
    idempotencyKey,
  };
  return { edited, revision };
}

/**
 * Deletes a post: when this resolves, its content is gone from the channel and from every log. A bot deletes its own, and as moderator any.
 *
 * @returns whether an earlier call with the same key has deleted it
 * @throws what {@link findPost} throws, Forbidden to a reader, and NotErasedYet
 */
export async function deletePost(
  store: Store,
  editor: PostReader,
  ref: PostRef,
  { cause, idempotencyKey: key }: Pick<PostEdit, "cause" | "idempotencyKey"> = {},
): Promise<boolean> {
  try {
    await deleteFound(store, editor, ref, cause, key);
    return false;
  } catch (error) {
    if (!(error instanceof NotFound && error.code === "post_not_found")) throw error;
    // The call that has deleted it may not have lived to erase its edits.
    const holder = (await store.findHolders([ref.channelId])).get(ref.channelId);
    if (holder !== undefined) await eraseDeletedPosts(store, holder);
    if (key === undefined) throw error;
    if (!(await store.findKeyed({ change: "deletion", ...ref, editor, key }))) throw error;
    return true;
  }
}

async function deleteFound(
  store: Store,
  editor: PostReader,
  ref: PostRef,
  cause: Cause | undefined,
  idempotencyKey: string | undefined,
): Promise<void> {
  const { post, isOwn } = await findChangeable(store, editor, ref, true);
  const by = {
    editorBotId: "botId" in editor ? editor.botId : undefined,
    actor: actorType(editor),
    ...(!isOwn && !isOfOwner(post, editor) && { audit: await auditOf(store, editor, ref) }),
    idempotencyKey,
  };
  if (!(await takeOut(store, ref, post, { ...by, cause })))
    throw new NotFound("post not found in this channel", "post_not_found");
}

async function auditOf(
  store: Store,
  editor: PostReader,
  { channelId }: PostRef,
): Promise<PostReader["audit"]> {
  const { audit } = editor;
  if (!audit || !("botId" in editor)) return audit;
  const holder = (await store.findHolders([channelId])).get(channelId) ?? audit.ownerUserId;
  return toldToHolder(audit, editor.botId, holder);
}

/** The same for a post that goes with its author, wherever it is. One that is gone already is left as it is. */
export async function erasePost(store: Store, holder: string, ref: PostRef): Promise<void> {
  const found = await store.findPost({ ownerUserId: holder }, ref.channelId, ref.postId);
  if (found && found !== "no channel") await takeOut(store, ref, found.post, {});
}

/** @returns whether the post was still there */
async function takeOut(
  store: Store,
  ref: PostRef,
  post: Post,
  {
    cause,
    ...by
  }: Pick<PostDeletion, "editorBotId" | "actor" | "audit" | "idempotencyKey"> & { cause?: Cause | undefined },
): Promise<boolean> {
  const payload = encodeDeletion(post);
  const deleted = await store.deletePost({
    ...ref,
    event: { id: newId(), eventType: POST_DELETED, payload, createdAt: Date.now(), cause },
    mentions: addressees(post.body, post.replyTo?.author),
    ...by,
  });
  if (deleted?.isMore) await eraseDeletedPosts(store, deleted.ownerUserId);
  return deleted !== undefined;
}

function isOfOwner({ author }: Post, editor: PostReader): boolean {
  return "ownerUserId" in editor && author?.type === "owner" && author.id === editor.ownerUserId;
}
