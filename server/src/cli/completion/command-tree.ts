import type { Command, Option } from "commander";

/** A command as completion and documents need it, read from commander's tree. */
export interface CommandNode {
  /** From the program on: `botyard bot create`. */
  path: string;
  name: string;
  description: string;
  options: OptionNode[];
  /** Values that its arguments may have, as far as they are known. */
  argumentChoices: readonly string[];
  commands: CommandNode[];
}

export interface OptionNode {
  /** `--json`. */
  long: string;
  /** `-y`, if it has a short form. */
  short: string | undefined;
  description: string;
  /** What its value is; undefined when it takes none. */
  value: { choices: readonly string[]; isFile: boolean } | undefined;
}

/** The tree of a program, without its own `help` commands. */
export function commandTree(command: Command, parentPath = ""): CommandNode {
  const help = command.createHelp();
  const path = `${parentPath} ${command.name()}`.trim();
  return {
    path,
    name: command.name(),
    description: command.description(),
    options: help.visibleOptions(command).map(optionNode),
    argumentChoices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    commands: help
      .visibleCommands(command)
      .filter((child) => command.commands.includes(child))
      .map((child) => commandTree(child, path)),
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

function optionNode({ long, short, description, required, optional, argChoices, flags }: Option): OptionNode {
  return {
    long: long ?? short ?? "",
    short: long ? short : undefined,
    description,
    value:
      required || optional
        ? { choices: argChoices ?? [], isFile: /[<[](file|folder)[>\]]/.test(flags) }
        : undefined,
  };
}
