import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, startCluster } from "../support/cluster.js";
import { type TestDatabase, takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type Owner, ownerAt, type Poster, startPoster } from "../support/load.js";
import { type OrderWatch, watchOrder } from "../support/order-watch.js";
import { environmentOf } from "../support/program.js";
import { type Receiver, startReceiver } from "../support/receiver.js";

const ORDERS = [
  ["channel", 1],
  ["channel", 10],
  ["bot", 5],
] as const;
const CHANNELS = 5;
/** Each poster's, between an answer and its next post. */
const POST_EVERY_MS = 120;
/** Updates of each webhook. */
const ENOUGH = 200;
/** Longer than a lease. */
const FROZEN_MS = 9_000;

/** A bot whose webhook has an order, with posters in its channels. */
interface OrderedBot {
  id: string;
  receiver: Receiver;
  watch: OrderWatch;
  posters: Poster[];
}

/** All at once, on the same instances, since what costs most is to start these. */
describe("webhooks with an order, of several instances", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let owner: Owner;
  const bots: OrderedBot[] = [];

  beforeAll(async () => {
    database = await takePostgresDatabase();
    cluster = await startCluster(database.url, 3, {
      WEBHOOK_RETRY_SCHEDULE: Array.from({ length: 30 }, () => "1s").join(),
    });
    owner = ownerAt(await environmentOf("alice", cluster.any(), cluster.dataDir));
    for (const [order, maxBatch] of ORDERS) bots.push(await makeBot(order, maxBatch));
    for (const index of [0, 1, 2]) {
      await sleep(1_500);
      await cluster.kill(index);
      await sleep(500);
      await cluster.restart(index);
    }
    for (const instance of cluster.instances.slice(0, 2)) instance.child.kill("SIGSTOP");
    await sleep(FROZEN_MS);
    for (const instance of cluster.instances) instance.child.kill("SIGCONT");
    await sleep(1_000);
    await eventually("enough is accepted", () => bots.every(({ watch }) => watch.accepted.length > ENOUGH));
    await Promise.all(bots.flatMap(({ posters }) => posters).map((poster) => poster.stop()));
  }, 120_000);
  afterAll(async () => {
    for (const instance of cluster.instances) instance.child.kill("SIGCONT");
    await cluster.remove();
    for (const { receiver } of bots) await receiver.close();
    await database.drop();
  });

  async function makeBot(order: "channel" | "bot", maxBatch: number): Promise<OrderedBot> {
    const receiver = await startReceiver();
    const channels = await Promise.all(
      Array.from({ length: CHANNELS }, (_, i) => owner.createChannel(`${order}-${maxBatch}-${i}`)),
    );
    const bot = await owner.createBot(`${order}-${maxBatch}`, channels);
    const put = await fetch(`${cluster.any().url}/v1/bot-api/bots/${bot.id}/webhook`, {
      method: "PUT",
      headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
      body: JSON.stringify({ url: receiver.url, order, max_batch: maxBatch, hold_attempts: 10 }),
    });
    expect(put.status).toBe(200);
    expect(await put.json()).toMatchObject({ order, hold_attempts: 10 });
    const watch = watchOrder({
      // With the order of the bot each refusal holds up everything.
      judge: () =>
        Math.random() < (order === "bot" ? 0.004 : 0.03)
          ? Math.random() < 0.7
            ? "refuse"
            : "cut"
          : "accept",
      groupOf: (channelId) => (order === "bot" ? "bot" : channelId),
      delayMs: () => Math.random() * 15,
    });
    receiver.answerWith(watch.answer);
    const posters = channels.map((id) => startPoster(() => cluster.any().url, bot.token, id, POST_EVERY_MS));
    return { id: bot.id, receiver, watch, posters };
  }

  it.each(ORDERS.map(([order, maxBatch], place) => ({ order, maxBatch, place })))(
    "keep the order $order with batches to $maxBatch while instances are killed and hang",
    async ({ place }) => {
      const { id, watch } = bots[place] as OrderedBot;
      await eventually(
        "all are delivered or failed",
        async () => {
          const stats = await ownerAt({ BOTYARD_URL: cluster.any().url, BOTYARD_TOKEN: owner.token }).get<
            Record<string, number>
          >(`/v1/bot-api/bots/${id}/stats`);
          return stats["pending_updates"] === 0 && stats["scheduled_retries"] === 0;
        },
        60_000,
      );
      expect(watch.faults).toEqual([]);
      expect(watch.accepted.length).toBeGreaterThan(ENOUGH);
    },
  );
});
