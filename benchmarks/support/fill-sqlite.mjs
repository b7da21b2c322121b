import { statSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../server/dist/store/sqlite/binding.js";
import { AGE_MS, LAST_ERROR, ONE_IN, outcomes } from "./fill-plan.mjs";

/** Updates accepted at once that were recorded together; a divisor of those between two that were not. */
const RUN_LENGTH = 14;

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
  const count = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
  const keyOf = db.prepare("SELECT channel_key AS key FROM channels WHERE id = ?");
  const botsOf = db.prepare("SELECT bot_key AS key FROM attachments WHERE channel_key = ? ORDER BY bot_key");
  // The text of a post is random, so that caches hold no more of it than in production.
  const insertPosts =
    db.prepare(`${count}, p (k, id) AS (SELECT i + ?, printf('01890000-0000-7000-8000-%012x', i) FROM n)
    INSERT INTO events (event_key, id, channel_key, created_at, payload)
    SELECT k, id, ?, ?, '{"body":"' || hex(randomblob(30)) || '","channel_id":"' || ? || '","post_id":"' || id ||
      '","author_username":"bench"}' FROM p`);
  const insertEntries = db.prepare(
    `${count} INSERT INTO entries (log_key, number, event_key) SELECT ?, i, i + ? FROM n`,
  );
  const advance = db.prepare("UPDATE lanes SET last_update_id = ?, last_update_at = ? WHERE bot_key = ?");
  const insertRefused = db.prepare(`${count}
    INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, last_attempted_at,
      delivered_at, last_error, last_failed_at)
    SELECT ?2, i, i, iif(i % ${ONE_IN} = 0, 3, 2), iif(i % ${ONE_IN} = 0, 10, 2), iif(i % ${ONE_IN} = 0, 10, 1), ?3,
      iif(i % ${ONE_IN} = 0, NULL, ?3), '${LAST_ERROR}', ?3 FROM n WHERE i % ${ONE_IN} < 2`);
  const insertAccepted = db.prepare(`${count}, r (first, last) AS (
      SELECT i, min(i + ${RUN_LENGTH - 1}, ?1) FROM n WHERE i % ${ONE_IN} >= 2 AND (i % ${ONE_IN} - 2) % ${RUN_LENGTH} = 0)
    INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, times)
    SELECT ?2, first, last, 2, 1, 0, ?3 || '+0' || replace(hex(zeroblob(last - first)), '00', ' 0+0') FROM r`);
  const settle = db.prepare(`
    UPDATE destinations SET next_fresh_number = ?, delivered_count = ?, failed_count = ?,
      last_attempted_at = ?, last_delivered_at = ? WHERE destination_key = ?`);

  const polledKey = keyOf.get(polled).key;
  insertPosts.run(posts, 0, polledKey, at, polled);
  for (const { key } of botsOf.all(polledKey)) {
    insertEntries.run(posts, key, 0);
    advance.run(posts, at, key);
  }
  const deliveredKey = keyOf.get(delivered).key;
  const ended = outcomes(posts);
  insertPosts.run(posts, posts, deliveredKey, at, delivered);
  for (const { key } of botsOf.all(deliveredKey)) {
    insertEntries.run(posts, key, posts);
    insertRefused.run(posts, key, at);
    insertAccepted.run(posts, key, String(at));
    advance.run(posts, at, key);
    settle.run(posts + 1, ended.delivered, ended.failed, at, at, key);
  }
  db.exec("COMMIT; PRAGMA journal_mode = WAL");
  db.close();
  return statSync(file).size - bytesBefore;
}
