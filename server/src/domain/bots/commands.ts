import { InvalidInput } from "../errors.js";
import { MAX_COMMANDS_BYTES } from "../limits.js";

/** What a value of an option may be; of a user or a channel it is the id. */
export const OPTION_TYPES = ["string", "integer", "number", "boolean", "user", "channel"] as const;

export interface CommandOption {
  name: string;
  type: (typeof OPTION_TYPES)[number];
  description: string;
  required?: boolean;
  /** The only values that it may have; only of texts and numbers. */
  choices?: readonly { label: string; value: string | number }[];
}

/** A command that a bot offers in its channels, for the input of a product to show. */
export interface Command {
  name: string;
  description: string;
  options?: readonly CommandOption[];
  /** The description in other languages, by language tag. */
  descriptions?: Readonly<Record<string, string>>;
}

/** The commands of a bot that is attached to a channel. */
export interface BotCommands {
  botId: string;
  username: string;
  displayName: string;
  commands: Command[];
}

const LANGUAGE_TAG = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;

/**
 * Checks what the schema of commands cannot express.
 *
 * @returns their JSON
 * @throws InvalidInput
 */
export function encodeCommands(commands: readonly Command[]): string {
  refuseRepeated(commands, "commands");
  for (const [index, { options = [], descriptions = {} }] of commands.entries()) {
    for (const language of Object.keys(descriptions))
      if (!LANGUAGE_TAG.test(language))
        throw new InvalidInput(
          `commands[${index}].descriptions has "${language}": its names must be language tags such as de or pt-BR`,
          "invalid_commands",
        );
    const list = `commands[${index}].options`;
    refuseRepeated(options, list);
    for (const [index, option] of options.entries()) checkChoices(option, `${list}[${index}]`);
    const firstOptional = options.findIndex(({ required }) => !required);
    if (firstOptional !== -1 && options.slice(firstOptional).some(({ required }) => required))
      throw new InvalidInput(`${list} must have those that are required first`, "invalid_commands");
  }
  const text = JSON.stringify(commands);
  if (Buffer.byteLength(text) > MAX_COMMANDS_BYTES)
    throw new InvalidInput(
      `commands must have at most ${MAX_COMMANDS_BYTES} bytes of JSON together`,
      "too_large",
    );
  return text;
}

/** @param text null when there are none */
export function decodeCommands(text: string | null): Command[] {
  return text === null ? [] : (JSON.parse(text) as Command[]);
}

function refuseRepeated(named: readonly { name: string }[], list: string): void {
  const names = new Set<string>();
  for (const { name } of named) {
    if (names.has(name)) throw new InvalidInput(`${list} has the name "${name}" twice`, "invalid_commands");
    names.add(name);
  }
}

function checkChoices({ type, choices }: CommandOption, path: string): void {
  if (!choices) return;
  const isRight =
    type === "string"
      ? (value: unknown) => typeof value === "string"
      : type === "integer"
        ? Number.isSafeInteger
        : type === "number"
          ? Number.isFinite
          : undefined;
  if (!isRight)
    throw new InvalidInput(`${path} must not have choices: it is of type ${type}`, "invalid_commands");
  if (!choices.every(({ value }) => isRight(value)))
    throw new InvalidInput(`${path} must have only choices of its type, ${type}`, "invalid_commands");
  if (new Set(choices.map(({ value }) => value)).size < choices.length)
    throw new InvalidInput(`${path} has a choice twice`, "invalid_commands");
}
