import type { BotCommand, CommandChoice, CommandOption } from "../types.js";
import { isCleanText } from "./clean-text.js";
import { type FakeAnswer, json, refused } from "./fake-answer.js";

const NAME = /^[a-z0-9_-]{1,32}$/;
const MOST_COMMANDS = 100;
const MOST_OPTIONS = 25;
const LONGEST_DESCRIPTION = 200;
const MOST_CHOICES = 25;
const LONGEST_LABEL = 100;
const MOST_LANGUAGES = 50;
const LANGUAGE_TAG = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;
const MOST_BYTES = 48 * 1024;

const isText = (value: unknown): value is string => typeof value === "string";
/** Whether a value is of the type of an option. */
const IS_OF_TYPE: Record<CommandOption["type"], (value: unknown) => boolean> = {
  string: isText,
  user: isText,
  channel: isText,
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === "boolean",
};
const WITH_CHOICES: ReadonlySet<string> = new Set(["string", "integer", "number"]);

/** Sets the commands that are in the body of a request, if the real service would. */
export function setCommands(body: string, set: (commands: BotCommand[]) => void): FakeAnswer {
  let given: { commands?: unknown } | null;
  try {
    given = JSON.parse(body) as { commands?: unknown } | null;
  } catch {
    return refused(400, "the body must be valid JSON", "invalid_json");
  }
  const commands = given?.commands;
  if (!Array.isArray(commands) || commands.length > MOST_COMMANDS || !commands.every(isCommand))
    return refused(400, `commands must be at most ${MOST_COMMANDS}, each with a name and a description`);
  const fault =
    repeatedIn(commands) ??
    commands
      .map(({ options = [], descriptions = {} }) => languageFault(descriptions) ?? optionsFault(options))
      .find(Boolean);
  if (fault) return refused(400, `commands ${fault}`, "invalid_commands");
  if (Buffer.byteLength(JSON.stringify(commands)) > MOST_BYTES)
    return refused(400, `commands must have at most ${MOST_BYTES} bytes of JSON together`, "too_large");
  set(commands);
  return json(200, { items: commands });
}

/**
 * Checks what a command is given.
 *
 * @throws {TypeError} when the bot does not offer it, or it has other options
 */
export function checkChoice(
  commands: readonly BotCommand[],
  name: string,
  given: Record<string, unknown>,
): void {
  const command = commands.find((one) => one.name === name);
  if (!command) throw new TypeError(`the bot offers no command ${name}: it calls registerCommands, or start`);
  const { options = [] } = command;
  const unknown = Object.keys(given).find((key) => !options.some((option) => option.name === key));
  if (unknown !== undefined) throw new TypeError(`/${name} has no option ${unknown}`);
  for (const { name: option, type, choices, required } of options) {
    const value = given[option];
    if (value === undefined && required) throw new TypeError(`/${name} needs the option ${option}`);
    if (value !== undefined && !IS_OF_TYPE[type](value))
      throw new TypeError(`the option ${option} of /${name} is of type ${type}`);
    if (value !== undefined && choices && !choices.some((choice) => choice.value === value))
      throw new TypeError(`the option ${option} of /${name} must be one of its choices`);
  }
}

function isCommand(command: Partial<BotCommand> | null): command is BotCommand {
  const { options = [], descriptions = {} } = command ?? {};
  const isDescribed =
    typeof descriptions === "object" &&
    descriptions !== null &&
    !Array.isArray(descriptions) &&
    Object.keys(descriptions).length <= MOST_LANGUAGES &&
    Object.values(descriptions).every((text) => isCleanText(text, 1, LONGEST_DESCRIPTION));
  return isNamed(command) && isDescribed && isListOf(options, 0, MOST_OPTIONS, isOption);
}

function isOption(option: Partial<CommandOption> | null): boolean {
  const { type = "", required = false, choices } = option ?? {};
  return (
    isNamed(option) &&
    Object.hasOwn(IS_OF_TYPE, type) &&
    typeof required === "boolean" &&
    (choices === undefined || isListOf(choices, 1, MOST_CHOICES, isChoice))
  );
}

function isChoice(choice: Partial<CommandChoice> | null): boolean {
  const { label, value } = choice ?? {};
  const isValue = typeof value === "number" || (isText(value) && Array.from(value).length <= LONGEST_LABEL);
  return isCleanText(label, 1, LONGEST_LABEL) && isValue;
}

function isListOf<Item>(
  list: unknown,
  least: number,
  most: number,
  isItem: (item: Item) => boolean,
): boolean {
  return Array.isArray(list) && list.length >= least && list.length <= most && list.every(isItem);
}

function isNamed(given: { name?: unknown; description?: unknown } | null): boolean {
  const { name, description } = given ?? {};
  return isText(name) && NAME.test(name) && isCleanText(description, 1, LONGEST_DESCRIPTION);
}

function languageFault(descriptions: Readonly<Record<string, string>>): string | undefined {
  const wrong = Object.keys(descriptions).find((language) => !LANGUAGE_TAG.test(language));
  return wrong === undefined
    ? undefined
    : `must have language tags such as de in descriptions, not "${wrong}"`;
}

function optionsFault(options: readonly CommandOption[]): string | undefined {
  const firstOptional = options.findIndex(({ required }) => !required);
  if (firstOptional >= 0 && options.slice(firstOptional).some(({ required }) => required))
    return "must have the options that are required first";
  for (const { name, type, choices } of options) {
    if (!choices) continue;
    if (!WITH_CHOICES.has(type)) return `must not have choices for ${name}: it is of type ${type}`;
    if (!choices.every(({ value }) => IS_OF_TYPE[type](value)))
      return `must have choices of the type of ${name}`;
    if (new Set(choices.map(({ value }) => value)).size < choices.length)
      return `must not have a choice of ${name} twice`;
  }
  return repeatedIn(options);
}

function repeatedIn(named: readonly { name: string }[]): string | undefined {
  return new Set(named.map(({ name }) => name)).size < named.length ? "has a name twice" : undefined;
}
