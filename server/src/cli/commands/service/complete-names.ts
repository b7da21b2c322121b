import type { Command } from "commander";
import { isUsername } from "../../../domain/bots/bot.js";
import { looksLikeBotToken } from "../../../domain/bots/tokens.js";
import { createBotClient, createOwnerClient, credentialsOf } from "../../client.js";
import { commandTree } from "../../completion/command-tree.js";
import { namedByLast } from "../../completion/word-names.js";
import { write } from "../../output/print.js";

/** What has not answered by then is not waited for; names that were read before are printed. */
const PATIENCE_MS = 1_000;
/** More are no help on a terminal. */
const MOST_NAMES = 1_000;

/** `botyard complete-names`, which completion scripts run. It is not listed in the help, and says nothing when it fails. */
export function addCompleteNames(program: Command): void {
  program
    .command("complete-names", { hidden: true })
    .description("print the names that complete a command line; completion scripts run it")
    .argument("<words...>", "the command line up to the word that is completed")
    .addHelpText("after", "\nExample:\n  botyard complete-names -- bot show e")
    .action(async (words: string[]) => {
      const beginning = words.at(-1)?.toLowerCase() ?? "";
      const what = namedByLast(commandTree(program), words);
      const names: string[] = [];
      const add = async () => {
        for await (const name of namesOf(what)) {
          // Shells expand what they complete with: whatever a service answers, nothing else is passed on.
          if (isUsername(name) && name.toLowerCase().startsWith(beginning)) names.push(name);
          if (names.length === MOST_NAMES) return;
        }
      };
      await add().catch(() => {});
      if (names.length > 0) write(`${names.join("\n")}\n`);
    });
}

async function* namesOf(what: "bot" | "channel" | undefined): AsyncGenerator<string> {
  if (!what) return;
  const credentials = credentialsOf({});
  const isBot = looksLikeBotToken(credentials.token);
  if (what === "channel") {
    const client = await (isBot ? createBotClient(credentials) : createOwnerClient(credentials));
    for await (const { slug } of client.channels(inTime())) yield slug;
  } else if (!isBot) {
    const owner = await createOwnerClient(credentials);
    for await (const { username } of owner.bots(inTime())) yield username;
  }
}

/** Counted from here on, without the time in which the client was loaded. */
function inTime(): { signal: AbortSignal } {
  return { signal: AbortSignal.timeout(PATIENCE_MS) };
}
