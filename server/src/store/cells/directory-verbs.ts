import type { BotIdentity } from "../../domain/bots/bot.js";
import type { Store } from "../store.js";
import type { StoreVerbs, Verb } from "../verbs.js";
import type { Cell, Cells } from "./cell.js";
import type { Directory, DirectoryBot } from "./directory.js";
import { guestOwnerOf } from "./guests/guests.js";
import { type Locations, remember } from "./locations.js";
import { leftCells } from "./moves/moved-erasure.js";
import type { RoutingKey } from "./routes.js";

interface DirectoryVerbsOptions {
  directory: Directory;
  locations: Locations;
  cells: Cells;
  runAt(key: RoutingKey, verb: Verb, parameters: unknown[]): Promise<unknown>;
}

/** A username whose bot is not there after this time was left by a crash. */
const RESERVED_MS = 15_000;

/**
 * Verbs that the directory hears of: it knows a bot before its cell does, and forgets it after, so that what a crash leaves is a name or a
 * token too many, which leads nowhere.
 */
export function directoryVerbs(
  verbs: StoreVerbs,
  { directory, locations, cells, runAt }: DirectoryVerbsOptions,
): Pick<
  Store,
  | "createBot"
  | "deleteBot"
  | "replaceBotToken"
  | "authenticateBot"
  | "recallBot"
  | "readSuspension"
  | "eraseNames"
  | "findHolders"
> {
  /** By the hash of a token, whose it is. */
  const tokens = remember<DirectoryBot>();

  const findBotOfToken = async (tokenHash: string): Promise<DirectoryBot | undefined> => {
    const known = tokens.get(tokenHash);
    if (known) return known;
    const bot = (await directory.findToken(tokenHash)) ?? (await findInOnly(tokenHash));
    if (!bot) return undefined;
    tokens.set(tokenHash, bot);
    locations.learn(bot.botId, bot.ownerUserId);
    return bot;
  };

  /** Instances that know of no cells yet may go on making bots while there is only one. */
  const findInOnly = async (tokenHash: string): Promise<DirectoryBot | undefined> => {
    const [only, second] = cells();
    if (!only || second) return undefined;
    const bot = await only.store.authenticateBot(tokenHash);
    return bot && { botId: bot.id, ownerUserId: bot.ownerUserId };
  };

  /** Takes the username; one that a crash left is given back first. */
  const reserve: Directory["reserveBot"] = async (bot, now) => {
    const holder = await directory.reserveBot(bot, now);
    if (!holder || now - holder.madeAt < RESERVED_MS) return holder;
    if (await verbs.findBot(holder)) return holder;
    await directory.forgetBot(holder.botId);
    return await directory.reserveBot(bot, now);
  };

  return {
    async createBot(bot, maxBots) {
      const { id: botId, ownerUserId, username, tokenHash } = bot;
      const holder = await reserve({ botId, ownerUserId, username, tokenHash }, Date.now());
      if (holder) return undefined;
      const made = await verbs.createBot(bot, maxBots);
      if (!made || made === "too many") await directory.forgetBot(botId);
      else locations.learn(botId, ownerUserId);
      return made;
    },
    async deleteBot(ref, toldAs) {
      const isDeleted = await verbs.deleteBot(ref, toldAs);
      if (isDeleted) await directory.forgetBot(ref.botId);
      return isDeleted;
    },
    async replaceBotToken(ref, tokenHash) {
      // A bot of another owner gets no token that leads to it.
      if (!(await verbs.findBot(ref))) return false;
      await directory.addToken(ref.botId, tokenHash);
      const isReplaced = await verbs.replaceBotToken(ref, tokenHash);
      if (isReplaced) await directory.keepToken(ref.botId, tokenHash);
      return isReplaced;
    },
    async authenticateBot(tokenHash) {
      const bot = await findBotOfToken(tokenHash);
      return (
        bot &&
        ((await runAt({ owner: bot.ownerUserId }, "authenticateBot", [tokenHash])) as BotIdentity | undefined)
      );
    },
    recallBot(tokenHash) {
      const bot = tokens.get(tokenHash);
      return bot && locations.cellOf(bot.ownerUserId)?.store.recallBot(tokenHash);
    },
    async readSuspension(tokenHash) {
      const bot = await findBotOfToken(tokenHash);
      return (
        bot &&
        ((await runAt({ owner: bot.ownerUserId }, "readSuspension", [tokenHash])) as string | undefined)
      );
    },
    async eraseNames(ownerUserId, limit, by) {
      if (await verbs.eraseNames(ownerUserId, limit, by)) return true;
      // Where the owner lived before, the feed may have what names them still.
      const home = await locations.findCellOf(ownerUserId);
      // Throws when one of those is not served here: names would stay in it.
      leftCells(ownerUserId, cells, directory);
      const others = cells().filter((cell) => cell !== home);
      const areMore = await Promise.all([
        ...others.map(({ store }) => store.eraseNames(ownerUserId, limit)),
        // Bots of other cells were told who has deleted the channels that they were in.
        ...cells().map(({ store }) => store.eraseNames(guestOwnerOf(ownerUserId), limit)),
      ]);
      return areMore.includes(true);
    },
    async findHolders(ids, near) {
      const found = new Map<string, string>();
      /** Those of which only the cell of their owner is asked. Calls beside this one learn of others meanwhile. */
      const located = new Set<string>();
      const ask = async (cell: Cell, asked: readonly string[]): Promise<void> => {
        if (asked.length === 0) return;
        for (const [id, owner] of await cell.store.findHolders(asked)) {
          locations.learn(id, owner);
          found.set(id, owner);
        }
      };
      const byCell = new Map<Cell, string[]>();
      for (const id of new Set(ids)) {
        const known = locations.ownerOf({ id });
        if (known !== undefined) located.add(id);
        const owner = known ?? near;
        const cell = owner === undefined ? undefined : await locations.findCellOf(owner);
        if (cell) byCell.set(cell, [...(byCell.get(cell) ?? []), id]);
      }
      await Promise.all([...byCell].map(([cell, asked]) => ask(cell, asked)));
      const isUnknown = (id: string): boolean => !found.has(id) && !located.has(id);
      const unknown = [...new Set(ids)].filter(isUnknown);
      await Promise.all(cells().map((cell) => ask(cell, unknown)));
      if (unknown.some(isUnknown)) locations.refuseUnlessOpen();
      return found;
    },
  };
}
