import { actorNumber } from "../../../domain/events/event.js";
import type { ImportedPost } from "../../store.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";
import { idempotencyKeys } from "./idempotency-keys.js";

export function importVerbs(db: Database): Pick<Verbs, "importPosts"> {
  const selectChannel = db.prepare(
    "SELECT channel_key AS key FROM channels WHERE id = ? AND owner_user_id = ?",
  );
  const insert = db.prepare(
    "INSERT INTO events (id, channel_key, created_at, payload, acted_by, cause) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const keys = idempotencyKeys(db);

  const store = ({ id, channelId, author, payload, createdAt, idempotencyKey, cause }: ImportedPost) => {
    const { ownerUserId } = author;
    const channel = selectChannel.get(channelId, ownerUserId) as { key: number } | undefined;
    if (!channel) return false;
    if (idempotencyKey !== undefined) {
      const scope = { targetKey: channel.key, author: { ownerUserId }, key: idempotencyKey };
      const earlier = keys.find(scope);
      if (earlier) return earlier;
      // Keys are forgotten by their age, which is not that of the post.
      keys.keep(scope, { id, createdAt: Date.now() });
    }
    // Negated: usage knows by it that the day of such a post is not that of its time. Nothing else reads it of a post that nobody is told of.
    insert.run(id, channel.key, createdAt, payload, -actorNumber(author), cause ?? null);
    return true;
  };
  return { importPosts: (posts) => posts.map(store) };
}
