import { expect, it } from "vitest";
import { MAX_IN_FLIGHT_PER_BOT } from "#botyard/domain/limits.js";
import { createDeliveryWorld } from "../support/delivery-world.js";
import { engine } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { refuse } from "../support/receiver.js";

/** A million takes some minutes: `npm run soak -- --backlog 1000000`. */
const UPDATES = Number(process.env["BACKLOG_UPDATES"] ?? 3_000);
const POSTS_PER_CALL = 1_000;
const PROBE_MS = 50;

it(`a receiver that recovers gets its whole backlog on ${engine.name}, and at most one more request at once than it has accepted`, {
  timeout: 60_000 + UPDATES * 5,
}, async () => {
  const home = await engine.createHome();
  const world = createDeliveryWorld(await home.open());
  try {
    let accepted = 0;
    let underWay = 0;
    let total = 0;
    const tooMany: string[] = [];
    const receiver = await world.startReceiver(refuse(503));
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    for (let left = UPDATES; left > 0; left -= POSTS_PER_CALL) await bot.post(Math.min(left, POSTS_PER_CALL));
    world.startDispatcher({ retrySchedule: Array.from({ length: 50 }, () => PROBE_MS) });
    await eventually("it is probed", () =>
      world.logLines.some(({ msg }) => msg === "webhook keeps failing; probing it"),
    );
    await eventually("the attempts of the beginning are over", () => receiver.underWay() <= 1);

    receiver.answerWith((response) => {
      underWay += 1;
      total += 1;
      // One probe, and with each success one request more.
      const bearable = Math.min(MAX_IN_FLIGHT_PER_BOT, 1 + accepted);
      if (underWay > bearable) tooMany.push(`${underWay} at once after ${accepted} were accepted`);
      setImmediate(() => {
        underWay -= 1;
        accepted += 1;
        // Long ones are not kept: a million requests are a gigabyte.
        receiver.requests.length = 0;
        response.end();
      });
    });
    const startedAt = performance.now();
    let delivered = 0;
    while (delivered < UPDATES) {
      const before = delivered;
      await eventually("more is delivered", async () => (delivered = (await bot.stats()).delivered) > before);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const seconds = (performance.now() - startedAt) / 1000;
    console.error(`${engine.name}: ${UPDATES} updates in ${seconds.toFixed(1)} s, ${total} requests`);
    expect(tooMany).toEqual([]);
    expect(total).toBe(UPDATES);
    expect(await bot.stats()).toMatchObject({ delivered: UPDATES, pending: 0, scheduled: 0, failed: 0 });
  } finally {
    await world.close();
    await home.remove();
  }
});
