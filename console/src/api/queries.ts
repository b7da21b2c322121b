import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { owner } from "./client.js";

/** How often what changes by itself is read again while it is looked at. */
const LIVE_MS = 5_000;
const PAGE_ITEMS = 50;

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
  channel: (channelId: string) =>
    queryOptions({
      queryKey: ["channel", channelId],
      queryFn: ({ signal }) => owner.getChannel(channelId, { signal }),
    }),
  /** In pages, newest first. */
  posts: (channelId: string) =>
    infiniteQueryOptions({
      queryKey: ["channel", channelId, "posts"],
      queryFn: async ({ signal, pageParam: before }) =>
        (await owner.listChannelPosts(channelId, { limit: PAGE_ITEMS, before, signal })).items,
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => (page.length === PAGE_ITEMS ? page.at(-1)?.id : undefined),
      // Every page that was opened is read again each time: whoever reads old posts is not watching for new ones.
      refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? LIVE_MS : false),
    }),
};

async function allOf<Item>(source: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source) items.push(item);
  return items;
}
