import type { Command } from "commander";
import {
  type CommandNode,
  commandTree,
  type OptionNode,
  withDescendants,
} from "./completion/command-tree.js";
import { UsageError } from "./errors.js";

/**
 * Options belong to commands and come after them. For `botyard --json bot list`, commander would report an unknown
 * option `--json`.
 *
 * @throws UsageError that shows the right order, when an option comes before its command
 */
export function refuseEarlyOptions(program: Command, args: readonly string[]): void {
  let node = commandTree(program);
  for (const [index, arg] of args.entries()) {
    if (arg.startsWith("-")) return refuse(node, arg, args.slice(index + 1));
    const next = node.commands.find(({ name }) => name === arg);
    if (!next) return;
    node = next;
    if (node.commands.length === 0) return;
  }
}

function refuse(node: CommandNode, arg: string, rest: readonly string[]): void {
  const [spelling = arg] = arg.split("=");
  const isMeant = ({ long, short }: OptionNode) => long === spelling || short === spelling;
  const having = withDescendants(node).filter(
    ({ commands, options }) => commands.length === 0 && options.some(isMeant),
  );
  if (having.length === 0 || node.options.some(isMeant)) return;
  const wanted = commandIn(node, rest);
  const example = having.includes(wanted) ? wanted.path : `${wanted.path} <command>`;
  throw new UsageError(`${spelling} goes after the command, as in ${example} ${spelling}`);
}

/** The command that is named among these words, as far as it can be told. */
function commandIn(node: CommandNode, words: readonly string[]): CommandNode {
  return words.reduce((found, word) => found.commands.find(({ name }) => name === word) ?? found, node);
}
