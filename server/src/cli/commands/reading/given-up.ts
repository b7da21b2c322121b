import { type Command, Option } from "commander";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../../client.js";
import { findBot } from "../../input/find.js";
import { integerOf } from "../../input/values.js";
import { printRecord, printResult } from "../../output/print.js";
import { givenUpRow } from "./given-up-row.js";

/** `botyard updates given-up`: what a bot that polls failed to handle, and having it handled again. */
export function addGivenUp(updates: Command): void {
  clientCommand(updates, "given-up <bot>")
    .description(
      "list the updates that a bot's program failed to handle and tries no more; or have it handle them again",
    )
    .option(
      "--hand-in <number>",
      "have this update handled again; may be given several times",
      (text: string, others: string[] | undefined) => [...(others ?? []), text],
    )
    .addOption(new Option("--hand-in-all", "have all of them handled again").conflicts("handIn"))
    .addHelpText(
      "after",
      `
For a bot that polls: botyard webhook errors lists what a webhook refused. Mend the bot first, then hand in: a program of the SDK takes the updates within
10 seconds, and what it handles leaves the list. What fails again is given up again.

Examples:
  botyard updates given-up echo
  botyard updates given-up echo --hand-in 42
  botyard updates given-up echo --hand-in-all`,
    )
    .action(givenUp);
}

interface GivenUpOptions extends ClientCommandOptions {
  handIn?: string[];
  handInAll?: boolean;
}

async function givenUp(name: string, options: GivenUpOptions): Promise<void> {
  const { handIn, handInAll } = options;
  const updateIds = handIn && [...new Set(handIn.map((text) => integerOf("--hand-in", text, 1)))];
  const owner = await ownerOf(options);
  const { id, username } = await findBot(owner, name);
  if (updateIds || handInAll) {
    const result = await owner.handInGivenUp(id, updateIds ? { update_ids: updateIds } : { all: true });
    printRecord(result, options.json, { bot: username, "handed in": result.handed_in });
    return;
  }
  const answer = await owner.listGivenUp(id);
  printResult(answer, options.json, answer.items.map(givenUpRow));
}
