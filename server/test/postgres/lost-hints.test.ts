import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pauseWebhook, resumeWebhook } from "#botyard/operations/webhooks/pause-webhook.js";
import { createUpdatePolls } from "#botyard/polling/update-polls.js";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import type { Store } from "#botyard/store/store.js";
import { createDeliveryWorld, type DeliveryWorld } from "../support/delivery-world.js";
import { onDatabase, type TestDatabase, takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { makeAttachedBot, publish } from "../support/store-fixtures.js";

/** Longer than a test may take, so an earlier answer came by a hint. */
const LONG_POLL = { from: 0, limit: 10, timeoutMs: 300_000 };
/** More than may be in flight, and few enough that they are soon delivered once the webhook is resumed. */
const MOST_WAITING = 200;

describe("two instances on one database", () => {
  let database: TestDatabase;
  let here: Store;
  let there: Store;
  let world: DeliveryWorld;

  const open = (hints: boolean) =>
    openPostgresStore({ url: database.url, poolSize: 4, onConnectionError() {}, hints });
  const start = async (hints: boolean) => {
    here = await open(hints);
    there = await open(hints);
    world = createDeliveryWorld(there);
  };

  beforeEach(async () => {
    database = await takePostgresDatabase();
  });
  afterEach(async () => {
    await world.close();
    await here.close();
    await database.drop();
  });

  it("answer a poll when the post was made on the other one", async () => {
    await start(true);
    const { botId, channelId } = await makeAttachedBot(here);
    const poll = createUpdatePolls(there, 10).poll(botId, LONG_POLL);
    await publish(here, channelId, 1);
    expect(await poll).toHaveLength(1);
  });

  it("find missed updates after the listening connection was cut", async () => {
    await start(true);
    const { botId, channelId } = await makeAttachedBot(here);
    const poll = createUpdatePolls(there, 10).poll(botId, LONG_POLL);
    await cutListeners();
    await publish(here, channelId, 1);
    expect(await poll).toHaveLength(1);
  });

  it("answer a poll at its time-out when every hint is lost", async () => {
    await start(false);
    const { botId, channelId } = await makeAttachedBot(here);
    const poll = createUpdatePolls(there, 10).poll(botId, { ...LONG_POLL, timeoutMs: 500 });
    await publish(here, channelId, 1);
    expect(await poll).toHaveLength(1);
  });

  it("deliver when every hint is lost, and follow a webhook that is changed meanwhile", async () => {
    await start(false);
    const [first, second] = [await world.startReceiver(), await world.startReceiver()];
    world.startDispatcher();
    const { ref, channelId } = await makeAttachedBot(here);
    const putWebhook = (url: string) => here.putWebhook(ref, { url, sealedSecret: null }, Date.now());
    // A request in flight when the webhook changed may be repeated at the new one.
    const received = () =>
      new Set([...first.requests, ...second.requests].map(({ updateId }) => updateId)).size;

    await putWebhook(first.url);
    await publish(here, channelId, 20, Date.now());
    await eventually("the backlog arrives", () => first.requests.length === 20);
    await putWebhook(second.url);
    await eventually("new updates go to the new place", async () => {
      await publish(here, channelId, 1, Date.now());
      return second.requests.length > 0;
    });
    await eventually("every update arrives", async () => received() === (await here.readStats(ref))?.total);
    await eventually("every update counts as delivered", async () => {
      const { total = 0, delivered } = (await here.readStats(ref)) ?? {};
      return delivered === total;
    });
  });

  it("send nothing once a pause has been answered, though every hint of it is lost", async () => {
    await start(false);
    const receiver = await world.startReceiver();
    const { tally } = world.startDispatcher();
    const ended = () => Object.values(tally.outcomes).reduce((sum, count) => sum + count, 0);
    const { ref, channelId } = await makeAttachedBot(here);
    await here.putWebhook(ref, { url: receiver.url, sealedSecret: null }, Date.now());
    let posted = 0;
    for (let round = 1; round <= 3; round++) {
      // Posts keep the lane with its holder there, which knows of no change here and always has some to send.
      let isPaused = false;
      const posting = (async () => {
        while (!isPaused) {
          await publish(here, channelId, 5, Date.now());
          posted += 5;
          while (!isPaused && posted - tally.attempts > MOST_WAITING) await sleep(1);
        }
      })();
      await eventually("updates arrive", () => receiver.requests.length > 0);
      await pauseWebhook(here, ref);
      const begun = tally.attempts;
      isPaused = true;
      // Attempts that began before may still end, even arrive: the receiver does not see all that are under way.
      await eventually("they have ended", () => ended() === begun);
      const received = receiver.requests.length;
      await posting;
      await publish(here, channelId, 20, Date.now());
      posted += 20;
      await there.ping();
      expect(tally.attempts).toBe(begun);
      expect(receiver.requests.length).toBe(received);
      await resumeWebhook(here, ref);
      await eventually("what was held back arrives", async () => {
        const { total = 0, delivered } = (await here.readStats(ref)) ?? {};
        return delivered === total;
      });
      receiver.requests.length = 0;
    }
  });

  /** Ends the connections that listen; the instances make new ones. */
  async function cutListeners(): Promise<void> {
    await onDatabase(
      database.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query = 'LISTEN "botyard"'`,
    );
  }
});
