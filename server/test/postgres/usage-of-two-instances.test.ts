import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dayOf } from "#botyard/domain/owners/usage.js";
import { deletionNotice } from "#botyard/operations/channels/channel-notice.js";
import type { Store } from "#botyard/store/store.js";
import { createHomeOn, type StoreHome } from "../support/engines.js";
import { attach, makeAttachedBot, NOW, OWNER, publish } from "../support/store-fixtures.js";
import { complete, endLeases } from "../support/upkeep.js";

const TODAY = { from: dayOf(NOW), to: dayOf(NOW) };

describe("usage that two instances count at the same time", () => {
  let home: StoreHome;
  let stores: [Store, Store];
  beforeEach(async () => {
    home = await createHomeOn("postgres");
    stores = [await home.open(), await home.open()];
    await endLeases(home);
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await home.remove();
  });

  it("is counted once, also while a bot is deleted", async () => {
    const [here] = stores;
    const { channelId } = await makeAttachedBot(here);
    const { ref } = await makeAttachedBot(here);
    await attach(here, ref, channelId);
    let isPosting = true;
    const counting = stores.map(async (store) => {
      while (isPosting) await store.runUpkeep({ kind: "count", now: NOW }, 100);
    });
    for (let n = 0; n < 20; n += 1) await Promise.all(stores.map((store) => publish(store, channelId, 10)));
    const ofBot = await here.readLogHead(ref.botId);
    expect(await here.deleteBot(ref)).toBe(true);
    isPosting = false;
    await Promise.all(counting);
    for (let n = 0; n < 10; n += 1) await here.runUpkeep({ kind: "count", now: NOW }, 100);
    const days = await here.readUsage(OWNER, { ...TODAY, to: dayOf(Date.now()) });
    const sum = (of: "posts" | "updates") => days.reduce((total, day) => total + day[of], 0);
    expect([sum("posts"), sum("updates")]).toEqual([400, 400 + (ofBot ?? 0)]);
  });

  it("has posts of a channel that is deleted while others are waited for", async () => {
    const [here] = stores;
    const kept = await makeAttachedBot(here);
    const deleted = await makeAttachedBot(here);
    await publish(here, kept.channelId, 1);
    const writer = new pg.Client({ connectionString: home.environment["DATABASE_URL"] });
    await writer.connect();
    await writer.query("BEGIN; LOCK events IN ROW EXCLUSIVE MODE");
    // From now on whoever counts waits for that one.
    expect(await here.runUpkeep({ kind: "count", now: NOW }, 100)).toBe("more");
    await publish(here, deleted.channelId, 3);
    const channel = { channelId: deleted.channelId, ownerUserId: OWNER };
    await here.deleteChannel(channel, deletionNotice(deleted.channelId, OWNER));
    await writer.end();
    for (const kind of ["erase", "count"] as const) await complete(here, { kind, now: NOW }, 100);
    expect(await here.readUsage(OWNER, TODAY)).toMatchObject([{ posts: 4 }]);
  });
});
