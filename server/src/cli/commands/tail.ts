import type { Update } from "@botyard/sdk";
import type { Command } from "commander";
import { type FollowOptions, follow, followCommand } from "../follow.js";
import { printable } from "../print.js";

/** `botyard tail`: prints a bot's updates as they are recorded. */
export function addTail(program: Command): void {
  followCommand(program, "tail")
    .description("print a bot's updates as they are recorded; the next run continues after the last one")
    .addHelpText(
      "after",
      `
With --json, one update on each line.

Examples:
  BOTYARD_TOKEN=bot_… botyard tail
  BOTYARD_TOKEN=bot_… botyard tail --offset 0 --json | jq .payload.body`,
    )
    .action(tail);
}

async function tail(options: FollowOptions): Promise<void> {
  await follow("tail", options, (bot) => {
    bot.use(({ update }) => {
      process.stdout.write(`${options.json ? JSON.stringify(update) : lineOf(update)}\n`);
    });
  });
}

function lineOf({ update_id: id, event_type: event, created_at: at, payload }: Update): string {
  const { author_username: author, body } = payload as { author_username?: unknown; body?: unknown };
  const isPost = typeof author === "string" && typeof body === "string";
  const what = isPost ? `${author}: ${body}` : JSON.stringify(payload);
  return printable(`${at}  #${id}  ${event}  ${what}`);
}
