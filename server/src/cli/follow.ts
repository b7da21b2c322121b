import { homedir } from "node:os";
import { join } from "node:path";
import type { Bot, Position, PositionStore } from "@botyard/sdk";
import type { Command } from "commander";
import { looksLikeBotToken } from "../domain/tokens.js";
import { type ClientCommandOptions, checked, clientCommand, credentialsOf } from "./client.js";
import { UsageError } from "./errors.js";
import { say } from "./print.js";

export interface FollowOptions extends ClientCommandOptions {
  offset?: string;
}

/** Adds a sub-command that reads a bot's log and remembers its position. */
export function followCommand(parent: Command, nameAndArguments: string): Command {
  return clientCommand(parent, nameAndArguments).option(
    "--offset <number>",
    "begin after this update (0: with the oldest one kept) instead of where the last run ended",
  );
}

/**
 * Polls until Ctrl-C or SIGTERM, or until stdout is closed. The position in the log is kept in the user's home directory,
 * for each bot and command.
 *
 * @param prepare adds the handlers of updates
 * @throws UsageError, or an error of the SDK
 */
export async function follow(
  command: string,
  options: FollowOptions,
  prepare: (bot: Bot) => void,
): Promise<void> {
  const { url, token } = credentialsOf(options);
  if (!looksLikeBotToken(token)) {
    throw new UsageError(`botyard ${command} needs the token of a bot (bot_…): botyard bot create shows it`);
  }
  const offset = offsetOf(options.offset);
  // Loaded here, because the commands that don't need the SDK start faster without it.
  const [{ Bot }, { fileStore }] = await Promise.all([import("@botyard/sdk"), import("@botyard/sdk/node")]);
  const bot = checked(() => new Bot(token, { url, ownPosts: true }));
  prepare(bot);

  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  process.stdout.on("error", stop);
  try {
    const { id, username } = await bot.me({ signal: stopping.signal });
    const file = join(homedir(), ".botyard", "positions", `${command}-${id}.json`);
    const store = startingAt(fileStore(file), id, offset);
    const { offset: start = 0 } = (await store.load()) ?? {};
    say(
      `${username}: ${start > 0 ? `going on after update ${start}` : "beginning with the oldest update"} (Ctrl-C ends)`,
    );
    await bot.start({
      store,
      signal: stopping.signal,
      onPollFailure: ({ error, waitMs }) =>
        say(`botyard: ${(error as Error).message} (next try in ${Math.ceil(waitMs / 1000)} s)`),
    });
  } catch (error) {
    if (stopping.signal.aborted) return;
    throw error;
  }
}

function offsetOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new UsageError("--offset must be the number of an update, or 0");
  return Number(text);
}

function startingAt(store: PositionStore, botId: string, offset: number | undefined): PositionStore {
  if (offset === undefined) return store;
  const position: Position = { bot_id: botId, offset, handled: [] };
  return { load: () => Promise.resolve(position), save: (position) => store.save(position) };
}
