import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { moveOwner } from "#botyard/store/postgres/move/move-owner.js";
import { OWNER_TABLES } from "#botyard/store/postgres/move/owner-tables.js";
import { type Filled, fillStore } from "../../support/filled-store.js";
import { aPost, makeAttachedBot, NOW, OWNER, publish } from "../../support/store-fixtures.js";
import {
  countTables,
  NO_GUESTS,
  openTwoCells,
  rowsOfOwner,
  type TestCell,
  type TwoCells,
} from "../../support/two-cells.js";
import { complete, countUsage, eraseRemains } from "../../support/upkeep.js";

const TABLES = OWNER_TABLES.map(({ name }) => name);

describe("an owner who moves to another cell", () => {
  let cells: TwoCells;
  let filled: Filled;
  let before: Record<string, string[]>;
  beforeAll(async () => {
    cells = await openTwoCells();
    const { one, two } = cells;
    filled = await fillStore(one.store);
    await one.client.query("UPDATE feed SET partitions = 0");
    await makeNative(two);
    await countUsage(one.store, NOW);
  });
  afterAll(() => cells.close());

  const move = (from: TestCell, to: TestCell) =>
    moveOwner({
      from: from.address,
      to: to.address,
      ownerUserId: OWNER,
      noteMove: async () => {},
      guests: NO_GUESTS,
    });

  it("has everything there that they had, and others have what they had", async () => {
    const { one, two } = cells;
    while (await eraseRemains(one.store, 1_000));
    before = await rowsOfOwner(one, OWNER);
    for (const table of TABLES) expect(before[table], table).not.toEqual([]);
    const bob = await rowsOfOwner(one, "bob");
    const native = await rowsOfOwner(two, "native");
    await move(one, two);
    await countUsage(one.store, Date.now());
    await countUsage(two.store, Date.now());
    expect(await rowsOfOwner(two, OWNER)).toEqual(before);
    expect(await rowsOfOwner(one, "bob")).toEqual(bob);
    expect(await rowsOfOwner(two, "native")).toEqual(native);
  });

  it("has left nothing where they were, once the upkeep has erased the rest", async () => {
    const { one } = cells;
    while (await eraseRemains(one.store, 1_000));
    for (const [table, rows] of Object.entries(await rowsOfOwner(one, OWNER)))
      expect(rows, table).toEqual([]);
    await countUsage(one.store, Date.now());
    expect(await one.store.readKeptBytes(OWNER)).toBe(0);
    const logs = "log_key NOT IN (SELECT bot_key FROM lanes)";
    const { rows } = await one.client.query(`SELECT count(*)::integer AS count FROM entries WHERE ${logs}`);
    expect(rows[0].count).toBe(0);
  });

  it("keeps as many bytes as before", async () => {
    const { two } = cells;
    const { rows } = await two.client.query(
      `SELECT sum(octet_length(e.payload) + coalesce(octet_length(p.payload), 0))::integer AS bytes
      FROM events e LEFT JOIN edited_posts p USING (event_key) JOIN channels c USING (channel_key) WHERE c.owner_user_id = $1`,
      [OWNER],
    );
    expect(await two.store.readKeptBytes(OWNER)).toBe(rows[0].bytes);
  });

  it("goes on with the numbers of their logs", async () => {
    const { two } = cells;
    const { polling } = filled;
    const head = await two.store.readLogHead(polling.ref.botId);
    await publish(two.store, polling.channelId, 1);
    expect(await two.store.readLogHead(polling.ref.botId)).toBe((head ?? 0) + 1);
  });

  it("comes back, and goes again", async () => {
    const { one, two } = cells;
    await countUsage(two.store, Date.now());
    const there = await rowsOfOwner(two, OWNER);
    await move(two, one);
    await countUsage(one.store, Date.now());
    expect(await rowsOfOwner(one, OWNER)).toEqual(there);
    await move(one, two);
    await countUsage(two.store, Date.now());
    expect(await rowsOfOwner(two, OWNER)).toEqual(there);
    while (await eraseRemains(one.store, 1_000));
    while (await eraseRemains(two.store, 1_000));
    await countUsage(one.store, Date.now());
    expect(await one.store.readKeptBytes(OWNER)).toBe(0);
    expect(await countTables(one, ["move_changes"]).catch(() => "no such table")).toBe("no such table");
  });
});

/** Somebody who lives there, so that keys have been given out and counted. */
async function makeNative({ store }: TestCell): Promise<void> {
  const { channelId } = await makeAttachedBot(store, "native");
  await store.appendPosts([aPost(channelId, "native", { ownerUserId: "native" })]);
  await countUsage(store, NOW);
  await complete(store, { kind: "count", now: NOW }, 100);
}
