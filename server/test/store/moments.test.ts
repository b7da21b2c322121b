import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BotRef, Store } from "#botyard/store/store.js";
import { onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { NOW, publish } from "../support/store-fixtures.js";
import { expireUpdates } from "../support/upkeep.js";

describe(`moments in a log on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let channelId: string;
  onAttachedBot((bot) => {
    ({ store, ref, channelId } = bot);
  });

  it("are found by the first number that was recorded at or after them", async () => {
    const recorded = [1, 1, 2, 5, 5, 5, 9, 30, 31];
    for (const offset of recorded) await publish(store, channelId, 1, NOW + offset);
    const expected = (time: number) => recorded.filter((offset) => NOW + offset < time).length + 1;
    const times = Array.from({ length: 35 }, (_, offset) => NOW + offset);
    expect(await store.findNumbersAt(ref.botId, times)).toEqual(times.map(expected));
    const anyTimes = fc.array(fc.integer({ min: NOW - 3, max: NOW + 35 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(anyTimes, async (unordered) => {
        const ascending = unordered.toSorted((a, b) => a - b);
        expect(await store.findNumbersAt(ref.botId, ascending)).toEqual(ascending.map(expected));
      }),
      { numRuns: 30 },
    );
    expect(await store.findNumbersAt(ref.botId, [0, Number.MAX_SAFE_INTEGER])).toEqual([1, 10]);
  });

  it("are after what has expired, and at the first number of an empty log", async () => {
    expect(await store.findNumbersAt(ref.botId, [NOW, NOW + 1])).toEqual([1, 1]);
    await publish(store, channelId, 3, NOW);
    await publish(store, channelId, 2, NOW + 10);
    while (await expireUpdates(store, NOW + 5, 100));
    expect(await store.findNumbersAt(ref.botId, [NOW - 1, NOW + 10, NOW + 11])).toEqual([4, 4, 6]);
    while (await expireUpdates(store, NOW + 20, 100));
    expect(await store.findNumbersAt(ref.botId, [NOW - 1])).toEqual([6]);
    expect(await store.findNumbersAt(ref.ownerUserId, [NOW])).toEqual([1]);
  });
});
