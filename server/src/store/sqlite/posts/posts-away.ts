import { type AwayRow, postsAway } from "../../shared/posts-away.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";

export function awayVerbs(db: Database): Pick<Verbs, "listPostsAway"> {
  const selectAway = db.prepare(`
    SELECT p.event_key AS key, p.is_listed AS isListed, c.id AS channelId, p.id AS postId, c.owner_user_id AS holder
    FROM events p INDEXED BY events_by_owner LEFT JOIN channels c USING (channel_key)
    WHERE p.owner_user_id = ? AND p.event_key > ? ORDER BY p.event_key LIMIT +?`);
  return {
    listPostsAway: (ownerUserId, after, limit) =>
      postsAway(selectAway.all(ownerUserId, after, limit) as AwayRow[], limit),
  };
}
