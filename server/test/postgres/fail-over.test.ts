import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { type FailOverWorld, startFailOverWorld } from "../support/fail-over-world.js";

/** `npm run fail-overs` makes more of them. */
const TIMES = Number(process.env["FAIL_OVERS"] ?? 1);
const PATIENCE_MS = 60_000 + TIMES * 30_000;

let world: FailOverWorld;

beforeAll(async () => {
  world = await startFailOverWorld();
});
afterAll(() => world.close());

it("a fail-over to a standby that is behind gives no number out twice, and sends what the standby knows", {
  timeout: PATIENCE_MS,
}, async () => {
  const { bots, acknowledged, fed, before } = world;
  const tookMs: number[] = [];
  for (let n = 0; n < TIMES; n++) tookMs.push(await world.failOver());
  await world.quiet();

  const kept = await world.entries();
  const eventAt = new Map(before);
  const givenTwice = kept.filter(
    ([place, id]) => eventAt.get(place) !== undefined && eventAt.get(place) !== id,
  );
  expect(givenTwice).toEqual([]);
  expect(bots.flatMap(({ faults }) => faults)).toEqual([]);

  const stored = new Set(kept.map(([, id]) => id));
  const lost = acknowledged.filter((id) => !stored.has(id));
  expect(lost.length).toBeGreaterThan(0);

  const keys = await world.rows<{ key: number; id: string }>(
    "SELECT bot_key AS key, id FROM bots ORDER BY bot_key",
  );
  for (const [index, bot] of bots.entries()) {
    const places = kept.flatMap(([place, id]) => {
      const [log, number] = place.split("/");
      return Number(log) === Number(keys[index]?.key) ? [[Number(number), id] as const] : [];
    });
    const missing = () => places.filter(([number, id]) => bot.sent.get(number) !== id);
    await eventually(`bot ${index} is sent everything`, () => missing().length === 0).catch(() => {});
    expect(missing()).toEqual([]);
    for (const reader of ["poll", "consumer"]) {
      const unread = () => places.filter(([number, id]) => bot.read.get(`${reader} ${number}`) !== id);
      await eventually(
        `the ${reader} of bot ${index} has read everything`,
        () => unread().length === 0,
      ).catch(() => {});
      expect(unread()).toEqual([]);
    }
    expect(bot.skips.size).toBe(TIMES);
  }
  const ofPosts = await world.rows<{ id: string }>("SELECT id FROM events WHERE event_type IS NULL");
  const unfed = () => ofPosts.filter(({ id }) => !fed.has(id));
  await eventually("the feed has everything", () => unfed().length === 0).catch(() => {});
  expect(unfed()).toEqual([]);

  await eventually("all is recorded", async () => {
    const open = await world.rows(
      "SELECT FROM lanes JOIN destinations ON destination_key = bot_key WHERE last_update_id - unused_count <> delivered_count",
    );
    return open.length === 0;
  });
  expect(
    await world.rows(
      "SELECT bot_key FROM lanes JOIN destinations ON destination_key = bot_key WHERE next_fresh_number > last_update_id + 1",
    ),
  ).toEqual([]);
  for (const instance of world.instances) {
    const noticed = instance
      .stdout()
      .split("\n")
      .filter((line) => line.includes("failover_noticed"));
    expect(noticed.length).toBe(TIMES);
  }
  if (TIMES > 1) {
    const received = bots.reduce((sum, { receiver }) => sum + receiver.requests.length, 0);
    console.log(
      JSON.stringify({
        failOvers: TIMES,
        acknowledged: acknowledged.length,
        lost: lost.length,
        entries: kept.length,
        received,
        slowestMs: Math.round(Math.max(...tookMs)),
      }),
    );
  }
});
