import { queryOptions } from "@tanstack/react-query";
import { owner } from "./client.js";

/** How often what changes by itself is read again while it is looked at. */
const LIVE_MS = 5_000;

/** Every read of the console, under a key that begins with what it is about. */
export const queries = {
  bots: () =>
    queryOptions({
      queryKey: ["bots"],
      queryFn: async ({ signal }) => (await owner.listBots({ signal })).items,
      refetchInterval: LIVE_MS,
    }),
  bot: (botId: string) =>
    queryOptions({
      queryKey: ["bot", botId],
      queryFn: ({ signal }) => owner.getBot(botId, { signal }),
    }),
  stats: (botId: string) =>
    queryOptions({
      queryKey: ["bot", botId, "stats"],
      queryFn: ({ signal }) => owner.getBotStats(botId, { signal }),
      refetchInterval: LIVE_MS,
    }),
  webhook: (botId: string) =>
    queryOptions({
      queryKey: ["bot", botId, "webhook"],
      queryFn: ({ signal }) => owner.getWebhook(botId, { signal }),
      refetchInterval: LIVE_MS,
    }),
  botChannels: (botId: string) =>
    queryOptions({
      queryKey: ["bot", botId, "channels"],
      queryFn: async ({ signal }) => (await owner.listBotChannels(botId, { signal })).items,
    }),
  channels: () =>
    queryOptions({
      queryKey: ["channels"],
      queryFn: ({ signal }) => allOf(owner.channels({ signal })),
    }),
};

async function allOf<Item>(source: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source) items.push(item);
  return items;
}
