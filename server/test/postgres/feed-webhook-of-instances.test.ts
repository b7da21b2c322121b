import { setTimeout as sleep } from "node:timers/promises";
import { PlatformClient } from "@botyard/sdk";
import { expect, it } from "vitest";
import { startCluster } from "../support/cluster.js";
import { takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { PLATFORM_TOKEN } from "../support/every-operation.js";
import { ownerAt, startPoster } from "../support/load.js";
import { environmentOf } from "../support/program.js";
import { accept, refuse, startReceiver } from "../support/receiver.js";

/** Longer than the lease of the upkeep. */
const FROZEN_MS = 5_000;

it("the webhook of the feed gets each owner's items in order while the instances that send are killed and hang", async () => {
  const database = await takePostgresDatabase();
  const receiver = await startReceiver();
  const cluster = await startCluster(database.url, 3, {
    PLATFORM_TOKEN,
    PLATFORM_FEED: "true",
    WEBHOOK_RETRY_SCHEDULE: "50ms",
  });
  try {
    const owners = await Promise.all(
      ["alice", "bob", "carol"].map(async (name) =>
        ownerAt(await environmentOf(name, cluster.any(), cluster.dataDir)),
      ),
    );
    const worlds = await Promise.all(
      owners.map(async (owner, index) => {
        const channelId = await owner.createChannel(`room-${index}`);
        return { channelId, bot: await owner.createBot(`bot-${index}`, [channelId]) };
      }),
    );
    /** For each owner the ids of its items in the order in which they were first accepted. */
    const accepted = new Map<string, string[]>();
    let accepting = 0;
    let repeated = 0;
    let overlaps = 0;
    receiver.answerWith((response, request) => {
      accepting += 1;
      if (accepting > 1) overlaps += 1;
      const dice = Math.random();
      setTimeout(() => {
        accepting -= 1;
        if (dice < 0.05) return response.destroy();
        if (dice < 0.15) return refuse(503)(response, request);
        for (const { id, owner_user_id: owner = "" } of JSON.parse(request.body).items) {
          const own = accepted.get(owner) ?? [];
          if (own.includes(id)) repeated += 1;
          else accepted.set(owner, [...own, id]);
        }
        return accept(response, request);
      }, Math.random() * 20);
    });
    const platform = () => new PlatformClient(PLATFORM_TOKEN, { url: cluster.any().url });
    await platform().putFeedWebhook({ url: receiver.url });
    const posters = worlds.map(({ channelId, bot }) =>
      startPoster(() => cluster.any().url, bot.token, channelId, 20),
    );
    // Whichever sends, each is killed once and hangs once.
    for (const index of [0, 1, 2]) {
      await sleep(1_000);
      await cluster.kill(index);
      await sleep(500);
      await cluster.restart(index);
    }
    for (const { child } of cluster.instances) {
      child.kill("SIGSTOP");
      await sleep(FROZEN_MS);
      child.kill("SIGCONT");
      await sleep(500);
    }
    for (const poster of posters) await poster.stop();
    await eventually(
      "all is accepted",
      async () => (await platform().getFeedWebhook()).pending_item_count === 0,
      60_000,
    );
    const expected = new Map<string, string[]>();
    let after: string | undefined;
    for (;;) {
      const { items, cursor } = await platform().readFeed({ after, limit: 500 });
      if (items.length === 0) break;
      for (const { id, owner_user_id: owner = "" } of items)
        expected.set(owner, [...(expected.get(owner) ?? []), id]);
      after = cursor;
    }
    expect(accepted).toEqual(expected);
    expect([...accepted.values()].flat().length).toBeGreaterThan(300);
    // A page whose answer did not come, for each kill and each freeze, and refused connections.
    expect(repeated).toBeLessThan(100 * 7);
    // Only an instance that hung may have had a request under way.
    expect(overlaps).toBeLessThanOrEqual(6);
  } finally {
    for (const { child } of cluster.instances) child.kill("SIGCONT");
    await cluster.remove();
    await receiver.close();
  }
}, 120_000);
