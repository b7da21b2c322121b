import type { Command } from "commander";
import { type FollowOptions, follow, followCommand } from "../../following/follow.js";
import { updateLine } from "../../following/update-line.js";
import { writeThrough } from "../../output/print.js";

/** `botyard tail`: prints a bot's updates as they are recorded. */
export function addTail(program: Command): void {
  followCommand(program, "tail")
    .description("print a bot's updates as they are recorded; the next run continues after the last one")
    .addHelpText(
      "after",
      `
The first run begins with the oldest update. A second one beside it reads along and keeps no position. With --json, one update on each line.

Examples:
  BOTYARD_TOKEN=bot_… botyard tail
  BOTYARD_TOKEN=bot_… botyard tail --from start --json | jq .payload.body`,
    )
    .action(tail);
}

async function tail(options: FollowOptions): Promise<void> {
  await follow(options, {
    command: "tail",
    firstStart: 0,
    isAlone: false,
    concurrency: 1,
    prepare(bot) {
      bot.use(({ update }) =>
        writeThrough(`${options.json ? JSON.stringify(update) : updateLine(update)}\n`),
      );
      return {};
    },
  });
}
