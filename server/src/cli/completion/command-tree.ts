import type { Command, Option } from "commander";

/** A command as completion and documents need it, read from commander's tree. */
export interface CommandNode {
  /** From the program on: `botyard bot create`. */
  path: string;
  name: string;
  description: string;
  /** Its own, and for a group those of the command that is meant without a name. */
  options: OptionNode[];
  /** Values that its arguments may have, as far as they are known. */
  argumentChoices: readonly string[];
  /** `bot`, `channel`, …, in their order. */
  argumentNames: readonly string[];
  /** Whether the last argument stands for all that follow. */
  isVariadic: boolean;
  commands: CommandNode[];
}

export interface OptionNode {
  /** `--json`. */
  long: string;
  /** `-y`, if it has a short form. */
  short: string | undefined;
  description: string;
  /** What its value is; undefined when it takes none. */
  value: { name: string; choices: readonly string[]; isFile: boolean } | undefined;
}

/** The commands that are meant when only their group is named. */
const MEANT_BY_DEFAULT = new Set(["botyard post create"]);

/** The tree of a program, without its own `help` commands. */
export function commandTree(command: Command, parentPath = ""): CommandNode {
  const help = command.createHelp();
  const path = `${parentPath} ${command.name()}`.trim();
  const commands = help
    .visibleCommands(command)
    .filter((child) => command.commands.includes(child))
    .map((child) => commandTree(child, path));
  const own = help.visibleOptions(command).map(optionNode);
  const meant = commands.find((child) => MEANT_BY_DEFAULT.has(child.path));
  const ofMeant = meant?.options.filter(({ long }) => !own.some((option) => option.long === long)) ?? [];
  return {
    path,
    name: command.name(),
    description: command.description(),
    options: [...own, ...ofMeant],
    argumentChoices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    argumentNames: command.registeredArguments.map((argument) => argument.name()),
    isVariadic: command.registeredArguments.at(-1)?.variadic ?? false,
    commands,
  };
}

/** A command with all below it, parents first. */
export function withDescendants(node: CommandNode): CommandNode[] {
  return [node, ...node.commands.flatMap(withDescendants)];
}

/** Every option that takes a value, by its spellings. */
export function valueOptions(root: CommandNode): string[] {
  const taking = withDescendants(root).flatMap(({ options }) => options.filter(({ value }) => value));
  return [...new Set(taking.flatMap(({ long, short }) => (short ? [short, long] : [long])))];
}

/** Whether an argument or a value of this name is a bot or a channel, whose names the service knows. */
export function isNamed(name: string): boolean {
  return /^(bots?|channel)$/.test(name);
}

function optionNode({ long, short, description, required, optional, argChoices, flags }: Option): OptionNode {
  const [, name = ""] = /[<[](.+)[>\]]/.exec(flags) ?? [];
  return {
    long: long ?? short ?? "",
    short: long ? short : undefined,
    description,
    value:
      required || optional
        ? { name, choices: argChoices ?? [], isFile: /^(file|folder)$/.test(name) }
        : undefined,
  };
}
