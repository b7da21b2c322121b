import { statSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../server/dist/store/sqlite/binding.js";
import { AGE_MS, LAST_ERROR, ONE_IN, outcomes } from "./fill-plan.mjs";

/**
 * Fills the database of a stopped service with `posts` posts in each of the two channels, as the service itself
 * would have left them: see `fill-plan.mjs`.
 *
 * @returns bytes that they take on disk
 */
export async function fillSqlite({ DATA_DIR }, { polled, delivered }, posts) {
  const file = join(DATA_DIR, "botyard.db");
  const bytesBefore = statSync(file).size;
  const db = await openDatabase(file, 1_000);
  // Not durable: an interrupted run removes the folder anyway.
  db.exec("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN");
  const at = Date.now() - AGE_MS;
  const count = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)";
  const keyOf = db.prepare("SELECT channel_key AS key FROM channels WHERE id = ?");
  const botsOf = db.prepare("SELECT bot_key AS key FROM attachments WHERE channel_key = ? ORDER BY bot_key");
  // The text of a post is random, so that caches hold no more of it than in production.
  const insertPosts =
    db.prepare(`${count}, p (k, id) AS (SELECT i + ?, printf('01890000-0000-7000-8000-%012x', i) FROM n)
    INSERT INTO posts (post_key, id, channel_key, created_at, payload)
    SELECT k, id, ?, ?, '{"body":"' || hex(randomblob(30)) || '","channel_id":"' || ? || '","post_id":"' || id ||
      '","author_username":"bench"}' FROM p`);
  const insertPending = db.prepare(
    `${count} INSERT INTO updates (bot_key, update_id, post_key) SELECT ?, i, i FROM n`,
  );
  const advance = db.prepare("UPDATE lanes SET last_update_id = ?, last_update_at = ? WHERE bot_key = ?");
  const insertEnded = db.prepare(`${count}
    INSERT INTO updates (bot_key, update_id, post_key, state, attempt_count, failure_count, last_attempted_at,
      delivered_at, last_error, last_failed_at)
    SELECT ?, i, i + ?, iif(i % ${ONE_IN} = 0, 3, 2), CASE i % ${ONE_IN} WHEN 0 THEN 10 WHEN 1 THEN 2 ELSE 1 END,
      CASE i % ${ONE_IN} WHEN 0 THEN 10 WHEN 1 THEN 1 ELSE 0 END, ?,
      iif(i % ${ONE_IN} = 0, NULL, ?), iif(i % ${ONE_IN} < 2, '${LAST_ERROR}', NULL), iif(i % ${ONE_IN} < 2, ?, NULL) FROM n`);
  const settle = db.prepare(`
    UPDATE lanes SET last_update_id = ?, last_update_at = ?, next_fresh_id = ?, delivered_count = ?, failed_count = ?,
      last_attempted_at = ?, last_delivered_at = ? WHERE bot_key = ?`);

  const polledKey = keyOf.get(polled).key;
  insertPosts.run(posts, 0, polledKey, at, polled);
  for (const { key } of botsOf.all(polledKey)) {
    insertPending.run(posts, key);
    advance.run(posts, at, key);
  }
  const deliveredKey = keyOf.get(delivered).key;
  const ended = outcomes(posts);
  insertPosts.run(posts, posts, deliveredKey, at, delivered);
  for (const { key } of botsOf.all(deliveredKey)) {
    insertEnded.run(posts, key, posts, at, at, at);
    settle.run(posts, at, posts + 1, ended.delivered, ended.failed, at, at, key);
  }
  db.exec("COMMIT; PRAGMA journal_mode = WAL");
  db.close();
  return statSync(file).size - bytesBefore;
}
