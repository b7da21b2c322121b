import { type AwayRow, postsAway } from "../../shared/posts-away.js";
import type { Store } from "../../store.js";
import type { Database, Statement } from "../connection/connection.js";

/** $1: the owner, $2: the key before the first, $3: how many are looked at. */
const SELECT_AWAY: Statement = {
  name: "select-posts-away",
  text: `
    SELECT p.event_key AS key, p.is_listed AS "isListed", c.id AS "channelId", p.id AS "postId", c.owner_user_id AS holder
    FROM (SELECT * FROM events WHERE owner_user_id = $1 AND event_key > $2 ORDER BY event_key LIMIT $3) p
    LEFT JOIN channels c USING (channel_key) ORDER BY p.event_key`,
};

export function awayVerbs(db: Database): Pick<Store, "listPostsAway"> {
  return {
    listPostsAway: async (ownerUserId, after, limit) =>
      postsAway(await db.query<AwayRow>(SELECT_AWAY, [ownerUserId, after, limit]), limit),
  };
}
