import { Command, CommanderError } from "commander";
import { ConfigError } from "../config/config-error.js";
import { VERSION } from "../process/version.js";
import { addAfterRestore } from "./commands/after-restore.js";
import { addBot } from "./commands/bot.js";
import { addChannel } from "./commands/channel.js";
import { addConsole } from "./commands/console.js";
import { addCopy } from "./commands/copy.js";
import { addListen } from "./commands/listen.js";
import { addOwnerToken } from "./commands/owner-token.js";
import { addPost } from "./commands/post.js";
import { addRekey } from "./commands/rekey.js";
import { addServe } from "./commands/serve.js";
import { addTail } from "./commands/tail.js";
import { EXIT_CODES, exitCodeOf } from "./errors.js";
import { say } from "./print.js";

/** The command line, with all commands. It runs when this module is imported. */
export const program = new Command("botyard")
  .description("Botyard: a self-hosted bot platform service")
  .version(VERSION)
  .exitOverride()
  .showHelpAfterError("(add --help for all commands and options)")
  .addHelpText(
    "after",
    `
Getting started, with the service running (botyard serve, or npm start):
  export BOTYARD_TOKEN=$(botyard owner-token --user alice)
  botyard channel create --slug news --title News
  botyard bot create --username echo
  botyard bot attach echo news
  botyard post --channel news --body "Hello"

Environment: BOTYARD_URL (http://127.0.0.1:8080) and BOTYARD_TOKEN say where the service is and who you are.
Results go to stdout (--json for programs), messages to stderr.
Exit codes: 0 done, 1 the service refused or something failed, 2 wrong usage, 3 the service (or the
database of copy, rekey and after-restore) cannot be reached.`,
  );

addServe(program);
addOwnerToken(program);
addConsole(program);
addChannel(program);
addBot(program);
addPost(program);
addListen(program);
addTail(program);
addCopy(program);
addRekey(program);
addAfterRestore(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Commander has already printed its own errors; every other error is printed as one line. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
  say(`botyard: ${(error as Error).message}`);
  return error instanceof ConfigError ? EXIT_CODES.usage : exitCodeOf(error);
}
