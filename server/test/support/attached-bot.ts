import { afterEach, beforeEach } from "vitest";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import type { AttemptFailure, BotRef, Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "./engines.js";
import { makeAttachedBot, NOW, recordOutcomes } from "./store-fixtures.js";
import { runSql } from "./stored-rows.js";

/** A bot attached to a channel, and the store that both are in. */
interface AttachedBot {
  store: Store;
  ref: BotRef;
  botId: string;
  channelId: string;
}

/** A failed attempt with the time of the next one, or the last one. */
export const failUntil = (nextRetryAt?: number): AttemptFailure => ({
  error: "500 Internal Server Error",
  nextRetryAt,
  status: 500,
  responseBody: "oops",
});

/**
 * For each test of the block in which this is called: an attached bot on a store of its own, with the store's verbs of
 * delivery for it, as short as tests need them.
 *
 * @param use called with the bot before each test, and again after the store is reopened
 */
export function onAttachedBot(use: (bot: AttachedBot) => void) {
  let home: StoreHome;
  let current: AttachedBot;
  beforeEach(async () => {
    home = await engine.createHome();
    const store = await home.open();
    current = { store, ...(await makeAttachedBot(store)) };
    use(current);
  });
  afterEach(async () => {
    await current.store.close();
    await home.remove();
  });

  const readDue = async (now: number, afterUpdateId: number, limit: number) => {
    const { store, botId } = current;
    const [read] = await store.readDueUpdates([{ destinationId: botId, afterUpdateId, limit }], now);
    return read;
  };
  const generation = async () => (await readDue(0, 0, 1))?.generation ?? 0;

  return {
    /** Reopens the store, as after a restart of the process. */
    async reopen() {
      await current.store.close();
      current = { ...current, store: await home.open() };
      use(current);
    },
    generation,
    /** Runs a statement that both engines know. */
    run: (sql: string) => runSql(home, sql),
    /** See {@link StoreHome.refuse}. */
    refuse: (write: "INSERT" | "UPDATE" | "DELETE", table: string) => home.refuse(write, table),
    putWebhook(now = NOW) {
      const { store, ref } = current;
      return store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, now);
    },
    async release(now: number, health = FRESH_HEALTH) {
      const { store, botId } = current;
      return store.releaseLanes(
        "here",
        [{ destinationId: botId, health, generation: await generation() }],
        now,
      );
    },
    record(
      updateId: number,
      attemptedAt: number,
      failure?: AttemptFailure,
      failureCount = 0,
      durationMs = 0,
    ) {
      const { store, botId } = current;
      const attempts = [{ updateId, failureCount, attemptedAt, durationMs, failure }];
      return recordOutcomes(store, [{ destinationId: botId, nextFreshId: updateId + 1, attempts }]);
    },
    async due(now: number, afterUpdateId = 0, limit = 100) {
      return (await readDue(now, afterUpdateId, limit))?.updates.map(({ updateId }) => updateId);
    },
    stats() {
      const { store, ref } = current;
      return store.readStats(ref);
    },
  };
}
