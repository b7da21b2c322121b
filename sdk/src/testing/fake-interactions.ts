import { randomUUID } from "node:crypto";
import { INTERACTION_CREATED } from "../bot/interaction.js";
import type { Interaction, InteractionResponse, InteractionUser, Post, RespondRequest } from "../types.js";
import { type FakeAnswer, type FakeRequest, json, refused } from "./fake-answer.js";
import { checkChoice } from "./fake-commands.js";
import { pressable, pressedValues } from "./fake-components.js";
import type { FakeInteraction, FakeLog } from "./fake-log.js";
import { contentOf, hasRole, isKey, readOnly, revisionConflict, wrongKey } from "./fake-posts.js";

const RESPONSES_PATH = /^\/v1\/bot-api\/interactions\/([^/]+)\/responses$/;
const TYPES = ["post", "update", "private", "working"];
const OPEN_MS = 15 * 60_000;
const MOST_RESPONSES = 5;

type Done = Pick<Interaction, "kind" | "channel_id" | "command" | "component" | "post" | "response_id">;

/**
 * A user presses a component under a post of the bot, or under a private answer.
 *
 * @throws {TypeError} when the product could not do so
 */
export function press(
  log: FakeLog,
  { id }: { id: string },
  componentId: string,
  user: InteractionUser,
  values?: readonly string[],
): FakeInteraction {
  const post = log.posts.find((one) => one.id === id);
  const answered = log.interactions.find(({ responses }) => responses.some((one) => one.id === id));
  const under = post ?? answered?.responses.find((one) => one.id === id);
  const component = pressable(under?.components, componentId);
  if (!component || (post && post.author?.id !== log.me.id))
    throw new TypeError(`the bot has no component ${componentId} there that can be pressed`);
  const chosen = pressedValues(component, values);
  if (!post && answered?.user.id !== user.id)
    throw new TypeError("only the user whom a private response is for presses what is under it");
  return create(log, user, {
    kind: "component",
    channel_id: (post ?? answered)?.channel_id ?? "",
    component: { id: componentId, values: chosen },
    ...(post ? { post: { id, revision: post.revision } } : { response_id: id }),
  });
}

/**
 * A user chooses a command of the bot.
 *
 * @throws {TypeError} when the product could not do so
 */
export function choose(
  log: FakeLog,
  channelId: string,
  name: string,
  options: Record<string, unknown>,
  user: InteractionUser,
): FakeInteraction {
  if (!log.channels.some(({ id }) => id === channelId)) throw new TypeError("the bot is in no such channel");
  checkChoice(log.commands, name, options);
  return create(log, user, { kind: "command", channel_id: channelId, command: { name, options } });
}

function create(log: FakeLog, user: InteractionUser, done: Done): FakeInteraction {
  if (hasRole(log, done.channel_id, "reader"))
    throw new TypeError("the bot is a reader in this channel: it could not respond");
  const id = randomUUID();
  const bot_id = log.me.id;
  const now = Date.now() + log.aheadMs;
  const expires_at = new Date(now + OPEN_MS).toISOString();
  const created_at = new Date(now).toISOString();
  const interaction = { id, bot_id, user, ...done, expires_at, created_at, responses: [], keys: new Map() };
  log.interactions.push(interaction);
  log.append(INTERACTION_CREATED, { interaction_id: id, bot_id, user, ...done, expires_at });
  return interaction;
}

/** An interaction as a product reads it. */
export function shownInteraction(log: FakeLog, one: FakeInteraction): Interaction {
  const { keys: _, ...interaction } = one;
  const { responses, expires_at } = interaction;
  const isExpired = Date.now() + log.aheadMs >= Date.parse(expires_at);
  const isWorking = responses.length > 0;
  const waiting = isExpired ? "expired" : isWorking ? "working" : "waiting";
  return { ...interaction, state: responses.some(({ type }) => type !== "working") ? "responded" : waiting };
}

/** The bot's responses; undefined for every other path. */
export function answerResponses(log: FakeLog, request: FakeRequest): FakeAnswer | undefined {
  const { method, url, idempotencyKey: key } = request;
  const id = RESPONSES_PATH.exec(url.pathname)?.[1];
  if (method !== "POST" || id === undefined) return undefined;
  if (key !== undefined && !isKey(key)) return wrongKey();
  const interaction = log.interactions.find((one) => one.id === id);
  if (!interaction) return refused(404, "interaction not found", "interaction_not_found");
  const earlier = key === undefined ? undefined : interaction.keys.get(key);
  const isGone = earlier?.type === "update" && !log.posts.some((post) => post.id === earlier.post?.id);
  if (earlier && !isGone)
    return { ...json(201, { response: earlier }), headers: { "idempotency-replayed": "true" } };
  const content = contentOf(request);
  if ("status" in content) return content;
  const { type } = JSON.parse(request.body) as RespondRequest;
  if (!TYPES.includes(type)) return refused(400, `type must be one of ${TYPES.join(", ")}`);
  const { reply_to: _, ...given } = content;
  const refusal = refusalOf(log, request, interaction, { type, ...given });
  if (refusal) return refusal;
  const post = postOf(log, interaction, { type, ...given });
  const response: InteractionResponse = {
    id: randomUUID(),
    type,
    ...(type === "private" && { ...given, body: given.body ?? "" }),
    ...(post && { post: { id: post.id, revision: post.revision } }),
    created_at: new Date(Date.now() + log.aheadMs).toISOString(),
  };
  interaction.responses.push(response);
  if (type === "private") log.said.push(response.id);
  if (key !== undefined) interaction.keys.set(key, response);
  return json(201, { response, ...(post && { post }) });
}

function refusalOf(
  log: FakeLog,
  request: FakeRequest,
  { channel_id, post: pressed, responses, expires_at }: FakeInteraction,
  { type, body, media, components }: RespondRequest,
): FakeAnswer | undefined {
  const isEmpty = body === undefined && !media && !components;
  if (type === "working" && !isEmpty)
    return refused(400, "a response of type working has nothing beside its type");
  if (type === "update") {
    if (!pressed)
      return refused(400, "a response of type update edits the post that was pressed", "no_pressed_post");
    if (isEmpty)
      return refused(400, "give body, media or components: there is nothing to change", "nothing_to_change");
    const post = log.posts.find(({ id }) => id === pressed.id);
    if (!post) return refused(404, "post not found in this channel", "post_not_found");
    const conflict = revisionConflict(request, post);
    if (conflict) return conflict;
    if ((body ?? post.body) === "" && !(media ?? post.media)?.length) return blank();
  }
  if ((type === "post" || type === "private") && !body && !media?.length) return blank();
  if (Date.now() + log.aheadMs >= Date.parse(expires_at))
    return refused(
      400,
      "the interaction has expired: responses are taken for 15 minutes",
      "interaction_expired",
    );
  if (responses.length >= MOST_RESPONSES)
    return refused(400, `an interaction takes ${MOST_RESPONSES} responses at most`, "too_many_responses");
  return hasRole(log, channel_id, "reader") ? readOnly() : undefined;
}

/** The post that a response publishes or edits. A copy: a later edit does not change the answer. */
function postOf(
  log: FakeLog,
  { channel_id, post: pressed }: FakeInteraction,
  { type, ...content }: RespondRequest,
): Post | undefined {
  if (type === "post")
    return { ...log.publish(channel_id, { username: log.me.username }, { body: "", ...content }) };
  const post = type === "update" ? log.posts.find(({ id }) => id === pressed?.id) : undefined;
  return post && { ...log.edit(post, content) };
}

function blank(): FakeAnswer {
  return refused(400, "give a text or media", "blank_body");
}
