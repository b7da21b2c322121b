import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import type { Store } from "#botyard/store/store.js";
import { onDatabase, takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { makeAttachedBot, publish } from "../support/store-fixtures.js";

describe("hints between instances", () => {
  let database: { url: string; drop(): Promise<void> };
  let here: Store;
  let there: Store;
  let errors: Error[];

  const open = () =>
    openPostgresStore({
      url: database.url,
      poolSize: 2,
      onConnectionError: (error) => errors.push(error),
    });

  beforeEach(async () => {
    database = await takePostgresDatabase();
    errors = [];
    here = await open();
    there = await open();
  });

  afterEach(async () => {
    await here.close();
    await there.close();
    await database.drop();
  });

  it("report logs that grew and lanes that changed, each once", async () => {
    const { heard, ref, grow } = await listenToOneBot();
    await eventually("the first hint", async () => {
      await grow();
      return heard.appended.length > 0;
    });
    await here.setBotDisabled(ref, true, Date.now());
    await eventually("the change of the lane", () => heard.changed.length > 0);
    expect(heard.changed).toEqual([ref.botId]);
    expect(heard.appended).toEqual(heard.appended.toSorted((a, b) => a - b));
    expect(new Set(heard.appended).size).toBe(heard.appended.length);
  });

  it("arrive again after the listening connection was cut", async () => {
    const { heard, grow } = await listenToOneBot();
    for (let round = 1; round <= 3; round += 1) {
      await onDatabase(
        database.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
      );
      const before = heard.appended.length;
      await eventually("a hint", async () => {
        await grow();
        return heard.appended.length > before;
      });
    }
    expect(errors.length).toBeGreaterThan(0);
  });

  it.each(["", "hello", "null", "[]", '{"from":"x"}', '{"from":"x","bots":[7]}', '{"from":"x","bots":{}}'])(
    "take no harm from a stranger's %j on their channel",
    async (payload) => {
      const { heard, grow } = await listenToOneBot();
      await onDatabase(database.url, `SELECT pg_notify('botyard', '${payload}')`);
      await eventually("a hint", async () => {
        await grow();
        return heard.appended.length > 0;
      });
      expect(heard.changed).toEqual([]);
    },
  );

  /** A bot whose log grows `here`, and its hints `there`. */
  async function listenToOneBot() {
    const heard = { appended: [] as number[], changed: [] as string[] };
    const { ref, botId, channelId } = await makeAttachedBot(here);
    there.events.on("appended", (heads) => {
      for (const head of heads) if (head.botId === botId) heard.appended.push(head.lastUpdateId);
    });
    there.events.on("laneChanged", (changed) => heard.changed.push(changed));
    return { heard, ref, grow: () => publish(here, channelId, 1) };
  }
});
