import { ownerOf } from "./owner.mjs";
import { startBotyard, startProgram } from "./processes.mjs";
import { SECRET } from "./signed-sender.mjs";
import { readCounts, resetCounts, waitForArrivals } from "./watch-receiver.mjs";

export const BOTS = 100;
export const CONCURRENCY = 128;

/**
 * A service with a hundred bots, each in a channel of its own, whose webhooks go to one receiver: every post is one
 * delivery, and the load is spread as in production.
 *
 * @param maxBatch the most updates of one request to a webhook; one when left out
 * @returns also `targets`, the routes where the bots post, and `batchTarget`, where their owner posts in all channels
 */
export async function startBusyService(engine, nodeArguments = [], maxBatch) {
  const receiver = await startProgram("receiver");
  const botyard = await startBotyard(
    { WEBHOOK_CONCURRENCY: String(CONCURRENCY), ...(await engine.createStore()) },
    nodeArguments,
  );
  const owner = ownerOf(botyard);
  const bots = await createBotsWithChannels(owner, BOTS, "busy");
  await owner.setWebhooks(bots, `${receiver.url}/hook`, SECRET, maxBatch);
  return {
    name: engine.name,
    url: botyard.url,
    pid: botyard.pid,
    owner,
    receiver,
    bots,
    targets: bots.map(({ target }) => target),
    batchTarget: {
      path: "/v1/posts/batch",
      token: owner.token,
      channelIds: bots.map(({ channelId }) => channelId),
    },
    reset: () => resetCounts(receiver),
    delivered: async () => (await readCounts(receiver)).count,
    waitForArrivals: (count) => waitForArrivals(receiver, count),
    async stop() {
      await botyard.stop();
      await receiver.stop();
    },
  };
}

/** Bots that are each alone in a channel, with the route for their posts. */
export async function createBotsWithChannels(owner, count, name) {
  const bots = await owner.createBots(count, name);
  return await Promise.all(
    bots.map(async (bot, index) => {
      const channel = await owner.createChannel(`${name}-${index}`);
      await owner.attach(bot.id, channel.id);
      return {
        ...bot,
        channelId: channel.id,
        target: { path: `/v1/bot-api/channels/${channel.id}/posts`, token: bot.token },
      };
    }),
  );
}
