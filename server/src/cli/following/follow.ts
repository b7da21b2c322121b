import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Bot, Position, PositionStore } from "@botyard/sdk";
import type { Command } from "commander";
import { looksLikeBotToken } from "../../domain/bots/tokens.js";
import { makeFolder } from "../../files/make-folder.js";
import { type ClientCommandOptions, checked, clientCommand, credentialsOf } from "../client.js";
import { UsageError } from "../errors.js";
import { startOf } from "../input/values.js";
import { say } from "../output/print.js";
import { type Lock, takeLock } from "./lock.js";
import { sayFailure, untilStopped } from "./until-stopped.js";

export interface FollowOptions extends ClientCommandOptions {
  from?: string;
}

/** The content of a position file. */
export interface SavedPosition extends Position {
  /** The secret with which `listen` signs. */
  secret_token?: string;
}

/** How a command follows a log. */
export interface Followed {
  /** Names the position file. */
  command: "tail" | "listen";
  /** Where the first run begins. */
  firstStart: number | "now";
  /** Whether a second run beside the first is refused; otherwise it follows without saving a position. */
  isAlone: boolean;
  /** Channels whose updates are handled at once; 1 for the order of the log. */
  concurrency: number;
  /** Adds the handlers of updates; what it returns is kept in the position file. */
  prepare(bot: Bot, saved: SavedPosition | undefined, file: string): Partial<SavedPosition>;
}

/** Adds a sub-command that reads a bot's log and remembers its position. */
export function followCommand(parent: Command, nameAndArguments: string): Command {
  return clientCommand(parent, nameAndArguments).option(
    "--from <where>",
    "begin with the oldest update kept (start), the next one (now) or the one of this number, instead of where the last run ended",
  );
}

/**
 * Polls until Ctrl-C or SIGTERM, or until nobody reads stdout. The position in the log is kept in a file in the user's home
 * directory, one for each bot and command.
 *
 * @throws UsageError, or an error of the SDK
 */
export async function follow(options: FollowOptions, followed: Followed): Promise<void> {
  const { command, firstStart, isAlone, concurrency, prepare } = followed;
  const { url, token } = credentialsOf(options);
  if (!looksLikeBotToken(token)) {
    throw new UsageError(`botyard ${command} needs the token of a bot (bot_…): botyard bot create shows it`);
  }
  const from = options.from === undefined ? undefined : startOf(options.from);
  // Loaded here, because the commands that don't need the SDK start faster without it.
  const [{ Bot }, { fileStore }] = await Promise.all([import("@botyard/sdk"), import("@botyard/sdk/node")]);
  const bot = checked(() => new Bot(token, { url, ownPosts: true }));
  // An update that cannot be printed ends the command; `listen` replaces this for updates that cannot be forwarded.
  bot.catch((error) => {
    throw error;
  });

  await untilStopped(async (signal) => {
    const { id, username } = await bot.me({ signal });
    const path = positionFile(command, id);
    const lock = lockOf(path);
    if (lock.heldBy !== undefined) {
      const running = `botyard ${command} of ${username} is running already, as process ${lock.heldBy}`;
      if (isAlone)
        throw new Error(`${running}: end that one first (or delete ${path}.lock, if it is not one)`);
      say(`${running}; this one reads along and keeps no position`);
    }
    try {
      const file = fileStore(path, { mode: 0o600 });
      const saved: SavedPosition | undefined = await file.load();
      refuseOther(saved, id, path);
      const start = from ?? firstStart;
      const position = saved && from === undefined ? saved : await positionAt(bot, id, start, signal);
      const kept = prepare(bot, saved, path);
      const store = storeOf(lock.heldBy === undefined ? file : undefined, position, kept);
      // Saved before the first update, so that the next run begins here and with the same secret.
      await store.save(position);
      say(`${username}: ${described(position, saved)} (Ctrl-C ends)`);
      await bot.start({
        store,
        signal,
        signals: false,
        attempts: Number.POSITIVE_INFINITY,
        concurrency,
        onStart() {},
        onPollFailure: sayFailure,
      });
    } finally {
      if (lock.heldBy === undefined) lock.release();
    }
  });
}

/** @throws Error with one clear line when there can be no position file */
function lockOf(path: string): Lock {
  try {
    makeFolder(dirname(path), 0o700);
    return takeLock(`${path}.lock`);
  } catch (error) {
    throw new Error(
      `the position file ${path} cannot be used: ${(error as Error).message}. Set HOME to a folder that this user can write to`,
      { cause: error },
    );
  }
}

function refuseOther(saved: Position | undefined, botId: string, path: string): void {
  if (saved && saved.bot_id !== botId)
    throw new Error(
      `${path} has the position of another bot, ${saved.bot_id}: move it away, or delete it to start over`,
    );
}

/** Where the position of a bot is kept. */
function positionFile(command: string, botId: string): string {
  return join(homedir(), ".botyard", "positions", `${command}-${botId}.json`);
}

async function positionAt(
  bot: Bot,
  botId: string,
  start: number | "now",
  signal: AbortSignal,
): Promise<Position> {
  const offset = start === "now" ? await headOf(bot, signal) : start;
  return { bot_id: botId, offset, handled: [] };
}

/** The last number of the log: the service says it to a poll that asks beyond the end. */
async function headOf(bot: Bot, signal: AbortSignal): Promise<number> {
  const { logHead = 0 } = await bot.api.pollUpdates({ offset: Number.MAX_SAFE_INTEGER, signal });
  return logHead;
}

function described(position: Position, saved: Position | undefined): string {
  if (position.offset === 0) return "beginning with the oldest update";
  return `${position === saved ? "going on" : "beginning"} after update ${position.offset}`;
}

/** @param file undefined keeps nothing */
function storeOf(
  file: PositionStore | undefined,
  position: Position,
  kept: Partial<SavedPosition>,
): PositionStore {
  return {
    load: () => Promise.resolve(position),
    save: async (next) => await file?.save({ ...next, ...kept }),
  };
}
