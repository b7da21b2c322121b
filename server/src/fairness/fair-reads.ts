import type { Store } from "../store/store.js";
import { CHANGE_US, costOfBytes, SMALL_REQUEST_US } from "./cost.js";
import { inTurn, type OwnerTurns } from "./owner-turns.js";

/** Bots whose owner is remembered, at about 200 bytes each. */
const MAX_BOTS = 50_000;

/**
 * The store, whose reads for polls and streams, and new consumers of these, wait for their owner's turn. Their requests do not, since most of their time
 * they only wait: a thousand polls of one owner may find something to read at the same moment.
 */
export function shareReads(store: Store, turns: OwnerTurns): Store {
  /** By bot: learnt when a bot authenticates itself, or its owner looks it up, before either reads. */
  const owners = new Map<string, string>();
  const remember = (bot: { id: string; ownerUserId: string } | undefined): void => {
    if (!bot || owners.has(bot.id)) return;
    if (owners.size >= MAX_BOTS) owners.clear();
    owners.set(bot.id, bot.ownerUserId);
  };

  const readInTurn = <Page>(
    botId: string,
    read: () => Promise<Page>,
    updatesOf: (page: Page) => readonly { payload: string }[],
  ): Promise<Page> => {
    const owner = owners.get(botId) ?? botId;
    return inTurn(turns, { owner, caller: botId, costUs: SMALL_REQUEST_US }, async () => {
      const page = await read();
      let bytes = 0;
      for (const { payload } of updatesOf(page)) bytes += payload.length;
      if (bytes > 0) turns.charge(owner, costOfBytes(bytes));
      return page;
    });
  };

  return {
    ...store,
    async authenticateBot(tokenHash) {
      const bot = await store.authenticateBot(tokenHash);
      remember(bot);
      return bot;
    },
    async findBot(ref) {
      const bot = await store.findBot(ref);
      remember(bot);
      return bot;
    },
    readUpdates: (botId, ...rest) =>
      readInTurn(
        botId,
        () => store.readUpdates(botId, ...rest),
        (updates) => updates,
      ),
    openConsumer: (log, ...rest) => {
      const open = () => store.openConsumer(log, ...rest);
      const owner = owners.get(log);
      // The feed is no owner's, and is asked for by requests that have a turn already.
      return owner === undefined ? open() : inTurn(turns, { owner, caller: log, costUs: CHANGE_US }, open);
    },
    readConsumed: (botId, ...rest) =>
      readInTurn(
        botId,
        () => store.readConsumed(botId, ...rest),
        (read) => read?.updates ?? [],
      ),
  };
}
