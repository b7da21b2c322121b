import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import { newId } from "#botyard/domain/ids.js";
import type { BotRef, ClaimedLane, LogHead, Store, WebhookRef } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { faultsIn } from "../support/leftovers.js";
import {
  aNotice,
  aPost,
  attach,
  claim,
  detach,
  makeAttachedBot,
  makeBot,
  makeChannel,
  OWNER,
  publish,
} from "../support/store-fixtures.js";
import { connectSql } from "../support/stored-rows.js";
import { eraseRemains, expireUpdates } from "../support/upkeep.js";
import { waitingStatements } from "../support/waiting-statements.js";

const EDIT = { url: "https://example.com/", sealedSecret: null };

async function release(store: Store, lanes: readonly ClaimedLane[], holder = "here"): Promise<void> {
  const releases = lanes.map(({ destinationId, generation }) => ({
    destinationId,
    generation,
    health: FRESH_HEALTH,
  }));
  await store.releaseLanes(holder, releases, Date.now());
}

/** Accepts everything that lanes were claimed with. */
async function accept(store: Store, lanes: readonly ClaimedLane[]): Promise<void> {
  await store.recordAttempts(
    lanes.map(({ destinationId, webhookVersion, updates }) => ({
      destinationId,
      webhookVersion,
      nextFreshId: 0,
      attempts: updates.map(({ updateId, failureCount }) => ({
        updateId,
        failureCount,
        attemptedAt: Date.now(),
        durationMs: 1,
      })),
    })),
  );
}

const randomOf = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;

describe("further destinations on a database of two instances", () => {
  let home: StoreHome;
  let here: Store;
  let there: Store;
  let client: pg.Client;

  beforeEach(async () => {
    home = await engine.createHome();
    here = await home.open();
    there = await home.open();
    client = new pg.Client({ connectionString: home.environment.DATABASE_URL });
    await client.connect();
  });

  afterEach(async () => {
    await client.end();
    await here.close();
    await there.close();
    await home.remove();
  });

  const waiting = (count: number) =>
    eventually(
      `${count} statements wait for a lock`,
      async () => (await waitingStatements(client)) === count,
    );

  it("hear what is appended by an instance that has found none before, also after a copy", async () => {
    const { ref, botId, channelId } = await makeAttachedBot(there);
    await publish(there, channelId, 1, Date.now());
    const hasFurther = async () =>
      (await client.query("SELECT has_further FROM incarnation")).rows[0].has_further;
    expect(await hasFurther()).toBe(false);
    const id = newId();
    await here.putWebhook({ ...ref, name: "mirror" }, { ...EDIT, id }, Date.now());
    expect(await hasFurther()).toBe(true);
    const takesMirror = async (by: Store, body: string) => {
      await publish(by, channelId, 1, Date.now());
      const lanes = await claim(by, Date.now() + 60_000);
      expect(
        lanes.map(({ destinationId }) => destinationId),
        body,
      ).toContain(id);
      await accept(by, lanes);
      await release(by, lanes);
    };
    await takesMirror(there, "the other instance");
    expect(await there.readUpdates(botId, 0, 10)).toHaveLength(2);
    // A copy fills the tables before a service begins with them.
    await client.query("DELETE FROM incarnation");
    const again = await home.open();
    expect(await hasFurther()).toBe(true);
    await takesMirror(again, "after a copy");
    await again.close();
  });

  it("hear from the other instance that their log has grown, and whether they can be claimed", async () => {
    const { ref, botId, channelId } = await makeAttachedBot(here);
    await here.putWebhook({ ...ref, name: "mirror" }, { ...EDIT, id: newId() }, Date.now());
    const heads: LogHead[] = [];
    there.events.on("appended", (grown) => heads.push(...grown));
    const hears = (isFurtherClaimable: boolean) =>
      eventually("a hint of the log", async () => {
        await publish(here, channelId, 1, Date.now());
        return heads.some((head) => head.isFurtherClaimable === isFurtherClaimable);
      });
    await hears(true);
    expect(heads.every((head) => head.botId === botId && !head.isClaimable)).toBe(true);
    expect(await claim(there, Date.now() + 1_000)).toHaveLength(1);
    await hears(false);
  });

  it("are sent what an append that began before they were made adds after their lane was released", async () => {
    const first = await makeAttachedBot(here);
    const second = await makeBot(here);
    await attach(here, second, first.channelId);
    await client.query("BEGIN; SELECT FROM lanes WHERE bot_key = (SELECT min(bot_key) FROM bots) FOR UPDATE");
    const published = publish(here, first.channelId, 1, Date.now());
    await waiting(1);
    const mirror = { ...second, name: "mirror" };
    await there.putWebhook(mirror, { ...EDIT, id: newId() }, Date.now());
    const lanes = await claim(there, Date.now() + 100);
    expect(lanes).toMatchObject([{ botId: second.botId, updates: [] }]);
    await release(there, lanes);
    await client.query("ROLLBACK");
    await published;
    await eventually("the lane is due", async () => {
      const [lane] = await claim(there, Date.now());
      return lane?.updates.length === 1;
    });
  });

  it("never deadlock with appends, claims, releases, changes and removals, and miss nothing", async () => {
    const channels = await Promise.all([0, 1, 2, 3].map(() => makeChannel(here)));
    const bots: BotRef[] = [];
    for (let i = 0; i < 8; i += 1) {
      const ref = await makeBot(here);
      bots.push(ref);
      for (const channelId of channels) await attach(here, ref, channelId);
    }
    const NAMES = ["one", "two", "three"];
    for (const ref of bots)
      for (const name of NAMES) await here.putWebhook({ ...ref, name }, { ...EDIT, id: newId() }, Date.now());
    const until = Date.now() + 4_000;
    /** Of each, on a machine of any speed. */
    const LEAST = 11;
    const done = new Map<string, number>();
    const loop = async (what: string, work: () => Promise<unknown>): Promise<void> => {
      while (Date.now() < until || (done.get(what) ?? 0) < LEAST) {
        await work();
        done.set(what, (done.get(what) ?? 0) + 1);
      }
    };
    const webhook = (): WebhookRef => ({ ...randomOf(bots), name: randomOf([...NAMES, "default"]) });
    const ofStore = (store: Store, holder: string) => [
      loop("posts", () =>
        store.appendPosts(
          Array.from({ length: 3 }, () =>
            aPost(randomOf(channels), "hello", { ownerUserId: OWNER }, Date.now()),
          ),
        ),
      ),
      loop("events", () =>
        store.appendEvent({
          ownerUserId: OWNER,
          to: { channelId: randomOf(channels) },
          event: { ...aNotice("a.b"), createdAt: Date.now() },
        }),
      ),
      loop("claims", async () => {
        const lanes = await claim(store, Date.now(), holder);
        if (lanes.length === 0) return await sleep(1);
        await accept(store, lanes);
        await store.renewLeases(
          holder,
          lanes.map(({ destinationId }) => destinationId),
          60_000,
          250,
        );
        await release(store, lanes, holder);
      }),
      loop("puts", () => store.putWebhook(webhook(), { ...EDIT, id: newId() }, Date.now())),
      loop("deletions", async () => {
        const ref = webhook();
        await store.deleteWebhook(ref, Date.now());
        await store.removeDestination(ref);
        await sleep(5);
      }),
      loop("pauses", async () => {
        const ref = webhook();
        await store.setWebhookPaused(ref, true, Date.now());
        await store.setWebhookPaused(ref, false, Date.now());
      }),
      loop("switches", async () => {
        const ref = randomOf(bots);
        await store.setBotDisabled(ref, true, Date.now());
        await store.setBotDisabled(ref, false, Date.now());
      }),
      loop("attachments", async () => {
        const [ref, channelId] = [randomOf(bots), randomOf(channels)];
        await detach(store, ref, channelId);
        await attach(store, ref, channelId);
      }),
      loop("bots", async () => {
        const ref = await makeBot(store);
        await attach(store, ref, randomOf(channels));
        for (const name of NAMES) await store.putWebhook({ ...ref, name }, EDIT, Date.now());
        await sleep(5);
        await store.deleteBot(ref);
      }),
      loop("upkeep", async () => {
        await expireUpdates(store, Date.now() - 500, 50);
        await eraseRemains(store, 50);
        await sleep(5);
      }),
    ];
    await Promise.all([...ofStore(here, "here"), ...ofStore(there, "there")]);

    // With everything quiet, what is due by then is all there is to send.
    for (let lanes = await claim(here, Date.now() + 60_000); lanes.length > 0; ) {
      await accept(here, lanes);
      await release(here, lanes);
      lanes = await claim(here, Date.now());
    }
    for (const ref of bots) {
      const open = (await here.listWebhooks(ref)) ?? [];
      for (const { name, config } of open) expect(config, name).toMatchObject({ pendingUpdates: 0 });
    }
    while (await eraseRemains(here, 1_000));
    const sql = await connectSql(home);
    const faults = await faultsIn(sql);
    await sql.close();
    expect(faults).toEqual([]);
  });
});
