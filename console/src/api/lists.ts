import type { OwnerUpdate, Post, WebhookErrorEntry } from "@botyard/sdk";
import { type InfiniteData, infiniteQueryOptions, type QueryKey } from "@tanstack/react-query";
import { owner } from "./client.js";
import { DEFAULT, LIVE_MS } from "./queries.js";
import { queryClient } from "./query-client.js";

const PAGE_ITEMS = 50;
/** Bots on one page of a post's updates. */
const PAGE_BOTS = 20;
/** The service's largest page. */
const MAX_PAGE_ITEMS = 100;
/** With more new posts than this, they are not all read: the list begins anew when the user asks for them. */
export const MAX_NEWER = 100;

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

interface PostPage {
  items: Post[];
  /** Published since the list was opened, and not listed until the user asks for them; at least the newest of them. */
  newer: Post[];
}

type PostPages = InfiniteData<PostPage, string | undefined>;

/** The long lists of the console, read page by page, newest first. */
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
  /** Refetching returns the posts that are listed, and apart from them those published since, so rows do not move by themselves. */
  posts: (channelId: string) => {
    const queryKey = postsKey(channelId);
    return infiniteQueryOptions({
      queryKey,
      queryFn: ({ signal, pageParam }) =>
        pageParam === undefined
          ? firstPosts(channelId, queryClient.getQueryData<PostPages>(queryKey)?.pages[0], signal)
          : postsBelow(channelId, pageParam, signal),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ items }) => (items.length >= PAGE_ITEMS ? items.at(-1)?.id : undefined),
      // Refetched only with one page open, since a refetch reads every opened page again.
      refetchInterval: ({ state: { data } }) => (data?.pages.length === 1 ? LIVE_MS : false),
    });
  },
};

/** Opening a bot's updates again shows the newest ones, not the earlier position. */
export function forgetOldUpdates(botId: string): void {
  queryClient.removeQueries({ queryKey: ["bot", botId, "updates"], type: "inactive", stale: true });
  queryClient.removeQueries({ queryKey: ["bot", botId, "found"], type: "inactive" });
}

function postsKey(channelId: string): QueryKey {
  return ["channel", channelId, "posts"];
}

/** Adds the posts that were published since to the list. */
export function showNewPosts(channelId: string): void {
  const queryKey = postsKey(channelId);
  const isTooLong = (queryClient.getQueryData<PostPages>(queryKey)?.pages[0]?.newer.length ?? 0) > MAX_NEWER;
  // Between the newest posts and those that are listed are some that were not read.
  if (isTooLong) void queryClient.resetQueries({ queryKey, exact: true });
  else
    queryClient.setQueryData<PostPages>(queryKey, (data) => data && { ...data, pages: merged(data.pages) });
}

function merged([first, ...others]: readonly PostPage[]): PostPage[] {
  return first ? [{ items: [...first.newer, ...first.items], newer: [] }, ...others] : [];
}

/** Opening a channel again shows the newest posts. */
export function forgetOldPosts(channelId: string): void {
  queryClient.removeQueries({ queryKey: postsKey(channelId), type: "inactive", exact: true });
}

/** The newest posts; when some are listed, those again, and apart from them the newer ones. */
async function firstPosts(
  channelId: string,
  listed: PostPage | undefined,
  signal: AbortSignal,
): Promise<PostPage> {
  const newest = listed?.items[0];
  const size = Math.max(PAGE_ITEMS, listed?.items.length ?? 0);
  const page: PostPage = { items: [], newer: [] };
  let before: string | undefined;
  while (page.items.length < size) {
    const limit = Math.min(size - page.items.length, MAX_PAGE_ITEMS);
    const { items } = await owner.listChannelPosts(channelId, { limit, before, signal });
    // The ids of newer posts sort after those of older ones.
    for (const post of items) (newest && post.id > newest.id ? page.newer : page.items).push(post);
    if (listed && page.newer.length > MAX_NEWER) return { ...listed, newer: page.newer };
    before = items.at(-1)?.id;
    if (before === undefined) break;
  }
  return page;
}

async function postsBelow(channelId: string, id: string, signal: AbortSignal): Promise<PostPage> {
  const items = await filled<Post>(PAGE_ITEMS, async (limit, last) => {
    const before = last?.id ?? id;
    return (await owner.listChannelPosts(channelId, { limit, before, signal })).items;
  });
  return { items, newer: [] };
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
