import { createHmac } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Requests in flight while many bots are made. */
const AT_ONCE = 32;

/** An owner of a running service: signs its own token and makes bots and channels. */
export function ownerOf({ url, ownerSecret }, user = "bench") {
  const claims = `${encode({ alg: "HS256" })}.${encode({ sub: user, exp: Math.floor(Date.now() / 1000) + 3600 })}`;
  const token = `${claims}.${createHmac("sha256", ownerSecret).update(claims).digest("base64url")}`;

  const call = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.error}`);
    return answer;
  };

  const owner = {
    token,
    call,
    createChannel: (slug) => call("POST", "/v1/channels", { slug, title: slug }),
    /** Makes channels with the external ids `room-0`, `room-1` … */
    putExternalChannels: (count) =>
      inParallel(Array.from({ length: count }), (_, index) =>
        call("PUT", `/v1/channels/external/room-${index}`, { title: `Room ${index}` }),
      ),
    /** @returns the bot's id and token */
    async createBot(username, channelId) {
      const { bot, token: botToken } = await call("POST", "/v1/bot-api/bots", { username });
      if (channelId) await owner.attach(bot.id, channelId);
      return { id: bot.id, token: botToken.token };
    },
    createBots: (count, name, channelId) =>
      inParallel(Array.from({ length: count }), (_, index) => owner.createBot(`${name}-${index}`, channelId)),
    attach: (botId, channelId) => call("POST", `/v1/bot-api/bots/${botId}/channels/${channelId}`),
    attachAll: (bots, channelId) => inParallel(bots, ({ id }) => owner.attach(id, channelId)),
    publish: (channelId, body) => call("POST", `/v1/channels/${channelId}/posts`, { body }),
    setWebhook: (botId, webhookUrl, secret, maxBatch, order) =>
      call("PUT", `/v1/bot-api/bots/${botId}/webhook`, {
        url: webhookUrl,
        secret_token: secret,
        max_batch: maxBatch,
        order,
      }),
    setWebhooks: (bots, webhookUrl, secret, maxBatch) =>
      inParallel(bots, ({ id }) => owner.setWebhook(id, webhookUrl, secret, maxBatch)),
    deleteWebhooks: (bots) => inParallel(bots, ({ id }) => call("DELETE", `/v1/bot-api/bots/${id}/webhook`)),
    stats: (botId) => call("GET", `/v1/bot-api/bots/${botId}/stats`),
    /** Waits until every update of these bots has its outcome in the store. */
    waitUntilRecorded: (bots) =>
      inParallel(bots, async ({ id }) => {
        for (;;) {
          const { pending_updates, scheduled_retries } = await owner.stats(id);
          if (pending_updates + scheduled_retries === 0) return;
          await pause(10);
        }
      }),
  };
  return owner;
}

/** @returns the result of `run` for each item, in the order of the items */
async function inParallel(items, run) {
  const results = [];
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await run(items[index], index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}
