import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startCluster } from "../support/cluster.js";
import { takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { ownerAt, startPoster } from "../support/load.js";
import { watchOrder } from "../support/order-watch.js";
import { environmentOf } from "../support/program.js";
import { startReceiver } from "../support/receiver.js";

const CHANNELS = 5;
/** Longer than a lease. */
const FROZEN_MS = 9_000;

describe.concurrent("webhooks with an order, of several instances", () => {
  it.each([
    ["channel", 1],
    ["channel", 10],
    ["bot", 5],
  ] as const)(
    "keep the order %s with batches to %i while instances are killed and hang",
    async (order, maxBatch) => {
      const database = await takePostgresDatabase();
      const receiver = await startReceiver();
      const cluster = await startCluster(database.url, 3, {
        WEBHOOK_RETRY_SCHEDULE: Array.from({ length: 30 }, () => "1s").join(),
      });
      try {
        const owner = ownerAt(await environmentOf("alice", cluster.any(), cluster.dataDir));
        const channels = await Promise.all(
          Array.from({ length: CHANNELS }, (_, i) => owner.createChannel(`${order}-${maxBatch}-${i}`)),
        );
        const bot = await owner.createBot("bot", channels);
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
        const posters = channels.map((id) => startPoster(() => cluster.any().url, bot.token, id, 25));
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
        for (const poster of posters) await poster.stop();
        await eventually(
          "all are delivered or failed",
          async () => {
            const stats = await ownerAt({ BOTYARD_URL: cluster.any().url, BOTYARD_TOKEN: owner.token }).get<
              Record<string, number>
            >(`/v1/bot-api/bots/${bot.id}/stats`);
            return stats["pending_updates"] === 0 && stats["scheduled_retries"] === 0;
          },
          60_000,
        );
        expect(watch.faults).toEqual([]);
        expect(watch.accepted.length).toBeGreaterThan(200);
      } finally {
        for (const instance of cluster.instances) instance.child.kill("SIGCONT");
        await cluster.remove();
        await receiver.close();
        await database.drop();
      }
    },
  );
});
