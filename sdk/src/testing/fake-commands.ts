import type { BotCommand, CommandOption } from "../types.js";
import { type FakeAnswer, json, refused } from "./fake-answer.js";

const NAME = /^[a-z0-9_-]{1,32}$/;
const MOST_COMMANDS = 100;
const MOST_OPTIONS = 25;
const LONGEST_DESCRIPTION = 200;

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
    repeatedIn(commands) ?? commands.map(({ options = [] }) => optionsFault(options)).find(Boolean);
  if (fault) return refused(400, `commands ${fault}`, "invalid_commands");
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
  const { options = [] } = command ?? {};
  return (
    isNamed(command) && Array.isArray(options) && options.length <= MOST_OPTIONS && options.every(isOption)
  );
}

function isOption(option: Partial<CommandOption> | null): boolean {
  return isNamed(option) && Object.hasOwn(IS_OF_TYPE, option?.type ?? "");
}

function isNamed(given: { name?: unknown; description?: unknown } | null): boolean {
  const { name, description } = given ?? {};
  const isDescribed = isText(description) && description !== "" && description.length <= LONGEST_DESCRIPTION;
  return isText(name) && NAME.test(name) && isDescribed;
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
  }
  return repeatedIn(options);
}

function repeatedIn(named: readonly { name: string }[]): string | undefined {
  return new Set(named.map(({ name }) => name)).size < named.length ? "has a name twice" : undefined;
}
