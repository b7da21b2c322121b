import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { skipUpdateIds } from "#botyard/operations/logs/skip-update-ids.js";
import { createAskCells, withUnopened } from "#botyard/store/cells/ask-cells.js";
import { spanningLists } from "#botyard/store/cells/spanning/spanning-lists.js";
import { type SpanningVerbs, spanningVerbs } from "#botyard/store/cells/spanning/spanning-verbs.js";
import type { BotRef, ChannelRef, Store } from "#botyard/store/store.js";
import { openCells, type TestCell, type TestCells } from "../support/cells-world.js";
import {
  aDirectChannel,
  aNotice,
  makeAttachedBot,
  makeBot,
  NOW,
  publish,
} from "../support/store-fixtures.js";
import { eraseUsers } from "../support/upkeep.js";

const UNKNOWN = "01890000-0000-7000-8000-000000000000";

let opened: TestCells;
let cells: TestCell[];
let verbs: SpanningVerbs;
/** In each cell a bot with a log of as many updates as the cell's index says. */
let bots: Awaited<ReturnType<typeof makeAttachedBot>>[];

beforeAll(async () => {
  opened = await openCells(3);
  ({ cells } = opened);
  bots = await Promise.all(cells.map(({ real }) => makeAttachedBot(real)));
  for (const [index, { channelId }] of bots.entries())
    await publish((cells[index] as TestCell).real, channelId, index + 1);
  const cellOfChannel = async (channelId: string) =>
    cells[bots.findIndex((bot) => bot.channelId === channelId)];
  verbs = spanningVerbs(() => cells, createAskCells(), cellOfChannel);
});
beforeEach(() => {
  for (const cell of cells) cell.outage = "none";
});
afterAll(() => opened.close());

const failed = (index: number): void => {
  (cells[index] as TestCell).outage = "refuses";
};

describe("a verb that does not name a cell", () => {
  it("finds what is in any cell, and does not take it for missing while one is unavailable", async () => {
    const { ref, botId } = bots[1] as { ref: BotRef; botId: string };
    expect(await verbs.findProfile(ref.ownerUserId, "off", botId)).toMatchObject({ id: botId });
    expect(await verbs.findProfile("a stranger", "off", botId)).toBeUndefined();
    expect(await verbs.findHolders([botId, UNKNOWN])).toEqual(new Map([[botId, ref.ownerUserId]]));
    const review = { status: "approved", note: "", reviewedAt: NOW } as const;
    expect(await verbs.reviewBot(botId, review)).toMatchObject({ id: botId });
    expect(await verbs.reviewBot(UNKNOWN, review)).toBeUndefined();
    failed(0);
    expect(await verbs.findProfile(ref.ownerUserId, "off", botId)).toMatchObject({ id: botId });
    expect(await verbs.findHolders([botId])).toEqual(new Map([[botId, ref.ownerUserId]]));
    await expect(verbs.findHolders([botId, UNKNOWN])).rejects.toThrow("cell-0");
    await expect(verbs.reviewBot(UNKNOWN, review)).rejects.toThrow("cell-0");
    await expect(verbs.findProfile("a stranger", "off", botId)).rejects.toThrow("cell-0");
  });

  it("takes a cell that this process could not open yet for one that is unavailable", async () => {
    const third = cells[2] as TestCell;
    const unopened = [third];
    const opened = () => cells.filter((cell) => !unopened.includes(cell));
    const ask = withUnopened(createAskCells(), () => unopened);
    const some = spanningVerbs(opened, ask, async () => undefined);
    await expect(some.findProfile("a stranger", "off", UNKNOWN)).rejects.toThrow("cell-2");
    await expect(spanningLists(opened, ask).listOwners(10)).rejects.toThrow("cell-2");
    // Nothing of the user is in the others.
    for (let asked = 0; asked < 3; asked += 1) {
      expect(await some.eraseUser("a user")).toBe(false);
      for (const { real } of opened()) await eraseUsers(real);
    }
    unopened.pop();
    expect(await spanningLists(opened, ask).listOwners(10)).toEqual([]);
  });

  it("counts the listeners of each channel in its cell", async () => {
    const channelIds = bots.map(({ channelId }) => channelId);
    const counted = await verbs.countListeners([...channelIds, UNKNOWN]);
    expect(counted).toEqual(new Map(channelIds.map((id) => [id, { posts: 1, all: 1 }])));
    failed(2);
    expect([...(await verbs.countListeners(channelIds)).keys()].toSorted()).toEqual(
      channelIds.slice(0, 2).toSorted(),
    );
  });

  it("walks over the lanes of all cells, those of the feed too", async () => {
    await (cells[0] as TestCell).real.switchFeed(true);
    const { real } = cells[1] as TestCell;
    const { ref, botId } = bots[1] as { ref: BotRef; botId: string };
    await real.putWebhook(ref, { url: "https://example.com", sealedSecret: null }, NOW);
    const survey = async (): Promise<number[]> => {
      const waiting: number[] = [];
      for (let from: number | undefined = 0; from !== undefined; ) {
        const found: Awaited<ReturnType<Store["surveyLanes"]>> = await verbs.surveyLanes(from, 1, NOW);
        waiting.push(found.waitingUpdates);
        from = found.next;
      }
      return waiting;
    };
    // Each step has a lane, or is the end of a cell: a bot and the feed; a bot; a bot.
    expect((await survey()).filter((count) => count > 0)).toEqual([2]);
    expect((await survey()).length).toBeGreaterThanOrEqual(4);
    const heads = () => Promise.all(cells.map(({ real: own }, n) => own.readLogHead(bots[n]?.botId ?? "")));
    expect(await heads()).toEqual([1, 2, 3]);
    expect(await skipUpdateIds({ skipUpdateIds: verbs.skipUpdateIds } as Store, 10, () => {})).toBe(4);
    expect(await heads()).toEqual([11, 12, 13]);
    failed(0);
    expect((await survey()).filter((count) => count > 0)).toEqual([2]);
    await expect(verbs.skipUpdateIds(0, 1, 1)).rejects.toThrow("gone");
    await real.deleteWebhook({ ...ref, botId }, NOW);
  });

  it("knows keys and switches by any cell that answers", async () => {
    expect(await verbs.hasKeyFile("a.key")).toBe(false);
    failed(0);
    await verbs.noteKeyFile("a.key");
    failed(1);
    expect(await verbs.hasKeyFile("a.key")).toBe(true);
    await expect(verbs.switchDeliveries(false)).rejects.toThrow("unavailable cells: cell-0, cell-1");
    expect(await verbs.areDeliveriesOff()).toBe(true);
    failed(2);
    await expect(verbs.areDeliveriesOff()).rejects.toThrow("cell-0, cell-1, cell-2");
    for (const cell of cells) cell.outage = "none";
    await verbs.switchDeliveries(true);
    expect(await verbs.areDeliveriesOff()).toBe(false);
  });

  it("finds the next of the keys that any cell uses", async () => {
    for (const [index, id] of ["k2", "k1", "k3"].entries()) {
      const { ref } = bots[index] as { ref: BotRef };
      const edit = { url: "https://example.com", sealedSecret: `v1.${id}.AAAA` };
      await (cells[index] as TestCell).real.putWebhook(ref, edit, NOW);
    }
    const found: string[] = [];
    for (let next: string | undefined = ""; next !== undefined; ) {
      next = await verbs.nextSealingKey(next);
      if (next !== undefined) found.push(next);
    }
    const own = await Promise.all(cells.map(({ real }) => real.nextSealingKey("")));
    expect(found).toEqual([own[1], own[0], own[2]]);
    expect(new Set(found).size).toBe(3);
  });

  it("says that it can be written to while any cell can, and which cannot", async () => {
    await verbs.ping();
    expect(await verbs.findUnavailable()).toEqual([]);
    failed(1);
    await verbs.ping();
    expect(await verbs.findUnavailable()).toEqual(["cell-1"]);
    for (const n of [0, 2]) failed(n);
    await expect(verbs.ping()).rejects.toThrow("unavailable cells: cell-0, cell-1, cell-2");
  });
});

describe("erasing a user from several cells", () => {
  const makeDirect = async (index: number, userId: string): Promise<ChannelRef> => {
    const { real } = cells[index] as TestCell;
    const channel = aDirectChannel(await makeBot(real, `owner-${index}`), userId);
    await real.createDirectChannel(channel, aNotice("bot.attached"), { perOwner: 10 });
    return { channelId: channel.id, ownerUserId: channel.ownerUserId };
  };

  it("has ended when it has in each, which one instance remembers of those that have", async () => {
    const real = cells.map((cell) => cell.real);
    expect(await verbs.eraseUser("u1")).toBe(false);
    await eraseUsers(real[0] as Store);
    expect(await verbs.eraseUser("u1")).toBe(false);
    await eraseUsers(real[1] as Store);
    // The first has forgotten it: it would begin again.
    expect(await verbs.eraseUser("u1")).toBe(false);
    failed(2);
    await eraseUsers(real[2] as Store);
    expect(await verbs.eraseUser("u1")).toBe(false);
    (cells[2] as TestCell).outage = "none";
    expect(await verbs.eraseUser("u1")).toBe(true);
    // Another erasure begins in all.
    expect(await verbs.eraseUser("u1")).toBe(false);
    for (const store of real) await eraseUsers(store);
    expect(await verbs.eraseUser("u1")).toBe(true);
  });

  it("has not ended where the user has a direct channel that could not be deleted", async () => {
    const here = await makeDirect(0, "u2");
    const there = await makeDirect(2, "u2");
    const { listUserChannels } = spanningLists(() => cells, createAskCells());
    expect(await listUserChannels("u2", 10)).toEqual([here, there]);
    failed(2);
    expect(await listUserChannels("u2", 10)).toEqual([here]);
    await (cells[0] as TestCell).real.deleteChannel(here, aNotice("channel.deleted"));
    // It comes back after its channels were looked for.
    (cells[2] as TestCell).outage = "none";
    for (let n = 0; n < 3; n += 1) {
      expect(await verbs.eraseUser("u2")).toBe(false);
      for (const { real } of cells) await eraseUsers(real);
    }
    await (cells[2] as TestCell).real.deleteChannel(there, aNotice("channel.deleted"));
    expect(await verbs.eraseUser("u2")).toBe(false);
    await eraseUsers((cells[2] as TestCell).real);
    expect(await verbs.eraseUser("u2")).toBe(true);
  });
});
