import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AttemptFailure, BotRef, Store } from "#botyard/store/store.js";
import { failUntil } from "../support/attached-bot.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type Gate, openGate } from "../support/gate.js";
import { faultsIn, tablesWith } from "../support/leftovers.js";
import { makeAttachedBot, NOW, publish, recordOutcomes } from "../support/store-fixtures.js";
import { connectSql } from "../support/stored-rows.js";
import { waitingStatements } from "../support/waiting-statements.js";

const UPDATES = 10;

/** A lane that two instances believe to hold: the second writes what the first has written while it waited for the lane. */
describe("outcomes of two instances", () => {
  let home: StoreHome;
  let here: Store;
  let there: Store;
  let gate: Gate;
  let ref: BotRef;
  let botId: string;
  beforeEach(async () => {
    home = await engine.createHome();
    [here, there] = [await home.open(), await home.open()];
    gate = await openGate(home);
    let channelId: string;
    ({ ref, botId, channelId } = await makeAttachedBot(here));
    await here.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, NOW);
    await publish(here, channelId, UPDATES);
    return async () => {
      await gate.close();
      await here.close();
      await there.close();
      await home.remove();
    };
  });
  afterEach(async () => {
    const sql = await connectSql(home);
    expect(await faultsIn(sql)).toEqual([]);
    await sql.close();
  });

  /** Each update is attempted at a time of its own. */
  const record = (by: Store, first: number, last: number, failure?: AttemptFailure) => {
    const attempts = Array.from({ length: last - first + 1 }, (_, index) => ({
      updateId: first + index,
      failureCount: 0,
      attemptedAt: NOW + first + index,
      durationMs: 3,
      failure,
    }));
    return recordOutcomes(by, [{ destinationId: botId, nextFreshId: last + 1, attempts }]);
  };
  const cross = (first: () => Promise<unknown>, second: () => Promise<unknown>) =>
    gate.inOrder("destinations", first, second);
  const history = async () => (await here.listRecentUpdates(botId, UPDATES)).toReversed();
  const attemptCounts = async () => (await history()).map(({ attemptCount }) => attemptCount);

  it("keep no answer to an event that is being erased meanwhile", async () => {
    const eraser = new pg.Client({ connectionString: home.environment.DATABASE_URL });
    await eraser.connect();
    await eraser.query(
      `BEGIN; UPDATE events SET payload = '{"body":"","deleted":true}' WHERE event_type IS NULL`,
    );
    const echo = {
      error: "500 Internal Server Error",
      status: 500,
      responseBody: "what it was sent",
      nextRetryAt: NOW,
    };
    const recording = record(here, 1, 2, echo);
    await eventually("it waits", async () => (await waitingStatements(eraser)) === 1);
    await eraser.query("COMMIT");
    await eraser.end();
    await recording;
    const sql = await connectSql(home);
    expect(await tablesWith(sql, [echo.responseBody])).toEqual([]);
    await sql.close();
    expect(await here.listFailedAttempts(botId, 1)).toMatchObject([{ status: 500, responseBody: "" }]);
  });

  it("count each delivery once and each attempt, when both were accepted", async () => {
    await cross(
      () => record(here, 1, 6),
      () => record(there, 4, 8),
    );
    expect(await attemptCounts()).toEqual([1, 1, 1, 2, 2, 2, 1, 1, 0, 0]);
    expect(await here.readStats(ref)).toMatchObject({ delivered: 8, pending: 2, scheduled: 0 });
    for (const { updateId, lastAttemptedAt, deliveredAt } of (await history()).slice(0, 8))
      expect([lastAttemptedAt, deliveredAt]).toEqual([NOW + updateId, NOW + updateId + 3]);
  });

  it("keep what was delivered, when the other instance has seen it fail", async () => {
    await cross(
      () => record(here, 1, 9),
      () => record(there, 5, 5, failUntil(NOW + 1_000)),
    );
    expect(await attemptCounts()).toEqual([1, 1, 1, 1, 2, 1, 1, 1, 1, 0]);
    expect(await here.readStats(ref)).toMatchObject({ delivered: 9, pending: 1, scheduled: 0 });
    expect((await here.listDeliveryErrors(botId, 10))?.map(({ updateId }) => updateId)).toEqual([5]);
    for (const { updateId, lastAttemptedAt, deliveredAt } of (await history()).slice(0, 9))
      expect([lastAttemptedAt, deliveredAt]).toEqual([NOW + updateId, NOW + updateId + 3]);
  });

  it("are delivered, when the other instance has seen them fail", async () => {
    await cross(
      () => record(here, 3, 4, failUntil(NOW + 1_000)),
      () => record(there, 1, 6),
    );
    expect(await attemptCounts()).toEqual([1, 1, 2, 2, 1, 1, 0, 0, 0, 0]);
    expect(await here.readStats(ref)).toMatchObject({ delivered: 6, pending: 4, scheduled: 0 });
  });

  it("are delivered, when a webhook that is set at the other skips them", async () => {
    const skip = { through: 5, done: [7] };
    await cross(
      () => here.putWebhook(ref, { url: "https://example.com/", sealedSecret: null, skip }, NOW),
      () => record(there, 2, 8),
    );
    expect(await here.readStats(ref)).toMatchObject({ delivered: 7, skipped: 1, pending: 2 });
    const [read] = await here.readDueUpdates([{ destinationId: botId, afterUpdateId: 0, limit: 10 }], NOW);
    expect(read?.updates.map(({ updateId }) => updateId)).toEqual([9, 10]);
  });

  it("move the lane on only past what is recorded", async () => {
    await record(here, 2, 2);
    // The run of 1 to 3 is recorded one by one, since 2 has a row.
    await record(there, 1, 3);
    expect(await attemptCounts()).toEqual([1, 2, 1, 0, 0, 0, 0, 0, 0, 0]);
    expect(await here.readStats(ref)).toMatchObject({ delivered: 3, pending: 7 });
  });
});
