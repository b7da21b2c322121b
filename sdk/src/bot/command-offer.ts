import type { CommandChoice, CommandOption, InteractionUser } from "../types.js";

/** A command, for a help text. */
export interface Command {
  /** Without the slash. */
  name: string;
  /** What it does, in a few words. */
  description?: string;
  /** The same in other languages, by language tag. */
  descriptions?: Readonly<Record<string, string>>;
  /** What it is given, in order. */
  options?: readonly OptionSpec[];
}

/** An option of a command; one that may not change, so that a literal keeps its type. */
export interface OptionSpec extends Readonly<Omit<CommandOption, "choices">> {
  /** The only values that it may have. Only of texts and numbers. */
  readonly choices?: readonly Readonly<CommandChoice>[];
}

/** What products show of a command. */
export interface CommandOffer<Options extends readonly OptionSpec[] = readonly OptionSpec[]> {
  /** What it does, for people. */
  description: string;
  /** The same in other languages, by language tag. */
  descriptions?: Readonly<Record<string, string>>;
  /** What it is given, in order; those that are required first. */
  options?: Options;
}

/** What the context of a command's handler has in addition. */
export interface CommandMatch {
  /** The command's name, in lower case. */
  command: string;
}

/** What the context of the handler of a command that products offer has in addition. */
export interface OfferedCommandMatch<Options extends readonly OptionSpec[] = readonly OptionSpec[]>
  extends CommandMatch {
  /** The values of its options, by name; those that were not given are left out. */
  options: OptionValues<Options>;
  /** Who called it. */
  user: InteractionUser;
}

/** What the types of options give. */
interface ValueOfType {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
  user: string;
  channel: string;
}

type ValueOf<Option extends OptionSpec> = Option extends { choices: readonly { value: infer Value }[] }
  ? Value
  : ValueOfType[Option["type"]];

/** The values of options, by their names. */
export type OptionValues<Options extends readonly OptionSpec[]> = {
  [Option in Options[number] as Option extends { required: true } ? Option["name"] : never]: ValueOf<Option>;
} & {
  [Option in Options[number] as Option extends { required: true } ? never : Option["name"]]?: ValueOf<Option>;
};
