import type { OwnerUpdate, WebhookErrorEntry } from "@botyard/sdk";
import { infiniteQueryOptions, type QueryKey } from "@tanstack/react-query";
import { owner } from "./client.js";
import { DEFAULT, LIVE_MS } from "./queries.js";
import { queryClient } from "./query-client.js";

/** Bots on one page of a post's updates. */
const PAGE_BOTS = 20;
/** The service's largest page. */
export const MAX_PAGE_ITEMS = 100;

/** The part of a log that is listed. */
export interface UpdatesPart {
  state?: OwnerUpdate["state"] | undefined;
  /** Only updates recorded before this time. */
  until?: string | undefined;
  /** The webhook whose deliveries are shown: the one named `default` when left out. */
  webhook?: string | undefined;
}

/** The parameters of a search in a log. */
export interface SearchedPart extends UpdatesPart {
  since?: string | undefined;
  search?: string | undefined;
  channel?: string | undefined;
  kind?: string | undefined;
}

/** Whether the service has to search; then each answer says how far it has read. */
export function isSearch({ since, search, channel, kind }: SearchedPart): boolean {
  return (since ?? search ?? channel ?? kind) !== undefined;
}

interface Pages<Item> {
  pages: readonly (readonly Item[])[];
}

/** The long lists of the console, read page by page, newest first; those of posts are in `posts.ts`. */
export const lists = {
  /** Refetching the first page returns the same updates with their current states, so rows do not move by themselves. */
  updates: (botId: string, { state, until, webhook }: UpdatesPart) => {
    const queryKey = ["bot", botId, "updates", state ?? "all", until ?? "now", webhook ?? DEFAULT];
    return infiniteQueryOptions({
      queryKey,
      queryFn: ({ signal, pageParam }) => {
        const from = pageParam ?? firstNumberOf(queryKey);
        return filled<OwnerUpdate>(MAX_PAGE_ITEMS, async (limit, last) => {
          const before = last?.update_id ?? from;
          return (await owner.listBotUpdates(botId, { limit, before, state, until, webhook, signal })).items;
        });
      },
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => (page.length === MAX_PAGE_ITEMS ? page.at(-1)?.update_id : undefined),
      // Only with one page open, since a refetch reads every opened page again; and not by state, where rows would leave.
      refetchInterval: ({ state: { data } }) => (data?.pages.length === 1 && !state ? LIVE_MS : false),
      refetchOnMount: ({ state: { data } }) => (data?.pages.length ?? 0) <= 1,
      refetchOnWindowFocus: ({ state: { data } }) => (data?.pages.length ?? 0) <= 1 && !state,
      // Structural sharing compares all data that was read: hundreds of milliseconds with 100,000 updates.
      structuralSharing: false,
    });
  },
  /** The results of a search; each page is one call, which reads a bounded part of the log. */
  found: (botId: string, { state, since, until, search, channel, kind, webhook }: SearchedPart) =>
    infiniteQueryOptions({
      queryKey: ["bot", botId, "found", { state, since, until, search, channel, kind, webhook }],
      queryFn: async ({ signal, pageParam: before }) => {
        const wanted = { state, since, until, search, channelId: channel, eventType: kind, webhook };
        const { items, stopped_at: stoppedAt } = await owner.listBotUpdates(botId, {
          ...wanted,
          before,
          signal,
        });
        return { items, stoppedAt };
      },
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ stoppedAt }) => stoppedAt,
      // Only refetched on request, since that searches everything again.
      staleTime: Number.POSITIVE_INFINITY,
      structuralSharing: false,
    }),
  /** Failed updates without payloads: all of them, also those delivered since, or only those in one undelivered state. */
  errors: (botId: string, state?: "failed" | "scheduled", webhook?: string) =>
    infiniteQueryOptions({
      queryKey: ["bot", botId, "errors", state ?? "all", webhook ?? DEFAULT],
      queryFn: ({ signal, pageParam }) =>
        filled<WebhookErrorEntry>(MAX_PAGE_ITEMS, async (limit, last) => {
          const before = last?.update_id ?? pageParam;
          return (await owner.listWebhookErrors(botId, { limit, before, state, webhook, signal })).items;
        }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => (page.length === MAX_PAGE_ITEMS ? page.at(-1)?.update_id : undefined),
      refetchInterval: ({ state: { data } }) => (data?.pages.length === 1 ? LIVE_MS : false),
    }),
  /** A post's update in each bot of its channel. */
  postUpdates: (channelId: string, postId: string) =>
    infiniteQueryOptions({
      queryKey: ["channel", channelId, "posts", postId, "updates"],
      queryFn: async ({ signal, pageParam: after }) =>
        (await owner.listPostUpdates(channelId, postId, { limit: PAGE_BOTS, after, signal })).items,
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => (page.length === PAGE_BOTS ? page.at(-1)?.bot.id : undefined),
      refetchInterval: ({ state: { data } }) => (data?.pages.length === 1 ? LIVE_MS : false),
    }),
};

/** Opening a bot's updates again shows the newest ones, not the earlier position. */
export function forgetOldUpdates(botId: string): void {
  queryClient.removeQueries({ queryKey: ["bot", botId, "updates"], type: "inactive", stale: true });
  queryClient.removeQueries({ queryKey: ["bot", botId, "found"], type: "inactive" });
}

/** The number above the newest update that the list shows; undefined while it shows none. */
function firstNumberOf(queryKey: QueryKey): number | undefined {
  const shown = queryClient.getQueryData<Pages<OwnerUpdate>>(queryKey)?.pages[0]?.[0];
  return shown && shown.update_id + 1;
}

/**
 * A page of `size` items, or all that exist: the service's own pages are shorter when the items are large, and only
 * an empty one means that there are no more.
 */
export async function filled<Item>(
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
