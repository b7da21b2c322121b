import { decodeCommands } from "../../domain/bots/commands.js";
import { InvalidInput, NotFound, RevisionConflict } from "../../domain/errors.js";
import type { Cause } from "../../domain/events/cause.js";
import { INTERACTION_CREATED } from "../../domain/events/event.js";
import {
  checkOptions,
  decodeInteraction,
  decodeResponse,
  encodeInteraction,
  INTERACTION_MS,
  type Interaction,
  type OptionValue,
  pressedValues,
} from "../../domain/events/interaction.js";
import { newId } from "../../domain/ids.js";
import { MAX_INTERACTION_BYTES } from "../../domain/limits.js";
import type { ChannelRef, Store } from "../../store/store.js";
import { encodeJson } from "../encode-json.js";
import { found, notFound } from "../found.js";
import { findPost } from "../posts/change-post.js";
import { type InteractionWithResponses, readInteraction } from "./read-interaction.js";

/** What a user did: with `command` they chose one of the bot `botId`, with `component` they pressed one. */
export interface InteractionDraft {
  user: Interaction["user"];
  command?: { botId: string; name: string; options: Record<string, unknown> } | undefined;
  component?: PressedComponent | undefined;
  idempotencyKey?: string | undefined;
  cause?: Cause | undefined;
}

/** A component under a post, or under a private response. */
export interface PressedComponent {
  id: string;
  /** Of a select: what was chosen. */
  values?: string[] | undefined;
  under: { postId: string; revision?: number | undefined } | { responseId: string };
}

export interface CreatedInteraction extends WithResponses {
  /** Whether an earlier call with the same key created it. */
  isReplayed: boolean;
}

/** With the responses so far: there may be some when an earlier call created it. */
type WithResponses = Pick<InteractionWithResponses, "interaction" | "responses">;

/**
 * Tells a bot what a user did: the interaction is durable, and in the bot's log, when this resolves.
 *
 * @throws InvalidInput when there is no such command or component, or it does not allow what it is given
 * @throws RevisionConflict when the post was edited since
 * @throws NotFound without such a channel, post or response, and when the bot is not attached to the channel
 */
export async function createInteraction(
  store: Store,
  channel: ChannelRef,
  draft: InteractionDraft,
): Promise<CreatedInteraction> {
  const { user, idempotencyKey, cause } = draft;
  if (idempotencyKey !== undefined) {
    const earlier = await findCreated(store, channel, idempotencyKey);
    if (earlier) return { ...earlier, isReplayed: true };
  }
  const what = await whatWasDone(store, channel, draft);
  const id = newId();
  const createdAt = Date.now();
  const { channelId } = channel;
  const interaction = { id, channelId, user, ...what, createdAt, expiresAt: createdAt + INTERACTION_MS };
  const payload = encodeInteraction(interaction);
  const stored = await store.appendInteraction({
    ...channel,
    botId: what.botId,
    event: { id, eventType: INTERACTION_CREATED, payload, createdAt, cause },
    idempotencyKey,
  });
  if (stored === true) return { interaction, responses: [], isReplayed: false };
  if (stored === "no channel") throw notFound("channel");
  if (stored === "not attached") throw notAttached();
  if (stored === "read only")
    throw new InvalidInput("the bot is a reader in this channel: it could not respond", "bot_is_reader");
  if (stored === "disabled")
    throw new InvalidInput("the bot is disabled: it would not get the interaction", "bot_disabled");
  return { ...(await readInteraction(store, channel, stored.id)), isReplayed: true };
}

function notAttached(): NotFound {
  return new NotFound("bot not found in this channel: it is not attached to it", "attachment_not_found");
}

/** The interaction that an earlier call with the same key created, unless it was erased. */
export async function findCreated(
  store: Store,
  channel: ChannelRef,
  key: string,
): Promise<WithResponses | undefined> {
  const { channelId, ownerUserId } = channel;
  const stored = await store.findKeyed({ interactionIn: channelId, ownerUserId, key });
  if (!stored || !decodeInteraction(stored.payload, stored.createdAt)) return undefined;
  return await readInteraction(store, channel, stored.id);
}

type Done = Pick<Interaction, "kind" | "botId" | "command" | "component" | "post" | "responseId">;

async function whatWasDone(
  store: Store,
  channel: ChannelRef,
  { user, command, component }: InteractionDraft,
): Promise<Done> {
  if (command && !component) {
    const { botId, name, options } = command;
    const { id: channelId } = found(await store.findChannel(channel), "channel");
    // Before its commands, which are none of the business of others.
    const offered = (await store.findMembership(botId, channelId)) && (await store.readCommands(botId));
    if (offered === undefined) throw notAttached();
    checkOptions(decodeCommands(offered), name, options);
    encodeJson(options, "command.options", MAX_INTERACTION_BYTES);
    return { kind: "command", botId, command: { name, options: options as Record<string, OptionValue> } };
  }
  if (!component || command)
    throw new InvalidInput("give command or component, and not both", "conflicting_parameters");
  const { id, values, under } = component;
  return "postId" in under
    ? await pressedUnderPost(store, channel, { id, values, under })
    : await pressedUnderResponse(store, channel, user, { id, values, under });
}

async function pressedUnderPost(
  store: Store,
  { ownerUserId, channelId }: ChannelRef,
  { id, values, under }: PressedComponent & { under: { postId: string } },
): Promise<Done> {
  const { postId, revision } = under as { postId: string; revision?: number };
  const post = await findPost(store, { ownerUserId }, { channelId, postId });
  if (revision !== undefined && revision !== post.revision)
    throw new RevisionConflict(
      `the post has revision ${post.revision}, not ${revision}: show it as it is now`,
    );
  const chosen = pressedValues(post.components, id, values);
  if (post.author?.type !== "bot")
    throw new InvalidInput("no bot hears of the component: the post is not a bot's", "unknown_component");
  const component = { id, values: chosen };
  return {
    kind: "component",
    botId: post.author.id,
    component,
    post: { id: post.id, revision: post.revision },
  };
}

async function pressedUnderResponse(
  store: Store,
  channel: ChannelRef,
  user: Interaction["user"],
  { id, values, under }: PressedComponent & { under: { responseId: string } },
): Promise<Done> {
  const { responseId } = under;
  const stored = await store.findResponse(channel, responseId);
  if (!stored) throw new NotFound("response not found in this channel", "response_not_found");
  const { components } = decodeResponse(stored.id, stored.payload, stored.createdAt);
  const chosen = pressedValues(components, id, values);
  const { bot_id: botId, user: shownTo } = JSON.parse(stored.payload) as {
    bot_id: string;
    user: Interaction["user"];
  };
  if (shownTo.id !== user.id)
    throw new InvalidInput(
      "only the user whom a private response is for presses what is under it",
      "unknown_component",
    );
  return { kind: "component", botId, component: { id, values: chosen }, responseId };
}
