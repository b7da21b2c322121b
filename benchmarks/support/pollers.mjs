import { Agent } from "undici";
import { monotonicMs, sentAtMs } from "./stamp.mjs";

/**
 * Keeps one long poll of each bot waiting.
 *
 * @returns `takeAges` returns the milliseconds from post to answer of all updates since its last call
 */
export function pollUntilStopped(url, bots) {
  const dispatcher = new Agent({ connections: bots.length, pipelining: 1, headersTimeout: 60_000 });
  let stopped = false;
  let ages = [];

  const poll = async ({ token }) => {
    for (let offset = 0; ; ) {
      const { body } = await dispatcher.request({
        origin: url,
        path: `/v1/bot-api/updates?offset=${offset}&timeout=30`,
        method: "GET",
        headers: { authorization: `Bearer ${token}` },
      });
      const { items } = await body.json();
      const at = monotonicMs();
      for (const { update_id, payload } of items) {
        ages.push(at - sentAtMs(payload.body));
        offset = update_id;
      }
    }
  };
  const polling = bots.map((bot) =>
    poll(bot).catch((error) => {
      if (!stopped) throw error;
    }),
  );

  return {
    takeAges() {
      const taken = ages;
      ages = [];
      return taken;
    },
    async stop() {
      stopped = true;
      await dispatcher.destroy();
      await Promise.all(polling);
    },
  };
}
