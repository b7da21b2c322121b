import { type CommandNode, isNamed, withDescendants } from "./command-tree.js";

/**
 * What the last of these words is the name of; undefined when it is none of a bot or a channel.
 *
 * @param words what follows the program's name, up to the word that is completed; bash gives `=` as a word of its own
 */
export function namedByLast(root: CommandNode, words: readonly string[]): "bot" | "channel" | undefined {
  const options = withDescendants(root).flatMap((node) => node.options);
  let node = root;
  let position = 0;
  let expected: string | undefined;
  for (const word of words.slice(0, -1).filter((one) => one !== "=")) {
    if (expected !== undefined) {
      expected = undefined;
      continue;
    }
    const child = node.commands.find(({ name }) => name === word);
    if (word.startsWith("-"))
      expected = options.find(({ long, short }) => word === long || word === short)?.value?.name;
    else if (child) [node, position] = [child, 0];
    else position += 1;
  }
  expected ??=
    node.argumentNames[Math.min(position, node.isVariadic ? node.argumentNames.length - 1 : position)];
  if (expected === undefined || !isNamed(expected)) return undefined;
  return expected === "channel" ? "channel" : "bot";
}
