import { afterAll, beforeAll, expect, it } from "vitest";
import { UNOBSERVED } from "#botyard/store/observer.js";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import type { Store } from "#botyard/store/store.js";
import { type TestDatabase, takePostgresDatabase } from "../support/engines.js";
import { attach, detach, makeBot, makeChannel, publish } from "../support/store-fixtures.js";

const MANY_BOTS = 120;

let database: TestDatabase;
let store: Store;
let batches: number[] = [];
beforeAll(async () => {
  database = await takePostgresDatabase();
  const observer = { ...UNOBSERVED, batched: (calls: number) => void batches.push(calls) };
  store = await openPostgresStore({ url: database.url, poolSize: 5, observer, onConnectionError() {} });
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

/** How many calls shared each trip when both channels got posts in the same moment. */
async function postToBoth(large: string, small: string): Promise<number[]> {
  batches = [];
  await Promise.all([publish(store, large, 2), publish(store, small, 3)]);
  return batches.toSorted((a, b) => a - b);
}

it("appends posts to channels with many bots in batches of their own", async () => {
  const [large, small] = [await makeChannel(store), await makeChannel(store)];
  const bots = await Promise.all(Array.from({ length: MANY_BOTS }, () => makeBot(store)));
  await Promise.all(bots.map((bot) => attach(store, bot, large)));
  expect(await postToBoth(large, small)).toEqual([5]);
  expect(await postToBoth(large, small)).toEqual([2, 3]);

  await Promise.all(bots.slice(50).map((bot) => detach(store, bot, large)));
  await publish(store, large, 1);
  expect(await postToBoth(large, small)).toEqual([5]);
});
