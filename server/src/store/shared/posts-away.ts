import type { PostsAway } from "../store.js";

/** An event that names an owner; the channel is null when it is gone, or the event is of none. */
export interface AwayRow {
  key: number;
  isListed: boolean | 0 | 1;
  channelId: string | null;
  postId: string;
  holder: string | null;
}

/** The posts among events that name an owner: those that their channels list. Of the others only whose channels have them. */
export function postsAway(rows: readonly AwayRow[], limit: number): PostsAway {
  const posts = rows.flatMap(({ isListed, channelId, postId, holder }) =>
    isListed && channelId !== null && holder !== null ? [{ channelId, postId, holder }] : [],
  );
  const holders = rows.flatMap(({ isListed, holder }) => (isListed || holder === null ? [] : [holder]));
  return {
    posts,
    holdersOfDeleted: [...new Set(holders)],
    next: rows.length === limit ? rows.at(-1)?.key : undefined,
  };
}
