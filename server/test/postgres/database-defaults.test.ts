import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "#botyard/store/postgres/connection/connection.js";
import type { Store } from "#botyard/store/store.js";
import { engine, onDatabase, type StoreHome } from "../support/engines.js";
import { aPost, claim, makeAttachedBot, NOW, OWNER, recordOutcomes } from "../support/store-fixtures.js";

const POSTS = 200;
/** Database defaults that an administrator may have set and that would break the service's promises. */
const DEFAULTS = {
  default_transaction_isolation: "serializable",
  synchronous_commit: "off",
  array_nulls: "off",
  lock_timeout: "1ms",
  statement_timeout: "200ms",
  idle_in_transaction_session_timeout: "100ms",
  idle_session_timeout: "200ms",
  standard_conforming_strings: "off",
  DateStyle: "SQL, DMY",
  TimeZone: "Asia/Kathmandu",
};

describe("a database whose defaults are not the usual ones", () => {
  let home: StoreHome;
  let store: Store;

  beforeEach(async () => {
    home = await engine.createHome();
    const url = home.environment.DATABASE_URL ?? "";
    const name = new URL(url).pathname.slice(1);
    for (const [setting, value] of Object.entries(DEFAULTS)) {
      await onDatabase(
        url.replace(/[^/]+$/, "postgres"),
        `ALTER DATABASE ${name} SET ${setting} = '${value}'`,
      );
    }
    store = await home.open();
  });

  afterEach(async () => {
    await store.close();
    await home.remove();
  });

  it("refuses no concurrent posts into the same logs, nor outcomes at the same time", async () => {
    const bot = await makeAttachedBot(store);
    const other = await home.open();
    try {
      await store.putWebhook(bot.ref, { url: "https://example.com/", sealedSecret: null }, NOW);
      await claim(store, NOW);
      const posting = Array.from({ length: POSTS }, async (_, n) => {
        const from = n % 2 === 0 ? store : other;
        const author = n % 3 === 0 ? { botId: bot.botId } : { ownerUserId: OWNER };
        expect(await from.appendPosts([aPost(bot.channelId, `${n}`, author)])).toEqual([true]);
        const outcome = { updateId: 1, failureCount: 0, attemptedAt: NOW };
        await recordOutcomes(from, [{ destinationId: bot.botId, nextFreshId: 2, attempts: [outcome] }]);
      });
      await Promise.all(posting);
      expect((await store.readUpdates(bot.botId, 0, 1_000)).at(-1)?.updateId).toBe(POSTS);
    } finally {
      await other.close();
    }
  });

  it("stores posts on disk before they are answered", async () => {
    const database = openDatabase({
      url: home.environment.DATABASE_URL ?? "",
      poolSize: 1,
      onIdleError() {},
    });
    const [row] = await database.query({ name: "show", text: "SHOW synchronous_commit" });
    await database.close();
    expect(row).toEqual({ synchronous_commit: "on" });
  });
});
