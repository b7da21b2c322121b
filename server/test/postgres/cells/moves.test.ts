import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { administerCells, type CellsAdmin } from "#botyard/administer-cells.js";
import { newId } from "#botyard/domain/ids.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { exportOwner } from "#botyard/operations/upkeep/export-owner.js";
import { createUpdatePolls } from "#botyard/polling/update-polls.js";
import { OwnerMoving, type Store } from "#botyard/store/store.js";
import { cellOf, databaseAt, openCellsAt } from "../../support/cells.js";
import { onDatabase, type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { killMoverAt } from "../../support/killed-mover.js";
import {
  aNotice,
  aPost,
  attach,
  makeAttachedBot,
  makeBot,
  makeChannel,
} from "../../support/store-fixtures.js";

let database: TestDatabase;
let admin: CellsAdmin;
let here: OpenCells;
/** Another instance, of which some tests take the hints away. */
let there: OpenCells;
/** Each test has one of its own. */
let owner: string;
beforeAll(async () => {
  database = await takeDividedDatabase(["first", "b", "c"]);
  admin = await administerCells(databaseAt(database.url), () => {});
  here = await openCellsAt(database.url);
});
afterAll(async () => {
  await Promise.all([here.store.close(), admin.close()]);
  await database.drop();
});
beforeEach(async () => {
  there = await openCellsAt(database.url);
  owner = `alice-${newId()}`;
});
afterEach(() => there.store.close());

const homeOf = async (user = owner) => (await cellOf(database.url, user)) ?? "";
const elsewhere = async (): Promise<string> => ((await homeOf()) === "b" ? "c" : "b");
const move = (to: string) => admin.move(owner, to, () => {});
/** Lets a cell number its next events so much higher than any cell has so far. */
const numberFrom = (schema: string, count: number) =>
  onDatabase(
    database.url,
    `SELECT setval(pg_get_serial_sequence('${schema}.events', 'event_key'), ${count} + (
      SELECT coalesce(max(event_key), 0) FROM (
        SELECT event_key FROM public.events UNION ALL SELECT event_key FROM b.events UNION ALL SELECT event_key FROM c.events) e))`,
  );
/** As if the directory had not heard of a move. */
const forget = (before: string) =>
  onDatabase(database.url, `UPDATE directory_owners SET cell = '${before}' WHERE owner_user_id = '${owner}'`);

describe("an owner who is moved", () => {
  it("holds channels for bots of other cells also at an instance that has not heard of the move", async () => {
    const channelId = await makeChannel(there.store, owner);
    const from = await homeOf();
    let maker = "";
    for (let n = 0; maker === "" || (await homeOf(maker)) === from; n += 1) {
      maker = `maker-${n}`;
      await makeChannel(there.store, maker);
    }
    const bot = await makeBot(there.store, maker);
    await there.store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
    for (const { store } of there.cells()) store.events.removeAllListeners("ownerMoved");
    await move(await elsewhere());
    const attached = attach(there.store, { ownerUserId: owner, botId: bot.botId }, channelId);
    expect(await attached).toMatchObject({ role: "moderator" });
  });

  it("goes on at every instance, with one log and no post lost, while it happens", async () => {
    const { botId, channelId } = await makeAttachedBot(here.store, owner);
    const stored: string[] = [];
    let isOver = false;
    const post = async (store: Store): Promise<void> => {
      while (!isOver) {
        const one = aPost(channelId, newId(), { ownerUserId: owner });
        try {
          expect(await store.appendPosts([one])).toEqual([true]);
          stored.push(one.payload);
        } catch (error) {
          if (!(error instanceof OwnerMoving)) throw error;
        }
        // At full speed three of them take the processor time that the moves need.
        await sleep(10);
      }
    };
    const posting = [here, there, there].map(({ store }) => post(store));
    for (const to of ["b", "c", "b", "first"]) {
      const from = await homeOf();
      if (from === to) continue;
      await move(to);
      expect(await homeOf()).toBe(to);
      expect(await here.store.findChannel({ ownerUserId: owner, channelId })).toMatchObject({
        id: channelId,
      });
    }
    isOver = true;
    await Promise.all(posting);

    const updates = [];
    for (let offset = 0; ; ) {
      const page = await there.store.readUpdates(botId, offset, 1_000);
      if (page.length === 0) break;
      updates.push(...page);
      offset = page.at(-1)?.updateId ?? 0;
    }
    expect(updates.map(({ updateId }) => updateId)).toEqual(updates.map((_, index) => index + 1));
    const heard = updates.map(({ payload }) => payload);
    expect(heard.toSorted()).toEqual(stored.toSorted());
  });

  it("is found by an instance that has heard nothing, whatever it asks first", async () => {
    const { botId, channelId, ref } = await makeAttachedBot(here.store, owner);
    await there.store.findChannel({ ownerUserId: owner, channelId });
    // As if every hint of the move were lost.
    for (const { store } of there.cells()) store.events.removeAllListeners("ownerMoved");
    await move(await elsewhere());
    expect(await there.store.listBots(owner)).toMatchObject([{ id: botId }]);
    expect(await there.store.findBot(ref)).toMatchObject({ id: botId });
    const one = aPost(channelId, "text", { ownerUserId: owner });
    expect(await there.store.appendPosts([one])).toEqual([true]);
  });

  it("is exported whole while they are moved, each event to a bot once", async () => {
    const { botId, channelId } = await makeAttachedBot(here.store, owner);
    const [to, from] = [{ botId }, { ownerUserId: owner }];
    const ids: string[] = [];
    // An interaction is the last of a page, too: 20 are read at a time, newest first.
    for (let index = 0; index < 45; index += 1) {
      const event = { ...aNotice(index % 5 === 0 ? "interaction.created" : "ticket.opened"), id: newId() };
      if (index % 5 === 0) await here.store.appendInteraction({ ...from, channelId, botId, event });
      else {
        await here.store.appendEvent({ ...from, to, event });
        ids.push(event.id);
      }
    }
    const exported: string[] = [];
    const targets = (await homeOf()) === "b" ? ["c", "b"] : ["b", "c"];
    await numberFrom("c", 300);
    await numberFrom("b", 2_000);
    for await (const page of exportOwner(here.store, owner)) {
      const events = page.flatMap((item) => (item.type === "bot event" ? item.event.id : []));
      exported.push(...events);
      const target = events.length > 0 && targets.shift();
      if (target) await move(target);
    }
    expect(targets).toEqual([]);
    expect(exported).toEqual(ids.toReversed());
  });

  it("has what their bots respond once, though the call is repeated after the move, and after another", async () => {
    const { botId, channelId } = await makeAttachedBot(here.store, owner);
    const interactionId = newId();
    await here.store.appendInteraction({
      ownerUserId: owner,
      channelId,
      botId,
      event: { ...aNotice("interaction.created"), id: interactionId },
    });
    const event = aNotice("interaction.responded");
    const response = { interactionId, channelId, botId, event, idempotencyKey: "x" };
    expect(await here.store.appendResponse(response)).toBe(true);
    for (const [schema, count] of Object.entries({ public: 100, b: 200, c: 300 }))
      await numberFrom(schema, count);
    for (const to of ["b", "c"]) {
      await move(to);
      const again = { ...response, event: aNotice("interaction.responded") };
      expect(await there.store.appendResponse(again)).toMatchObject({ id: event.id });
      expect(await there.store.findKeyed({ interactionId, botId, key: "x" })).toMatchObject({ id: event.id });
    }
    const found = await here.store.findInteraction({ ownerUserId: owner, channelId }, interactionId);
    expect(found?.responses).toHaveLength(1);
  });

  it("is asked for without a connection of its own by an instance that has heard nothing", async () => {
    const { botId } = await makeAttachedBot(here.store, owner);
    await there.store.listBots(owner);
    for (const { store } of there.cells()) store.events.removeAllListeners("ownerMoved");
    await move(await elsewhere());
    const endCount = killMoverAt(Number.POSITIVE_INFINITY);
    expect(await there.store.listBots(owner)).toMatchObject([{ id: botId }]);
    expect(endCount().texts).toEqual([]);
  });

  it("has a bot that waits for updates answered from where they live now", async () => {
    const { botId, channelId } = await makeAttachedBot(here.store, owner);
    const polls = createUpdatePolls(there.store, 10);
    const poll = polls.poll(botId, { from: 0, limit: 10, timeoutMs: 30_000 });
    await move(await elsewhere());
    const one = aPost(channelId, "text", { ownerUserId: owner });
    const postedAt = performance.now();
    expect(await here.store.appendPosts([one])).toEqual([true]);
    expect(await poll).toMatchObject([{ updateId: 1, payload: one.payload }]);
    expect(performance.now() - postedAt).toBeLessThan(5_000);
    polls.close();
  });

  it("straight back waits for the erasure of what they have left there, and tells of it", async () => {
    await makeAttachedBot(here.store, owner);
    const before = await homeOf();
    await move(await elsewhere());
    const erasedIn: string[] = [];
    await admin.move(owner, before, ({ phase, table, rows }) => {
      if (phase === "erase") erasedIn.push(`${table} ${rows}`);
    });
    // A bot and a channel.
    expect(erasedIn).toEqual([`${before} 0`, `${before} 0`]);
    expect(await homeOf()).toBe(before);
  });

  it("makes a bot where they live now, though the instance thinks otherwise", async () => {
    await makeAttachedBot(here.store, owner);
    await there.store.listBots(owner);
    for (const { store } of there.cells()) store.events.removeAllListeners("ownerMoved");
    await move(await elsewhere());
    const bot = await makeAttachedBot(there.store, owner);
    expect(await here.store.findBot(bot.ref)).toMatchObject({ id: bot.botId });
  });

  it("is in the cell that the decision says, though the mover ended before the directory heard of it", async () => {
    const { botId } = await makeAttachedBot(here.store, owner);
    const before = await homeOf();
    const to = await elsewhere();
    await move(to);
    await forget(before);
    const late = await openCellsAt(database.url);
    expect(await late.store.listBots(owner)).toMatchObject([{ id: botId }]);
    expect(await homeOf()).toBe(to);
    await late.store.close();

    await forget(before);
    await admin.check(() => {});
    expect(await homeOf()).toBe(to);
  });

  it("is erased where they are, and a move of them meanwhile is refused or ends first", async () => {
    const { ref } = await makeAttachedBot(here.store, owner);
    const to = await elsewhere();
    const [moved] = await Promise.allSettled([move(to), here.store.deleteBot(ref)]);
    const at = moved.status === "fulfilled" ? to : await homeOf();
    expect(await homeOf()).toBe(at);
    await eventually("the bot is gone", async () => {
      await here.store.deleteBot(ref).catch(() => false);
      return (await there.store.listBots(owner)).length === 0;
    });
    for (const { store } of here.cells()) expect(await store.listBots(owner)).toEqual([]);
  });

  it("who does not exist, or to a cell that does not, is refused", async () => {
    await makeAttachedBot(here.store, owner);
    await expect(admin.move("nobody", "b", () => {})).rejects.toThrow("the directory knows no owner nobody");
    await expect(admin.move(owner, newId(), () => {})).rejects.toThrow("there is no cell");
    expect(await move(await homeOf())).toEqual({ rows: 0, pausedMs: 0 });
  });
});
