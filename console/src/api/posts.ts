import type { Post } from "@botyard/sdk";
import { type InfiniteData, infiniteQueryOptions, type QueryKey } from "@tanstack/react-query";
import { owner } from "./client.js";
import { filled, MAX_PAGE_ITEMS } from "./lists.js";
import { LIVE_MS } from "./queries.js";
import { queryClient } from "./query-client.js";

const PAGE_POSTS = 50;
/** With more new posts than this, they are not all read: the list begins anew when the user asks for them. */
const MAX_NEW = 100;

/** A part of a channel's posts, newest first. */
interface PostPage {
  /** The posts as they were read last. */
  read: Post[];
  /** The posts that the list shows. While it is left out, they are those of `read`. */
  shown?: Post[];
  /** The oldest post of a full page, below which the next page begins; undefined on the last page. */
  end: string | undefined;
  /** More posts were published since than are read: `read` is from before. */
  isOutdated?: boolean;
}

type PostPages = InfiniteData<PostPage, string | undefined>;

/** A row of the list: a post as it is shown, and as it is now. The latter is undefined once it was deleted. */
export interface ListedPost {
  post: Post;
  now: Post | undefined;
}

/**
 * The posts of a channel. Refetching changes no row: what others publish, edit and delete meanwhile is read, and waits
 * until the user asks for it.
 */
export function postList(channelId: string) {
  const queryKey = postsKey(channelId);
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ signal, pageParam }) => {
      const listed = queryClient.getQueryData<PostPages>(queryKey);
      const page = listed?.pages[listed.pageParams.indexOf(pageParam)];
      return page && shownOf(page).length > 0
        ? readAgain(channelId, page, pageParam, signal)
        : readPage(channelId, pageParam, signal);
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ end }) => end,
    // Refetched only with one page open, since a refetch reads every opened page again.
    refetchInterval: ({ state: { data } }) => (data?.pages.length === 1 ? LIVE_MS : false),
    structuralSharing: (before, after) => keepShown(before as PostPages | undefined, after as PostPages),
  });
}

/** The rows of the list. */
export function rowsOf(page: PostPage): ListedPost[] {
  const now = new Map(page.read.map((post) => [post.id, post]));
  return shownOf(page).map((post) => ({ post, now: now.get(post.id) }));
}

export function isEdited({ post, now }: ListedPost): boolean {
  return now !== undefined && now.revision !== post.revision;
}

/** What waits to be shown: how many posts were published, and how many of those in the list were edited or deleted. */
export function waitingIn(pages: readonly PostPage[]) {
  const rows = pages.flatMap(rowsOf);
  const deleted = rows.filter(({ now }) => now === undefined).length;
  return {
    published: pages.flatMap(({ read }) => read).length - (rows.length - deleted),
    changed: deleted + rows.filter(isEdited).length,
    isOutdated: pages.some((page) => page.isOutdated === true),
  };
}

/** Shows what has changed since the list was opened or changes were last shown. */
export function showWaiting(channelId: string): void {
  const queryKey = postsKey(channelId);
  const isOutdated = queryClient
    .getQueryData<PostPages>(queryKey)
    ?.pages.some((page) => page.isOutdated === true);
  // Between the newest posts and those that are listed are some that were not read.
  if (isOutdated) void queryClient.resetQueries({ queryKey, exact: true });
  else changePages(channelId, (page) => ({ ...page, shown: page.read }));
}

/** Shows at once what the user has done to a post. Without a post, it was deleted. */
export function showOwnChange(channelId: string, postId: string, post?: Post): void {
  const change = (posts: readonly Post[]) =>
    posts.flatMap((other) => (other.id !== postId ? other : (post ?? [])));
  changePages(channelId, (page) => ({
    ...page,
    read: change(page.read),
    shown: change(shownOf(page)),
  }));
}

/** Opening a channel again shows the newest posts. */
export function forgetOldPosts(channelId: string): void {
  queryClient.removeQueries({ queryKey: postsKey(channelId), type: "inactive", exact: true });
}

function shownOf({ read, shown = read }: PostPage): Post[] {
  return shown;
}

function postsKey(channelId: string): QueryKey {
  return ["channel", channelId, "posts"];
}

function changePages(channelId: string, change: (page: PostPage) => PostPage): void {
  queryClient.setQueryData<PostPages>(
    postsKey(channelId),
    (data) => data && { ...data, pages: data.pages.map(change) },
  );
}

/**
 * Adds what is shown to pages that were read again. It is taken when the answer arrives, not when the read begins: the
 * user may be shown something in between.
 */
function keepShown(before: PostPages | undefined, after: PostPages): PostPages {
  const pages = after.pages.map((page, index) => {
    const old = before?.pages[before.pageParams.indexOf(after.pageParams[index])];
    const shown = old ? shownOf(old) : [];
    // Where nothing is shown, no row can move.
    return page.shown || shown.length === 0 ? page : { ...page, shown };
  });
  return { ...after, pages };
}

async function readPage(
  channelId: string,
  below: string | undefined,
  signal: AbortSignal,
): Promise<PostPage> {
  const read = await filled<Post>(PAGE_POSTS, async (limit, last) => {
    const before = last?.id ?? below;
    return (await owner.listChannelPosts(channelId, { limit, before, signal })).items;
  });
  return { read, end: read.length >= PAGE_POSTS ? read.at(-1)?.id : undefined };
}

/** Reads the posts of a page again, down to its end, also when some of them were deleted; and the newer ones. */
async function readAgain(
  channelId: string,
  page: PostPage,
  below: string | undefined,
  signal: AbortSignal,
): Promise<PostPage> {
  const { end } = page;
  const newest = shownOf(page)[0]?.id ?? "";
  const read: Post[] = [];
  let before = below;
  for (;;) {
    const left = page.read.filter(({ id }) => before === undefined || id < before).length;
    const limit = end === undefined ? MAX_PAGE_ITEMS : Math.min(Math.max(left, 1), MAX_PAGE_ITEMS);
    const { items } = await owner.listChannelPosts(channelId, { limit, before, signal });
    // The ids of newer posts sort after those of older ones.
    read.push(...items.filter(({ id }) => end === undefined || id >= end));
    before = items.at(-1)?.id;
    if (before === undefined || (end !== undefined && before <= end)) return { read, end };
    if (read.filter(({ id }) => id > newest).length > MAX_NEW)
      return { read: page.read, end, isOutdated: true };
  }
}
