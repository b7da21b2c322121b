import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { validate } from "uuid";
import { describe, expect, it } from "vitest";
import { idAt, isId, newId, timeOfId } from "#botyard/domain/ids.js";
import type { Store } from "#botyard/store/store.js";
import { useTwoStores } from "../support/engines.js";
import { switchFeedOn } from "../support/feed-world.js";
import { anImport, aPost, makeAttachedBot, NOW, OWNER } from "../support/store-fixtures.js";
import { forgetKeys } from "../support/upkeep.js";

let here: Store;
let there: Store;
useTwoStores((stores) => {
  ({ here, there } = stores);
});

const bodies = async (channelId: string, before?: string) =>
  (await here.listPosts(channelId, 100, before))?.map(({ body }) => body);

describe("the id of a time", () => {
  it("sorts at that time, in the order of making", () => {
    const times = [Date.UTC(2000, 0, 1), NOW - 1, NOW, NOW, NOW, NOW + 1];
    const ids = times.map(idAt);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(6);
    const earlier = idAt(Date.now() - 1);
    expect(newId() > earlier).toBe(true);
    expect(ids.every((id) => isId(id) && validate(id))).toBe(true);
    expect(ids.map(timeOfId)).toEqual(times);
  });

  it("keeps that order from process to process, and for many of one time", () => {
    const made = () =>
      execFileSync(
        process.execPath,
        [
          "--input-type=module",
          "-e",
          `const { idAt } = await import("${import.meta.resolve("#botyard/domain/ids.js")}");
        console.log(Array.from({ length: 3000 }, () => idAt(${NOW})).join("\\n"));`,
        ],
        { encoding: "utf8" },
      )
        .trim()
        .split("\n");
    const ids = [...made(), ...made()];
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(6_000);
  });
});

describe("imported posts", () => {
  it("are listed at their times, and told to nobody", async () => {
    await switchFeedOn(here);
    const { botId, channelId } = await makeAttachedBot(here);
    await here.appendPosts([aPost(channelId, "now", { ownerUserId: OWNER })]);
    const imported = [
      anImport(channelId, "third", NOW - 1_000),
      anImport(channelId, "first", Date.UTC(2000, 0, 1)),
      anImport(channelId, "second", Date.UTC(2001, 0, 1)),
      anImport(channelId, "second, later", Date.UTC(2001, 0, 1)),
    ];
    expect(await here.importPosts(imported)).toEqual([true, true, true, true]);
    expect(await bodies(channelId)).toEqual(["now", "third", "second, later", "second", "first"]);
    expect(await bodies(channelId, imported[0]?.id)).toEqual(["second, later", "second", "first"]);
    expect(await here.findPost({ ownerUserId: OWNER }, channelId, imported[1]?.id ?? "")).toMatchObject({
      post: { body: "first", createdAt: Date.UTC(2000, 0, 1), revision: 1 },
    });
    expect(await here.readUpdates(botId, 0, 10)).toHaveLength(1);
    const { events = [] } = (await here.readFeed([], 1_000)) ?? {};
    expect(
      events.filter(({ payload }) => payload.includes(channelId) && payload.includes('"body"')),
    ).toHaveLength(1);
    expect(await here.findPostInLogs(channelId, imported[0]?.id ?? "", [botId])).toEqual([undefined]);
    expect((await here.findChannel({ ownerUserId: OWNER, channelId }))?.lastActivityAt).toBe(NOW);
    await here.switchFeed(false);
  });

  it("are refused in channels of others, each by itself", async () => {
    const { channelId } = await makeAttachedBot(here);
    const stored = await here.importPosts([
      anImport(channelId, "no", NOW, { ownerUserId: "bob" }),
      anImport(randomUUID(), "no", NOW),
      anImport(channelId, 'yes "\\n"', NOW),
    ]);
    expect(stored).toEqual([false, false, true]);
    expect(await bodies(channelId)).toEqual(['yes "\\n"']);
  });

  it("are stored once for each key, which is kept by the time of the call", async () => {
    const { channelId } = await makeAttachedBot(here);
    const keyed = (body: string) => anImport(channelId, body, Date.UTC(2001, 0, 1), { idempotencyKey: "k" });
    const first = keyed("first");
    expect(await here.importPosts([first, keyed("twin")])).toMatchObject([true, { id: first.id }]);
    await forgetKeys(here, Date.now() - 60_000, 10);
    expect(await there.importPosts([keyed("again")])).toMatchObject([{ id: first.id }]);
    // Posts that are told have their keys in the same place.
    const told = { ...aPost(channelId, "told", { ownerUserId: OWNER }), idempotencyKey: "k" };
    expect(await here.appendPosts([told])).toMatchObject([{ id: first.id }]);
    expect(await bodies(channelId)).toEqual(["first"]);
    const twins = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? here : there).importPosts([anImport(channelId, "t", NOW, { idempotencyKey: "twins" })]),
      ),
    );
    expect(twins.flat().filter((one) => one === true)).toHaveLength(1);
  });
});
