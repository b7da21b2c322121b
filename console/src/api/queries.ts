import type { OwnerUpdate, Post, TimelineOptions, WebhookErrorEntry } from "@botyard/sdk";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { owner } from "./client.js";

/** How often visible data that changes by itself is read again. */
const LIVE_MS = 5_000;
/** The same for a single visible item. */
const WATCHED_MS = 2_000;
const PAGE_ITEMS = 50;
/** The service's largest page. */
const MAX_PAGE_ITEMS = 100;

/** All reads of the console. Each key begins with the kind of its subject. */
export const queries = {
  bots: () =>
    queryOptions({
      queryKey: ["bots"],
      queryFn: async ({ signal }) => (await owner.overview({ signal })).items,
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
  timeline: (botId: string, range: NonNullable<TimelineOptions["range"]>) =>
    queryOptions({
      queryKey: ["bot", botId, "timeline", range],
      queryFn: ({ signal }) => owner.readTimeline(botId, { range, signal }),
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
  /** In pages, newest first. */
  updates: (botId: string, state?: OwnerUpdate["state"]) =>
    infiniteQueryOptions({
      queryKey: ["bot", botId, "updates", ...(state ? [state] : [])],
      queryFn: ({ signal, pageParam }) =>
        filled<OwnerUpdate>(MAX_PAGE_ITEMS, async (limit, last) => {
          const before = last?.update_id ?? pageParam;
          return (await owner.listBotUpdates(botId, { limit, before, state, signal })).items;
        }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => (page.length === MAX_PAGE_ITEMS ? page.at(-1)?.update_id : undefined),
      // Refetched only with one page open, since a refetch reads every opened page again.
      refetchInterval: ({ state: { data } }) => (data?.pages.length === 1 ? LIVE_MS : false),
      refetchOnMount: ({ state: { data } }) => (data?.pages.length ?? 0) <= 1,
      refetchOnWindowFocus: ({ state: { data } }) => (data?.pages.length ?? 0) <= 1,
      // Structural sharing compares all data that was read: hundreds of milliseconds with 100,000 updates.
      structuralSharing: false,
    }),
  /** In pages, newest first, without payloads. */
  errors: (botId: string) =>
    infiniteQueryOptions({
      queryKey: ["bot", botId, "errors"],
      queryFn: ({ signal, pageParam }) =>
        filled<WebhookErrorEntry>(MAX_PAGE_ITEMS, async (limit, last) => {
          const before = last?.update_id ?? pageParam;
          return (await owner.listWebhookErrors(botId, { limit, before, signal })).items;
        }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => (page.length === MAX_PAGE_ITEMS ? page.at(-1)?.update_id : undefined),
      refetchInterval: ({ state: { data } }) => (data?.pages.length === 1 ? LIVE_MS : false),
    }),
  /** Null when it has expired or does not exist yet. */
  update: (botId: string, updateId: number) =>
    queryOptions({
      queryKey: ["bot", botId, "update", updateId],
      queryFn: async ({ signal }) => {
        const { items } = await owner.listBotUpdates(botId, { before: updateId + 1, limit: 1, signal });
        return items.find((update) => update.update_id === updateId) ?? null;
      },
      refetchInterval: ({ state: { data } }) => (data?.state === "delivered" ? false : WATCHED_MS),
    }),
  /** The stored failed attempts; read again after each new attempt. */
  attempts: (botId: string, { update_id: updateId, webhook_attempt_count: attempts }: OwnerUpdate) =>
    queryOptions({
      queryKey: ["bot", botId, "update", updateId, "attempts", attempts],
      queryFn: async ({ signal }) => (await owner.listUpdateAttempts(botId, updateId, { signal })).items,
      placeholderData: keepPreviousData,
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
      queryFn: ({ signal, pageParam }) =>
        filled<Post>(PAGE_ITEMS, async (limit, last) => {
          const before = last?.id ?? pageParam;
          return (await owner.listChannelPosts(channelId, { limit, before, signal })).items;
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => (page.length === PAGE_ITEMS ? page.at(-1)?.id : undefined),
      // Refetched only with one page open, since a refetch reads every opened page again.
      refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? LIVE_MS : false),
    }),
};

/**
 * A page of `size` items, or all that exist: the service's own pages are shorter when the items are large, and only
 * an empty one means that there are no more.
 */
async function filled<Item>(
  size: number,
  read: (limit: number, last: Item | undefined) => Promise<Item[]>,
): Promise<Item[]> {
  const items: Item[] = [];
  while (items.length < size) {
    const more = await read(size - items.length, items.at(-1));
    if (more.length === 0) break;
    items.push(...more);
  }
  return items;
}

async function allOf<Item>(source: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source) items.push(item);
  return items;
}
