import type { Command, CommandOption } from "../bots/commands.js";
import { InvalidInput } from "../errors.js";
import { type Components, findComponent, type PostComponent } from "./components.js";
import type { MediaItem } from "./post.js";

/** In which responses are taken. */
export const INTERACTION_MS = 15 * 60_000;
/** To one interaction. */
export const MAX_RESPONSES = 5;

export const INTERACTION_KINDS = ["command", "component"] as const;
export type InteractionKind = (typeof INTERACTION_KINDS)[number];

/** A value of an option of a command. */
export type OptionValue = string | number | boolean;

/** What a user of the product did that one bot has to answer: chose a command, or pressed a component under a post. */
export interface Interaction {
  id: string;
  kind: InteractionKind;
  channelId: string;
  /** Whose command or component it is. */
  botId: string;
  user: { id: string; username: string };
  command?: { name: string; options: Record<string, OptionValue> } | undefined;
  /** What was pressed; the values that were chosen, or the value of the button, if it has one. */
  component?: { id: string; values: string[] } | undefined;
  /** The post under which it is, and the revision that was pressed. */
  post?: { id: string; revision: number } | undefined;
  /** The private response under which it is, instead of a post. */
  responseId?: string | undefined;
  createdAt: number;
  expiresAt: number;
}

export const RESPONSE_TYPES = ["post", "update", "private", "working"] as const;
export type ResponseType = (typeof RESPONSE_TYPES)[number];

/** What a bot answered to an interaction. */
export interface Response {
  id: string;
  type: ResponseType;
  createdAt: number;
  /** The post that was published, or that was edited. */
  post?: { id: string; revision: number } | undefined;
  /** Of a private response: only the product has it. */
  body?: string | undefined;
  media?: MediaItem[] | undefined;
  components?: Components | undefined;
}

interface InteractionPayload extends Pick<Interaction, "kind" | "user" | "command" | "component" | "post"> {
  interaction_id: string;
  channel_id: string;
  bot_id: string;
  response_id?: string | undefined;
  expires_at: string;
}

/** The payload of `interaction.created`. */
export function encodeInteraction(interaction: Interaction): string {
  const { id, kind, channelId, botId, user, command, component, post, responseId, expiresAt } = interaction;
  const payload: InteractionPayload = {
    interaction_id: id,
    kind,
    channel_id: channelId,
    bot_id: botId,
    user,
    command,
    component,
    post,
    response_id: responseId,
    expires_at: new Date(expiresAt).toISOString(),
  };
  return JSON.stringify(payload);
}

/** The inverse; undefined when it was erased, with its bot or its channel. */
export function decodeInteraction(payload: string, createdAt: number): Interaction | undefined {
  const fields = JSON.parse(payload) as Partial<InteractionPayload> & { deleted?: true };
  if (!fields.user || fields.deleted) return undefined;
  const whole = fields as InteractionPayload;
  return {
    id: whole.interaction_id,
    kind: whole.kind,
    channelId: whole.channel_id,
    botId: whole.bot_id,
    user: whole.user,
    command: whole.command,
    component: whole.component,
    post: whole.post,
    responseId: whole.response_id,
    createdAt,
    expiresAt: Date.parse(whole.expires_at),
  };
}

type ResponsePayload = Pick<Response, "type" | "post" | "body" | "media" | "components">;

/**
 * The payload of `interaction.responded`. The text of a post is not in it: the feed has that as an event of its own.
 *
 * @param username the bot's
 */
export function encodeResponse(interaction: Interaction, username: string, response: Response): string {
  const { type, post, body, media, components } = response;
  return JSON.stringify({
    interaction_id: interaction.id,
    kind: interaction.kind,
    channel_id: interaction.channelId,
    bot_id: interaction.botId,
    username,
    user: interaction.user,
    type,
    post,
    body,
    media,
    components,
  });
}

export function decodeResponse(id: string, payload: string, createdAt: number): Response {
  const { type, post, body, media, components } = JSON.parse(payload) as ResponsePayload;
  return { id, type, createdAt, post, body, media, components };
}

/** How far an interaction is, for the product. */
export const INTERACTION_STATES = ["waiting", "working", "responded", "expired"] as const;
export type InteractionState = (typeof INTERACTION_STATES)[number];

export function stateOf(
  { expiresAt }: Pick<Interaction, "expiresAt">,
  responses: readonly Pick<Response, "type">[],
  now: number,
): InteractionState {
  if (responses.some(({ type }) => type !== "working")) return "responded";
  if (now >= expiresAt) return "expired";
  return responses.length > 0 ? "working" : "waiting";
}

/**
 * The values that a press gives to the bot.
 *
 * @param chosen of a select; left out of a button
 * @throws InvalidInput when no component of this id can be pressed, or the choice is none that it allows
 */
export function pressedValues(
  rows: Components | undefined,
  id: string,
  chosen: string[] | undefined,
): string[] {
  const component = findComponent(rows, id);
  if (!component)
    throw new InvalidInput(
      `component.id must be that of a component under it that can be pressed`,
      "unknown_component",
    );
  if (component.type === "select") return checkChoice(component, chosen ?? []);
  if (chosen && chosen.length > 0)
    throw new InvalidInput("component.values must be left out: a button is pressed", "invalid_values");
  return component.value === undefined ? [] : [component.value];
}

function checkChoice({ options = [], min = 1, max = 1 }: PostComponent, chosen: string[]): string[] {
  const known = new Set(options.map(({ value }) => value));
  if (new Set(chosen).size < chosen.length || !chosen.every((value) => known.has(value)))
    throw new InvalidInput(
      "component.values must be values of options of the select, each once",
      "invalid_values",
    );
  if (chosen.length < min || chosen.length > max)
    throw new InvalidInput(
      `component.values must have ${min === max ? min : `${min} to ${max}`} of the options`,
      "invalid_values",
    );
  return chosen;
}

/**
 * Checks the options that a command is given.
 *
 * @throws InvalidInput when the bot has no such command, or the options are not those of it
 */
export function checkOptions(
  commands: readonly Command[],
  name: string,
  given: Record<string, unknown>,
): void {
  const command = commands.find((one) => one.name === name);
  if (!command)
    throw new InvalidInput("command.name must be that of a command that the bot offers", "unknown_command");
  const options = command.options ?? [];
  const unknown = Object.keys(given).find((key) => !options.some((option) => option.name === key));
  if (unknown !== undefined)
    refuse(`command.options must not have ${unknown}: the command has no such option`);
  for (const option of options) {
    const value = Object.hasOwn(given, option.name) ? given[option.name] : undefined;
    if (value === undefined) {
      if (option.required) refuse(`command.options must have ${option.name}`);
    } else checkValue(option, value);
  }
}

function checkValue({ name, type, choices }: CommandOption, value: unknown): void {
  if (!IS_OF_TYPE[type](value)) refuse(`command.options.${name} must be ${TYPE_NAMES[type]}`);
  if (choices && !choices.some((choice) => choice.value === value))
    refuse(`command.options.${name} must be one of its choices`);
}

const isText = (value: unknown): boolean => typeof value === "string";

const IS_OF_TYPE: Record<CommandOption["type"], (value: unknown) => boolean> = {
  string: isText,
  user: isText,
  channel: isText,
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === "boolean",
};
const TYPE_NAMES: Record<CommandOption["type"], string> = {
  string: "a text",
  user: "the id of a user",
  channel: "the id of a channel",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
};

function refuse(message: string): never {
  throw new InvalidInput(message, "invalid_options");
}
