import { InvalidInput, NotFound, RevisionConflict } from "../../domain/errors.js";
import type { Cause } from "../../domain/events/cause.js";
import { INTERACTION_RESPONDED } from "../../domain/events/event.js";
import {
  decodeResponse,
  encodeResponse,
  type Interaction,
  MAX_RESPONSES,
  type Response,
  type ResponseType,
} from "../../domain/events/interaction.js";
import type { Post, PostContent } from "../../domain/events/post.js";
import { newId } from "../../domain/ids.js";
import type { ResponseToAppend, Store } from "../../store/store.js";
import { type PostEdit, type PreparedEdit, prepareEdit } from "../posts/change-post.js";
import { checkPost } from "../posts/check-post.js";
import { notAttached, preparePost, readOnly } from "../posts/publish-post.js";
import { readInteraction } from "./read-interaction.js";

/** The bot that responds; the token, when given, must still be its own. */
export interface Responder {
  botId: string;
  tokenHash?: string | undefined;
}

/** With the name to show. */
type NamedResponder = Responder & { username: string };

/** A response: which fields it has depends on its type, and an update has those that change. */
export interface ResponseDraft extends Partial<PostContent> {
  type: ResponseType;
  /** Of an update: the revision that it replaces; any when left out. */
  ifRevision?: number | undefined;
  idempotencyKey?: string | undefined;
  cause?: Cause | undefined;
}

export interface Responded {
  response: Response;
  /** The post that it published, or edited; left out when an earlier call did. */
  post?: Post | undefined;
  /** Whether an earlier call with the same key stored it. */
  isReplayed: boolean;
}

/** How often an edit tries again after losing against another; each try waits for a commit. */
const MAX_RACES = 20;

/**
 * Responds to an interaction: what it says is durable, in the feed, and in the channel if it is for all, when this resolves.
 *
 * @param admit rejects when nothing more may be published in the channel; called before the response is stored
 * @throws InvalidInput when the response is not what one of its type may be, comes too late, or is one too many
 * @throws Forbidden when the bot is no longer attached to the channel, or only as reader
 * @throws NotFound when the interaction is not for this bot, or the post to edit is gone
 */
export async function respond(
  store: Store,
  responder: Responder,
  interactionId: string,
  draft: ResponseDraft,
  admit: (channelId: string) => Promise<void> = async () => {},
): Promise<Responded> {
  const { botId } = responder;
  const { interaction, username } = await readInteraction(store, { botId }, interactionId);
  const named = { ...responder, username };
  for (let races = 0; races < MAX_RACES; races += 1) {
    const { response, post, toAppend } = await prepare(store, named, interaction, draft);
    if (races === 0) await admit(interaction.channelId);
    const stored = await store.appendResponse(toAppend);
    if (stored === true) return { response, post, isReplayed: false };
    if (stored === "outdated") continue;
    if (stored === undefined) throw new NotFound("interaction not found", "interaction_not_found");
    if (typeof stored === "string") throw refusalOf(stored);
    return { response: decodeResponse(stored.id, stored.payload, stored.createdAt), isReplayed: true };
  }
  throw new RevisionConflict("others change this post all the time: try again");
}

/** The response that an earlier call with the same key stored. */
export async function findResponded(
  store: Store,
  responder: Responder,
  interactionId: string,
  key: string,
): Promise<Response | undefined> {
  const stored = await store.findKeyed({ ...responder, interactionId, key });
  return stored && decodeResponse(stored.id, stored.payload, stored.createdAt);
}

interface Prepared {
  response: Response;
  post?: Post;
  toAppend: ResponseToAppend;
}

async function prepare(
  store: Store,
  responder: NamedResponder,
  interaction: Interaction,
  draft: ResponseDraft,
): Promise<Prepared> {
  const { type, cause, idempotencyKey } = draft;
  const { botId, tokenHash, username } = responder;
  const { channelId } = interaction;
  const content = await contentOf(store, responder, interaction, draft);
  const { createdAt, post, shown } = content;
  const response: Response = {
    id: newId(),
    type,
    createdAt,
    ...(post && { post: { id: post.id, revision: post.revision } }),
    ...shown,
  };
  const payload = encodeResponse(interaction, username, response);
  const event = { id: response.id, eventType: INTERACTION_RESPONDED, payload, createdAt, cause };
  const who = { interactionId: interaction.id, channelId, botId, tokenHash };
  return {
    response,
    ...(post && { post }),
    toAppend: { ...who, event, idempotencyKey, post: content.toPublish, edit: content.toEdit },
  };
}

interface Content {
  createdAt: number;
  /** What only the product gets. */
  shown?: Partial<PostContent>;
  post?: Post;
  toPublish?: ResponseToAppend["post"];
  toEdit?: ResponseToAppend["edit"];
}

async function contentOf(
  store: Store,
  { botId, tokenHash, username }: NamedResponder,
  interaction: Interaction,
  { type, body, media, components, ifRevision, cause }: ResponseDraft,
): Promise<Content> {
  const { channelId } = interaction;
  const given = { body: body ?? "", media, components };
  switch (type) {
    case "working":
      if (body !== undefined || media || components)
        throw new InvalidInput("a response of type working has nothing beside its type");
      return { createdAt: Date.now() };
    case "private":
      checkPost(given);
      return { createdAt: Date.now(), shown: { body: given.body, media, components } };
    case "post": {
      const author = { botId, username, ...(tokenHash && { tokenHash }) };
      const { post, toAppend } = preparePost(author, { channelId, ...given, cause });
      return { createdAt: post.createdAt, post, toPublish: toAppend };
    }
    case "update": {
      const edited = await editOf(store, botId, interaction, { body, media, components, ifRevision, cause });
      return { createdAt: edited.revision.editedAt, post: edited.edited, toEdit: edited.revision };
    }
  }
}

async function editOf(
  store: Store,
  botId: string,
  { channelId, post }: Interaction,
  edit: PostEdit,
): Promise<PreparedEdit> {
  if (!post)
    throw new InvalidInput(
      "a response of type update edits the post that was pressed: this interaction has none",
      "no_pressed_post",
    );
  if (edit.body === undefined && !edit.media && !edit.components)
    throw new InvalidInput("give body, media or components: there is nothing to change", "nothing_to_change");
  return await prepareEdit(store, { botId }, { channelId, postId: post.id }, edit);
}

function refusalOf(
  refusal: Exclude<Awaited<ReturnType<Store["appendResponse"]>>, boolean | object | undefined>,
): Error {
  switch (refusal) {
    case "expired":
      return new InvalidInput(
        "the interaction has expired: responses are taken for 15 minutes",
        "interaction_expired",
      );
    case "too many":
      return new InvalidInput(
        `an interaction takes ${MAX_RESPONSES} responses at most`,
        "too_many_responses",
      );
    case "read only":
      return readOnly();
    case "not attached":
      return notAttached();
    default:
      return new NotFound("post not found in this channel", "post_not_found");
  }
}
