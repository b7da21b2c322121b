import pg from "pg";
import { AGE_MS, LAST_ERROR, ONE_IN, outcomes } from "./fill-plan.mjs";

/**
 * Fills the database of a stopped service with `posts` posts in each of the two channels, as the service itself
 * and the autovacuum would have left them: see `fill-plan.mjs`.
 *
 * @returns bytes that they take on disk, with indexes
 */
export async function fillPostgres({ DATABASE_URL }, { polled, delivered }, posts) {
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  try {
    return await fill(client, polled, delivered, posts);
  } finally {
    await client.end();
  }
}

async function fill(client, polled, delivered, posts) {
  const size = async () => {
    const { rows } = await client.query("SELECT pg_database_size(current_database()) AS bytes");
    return Number(rows[0].bytes);
  };
  const bytesBefore = await size();
  const at = Date.now() - AGE_MS;
  await client.query("SET synchronous_commit = off");
  const insertPosts = `
    INSERT INTO events (event_key, id, channel_key, created_at, payload) OVERRIDING SYSTEM VALUE
    SELECT i + $1::bigint, made.id::uuid, c.channel_key, $2::bigint,
      '{"body":"' || left(md5(i::text) || md5((-i)::text), 60) || '","channel_id":"' || c.id || '","post_id":"' || made.id ||
      '","author_username":"bench"}'
    FROM generate_series(1, $3::bigint) i, channels c,
      LATERAL (SELECT '01890000-0000-7000-8000-' || lpad(to_hex(i), 12, '0') AS id) made
    WHERE c.id = $4::uuid ORDER BY i`;
  const attached = "FROM attachments JOIN channels c USING (channel_key) WHERE c.id = ";
  await client.query(insertPosts, [0, at, posts, polled]);
  await client.query(
    `INSERT INTO entries (log_key, number, event_key)
     SELECT bot_key, i, i FROM (SELECT bot_key ${attached} $1::uuid) bots, generate_series(1, $2::bigint) i`,
    [polled, posts],
  );
  await client.query(
    `UPDATE lanes SET last_update_id = $1, last_update_at = $2 WHERE bot_key IN (SELECT bot_key ${attached} $3::uuid)`,
    [posts, at, polled],
  );

  const ended = outcomes(posts);
  await client.query(insertPosts, [posts, at, posts, delivered]);
  await client.query(
    `INSERT INTO entries (log_key, number, event_key)
     SELECT bot_key, i, i + $2::bigint FROM (SELECT bot_key ${attached} $1::uuid) bots, generate_series(1, $2::bigint) i`,
    [delivered, posts],
  );
  await client.query(
    `INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count,
       last_attempted_at, delivered_at, last_error, last_failed_at)
     SELECT bot_key, i, i, CASE i % ${ONE_IN} WHEN 0 THEN 3 ELSE 2 END, CASE i % ${ONE_IN} WHEN 0 THEN 10 ELSE 2 END,
       CASE i % ${ONE_IN} WHEN 0 THEN 10 ELSE 1 END, $3::bigint, CASE WHEN i % ${ONE_IN} > 0 THEN $3::bigint END,
       '${LAST_ERROR}', $3::bigint
     FROM (SELECT bot_key ${attached} $1::uuid) bots, generate_series(1, $2::bigint) i WHERE i % ${ONE_IN} < 2`,
    [delivered, posts, at],
  );
  // All others were accepted at once, in runs of eight or so: as many as are sent at the same time.
  await client.query(
    `INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, times)
     SELECT bot_key, min(i), max(i), 2, 1, 0,
       string_agg(CASE i WHEN first THEN $3::bigint ELSE 0 END || '+5', ' ' ORDER BY i)
     FROM (SELECT bot_key ${attached} $1::uuid) bots, LATERAL (
       SELECT i, min(i) OVER (PARTITION BY i / ${ONE_IN}, (i % ${ONE_IN} - 2) / 8) AS first
       FROM generate_series(1, $2::bigint) i WHERE i % ${ONE_IN} > 1) accepted
     GROUP BY bot_key, first`,
    [delivered, posts, at],
  );
  await client.query(
    `WITH advanced AS (
       UPDATE lanes SET last_update_id = $1::bigint, last_update_at = $2::bigint
       WHERE bot_key IN (SELECT bot_key ${attached} $5::uuid))
     UPDATE destinations SET next_fresh_number = $1::bigint + 1,
       delivered_count = $3, failed_count = $4, last_attempted_at = $2::bigint, last_delivered_at = $2::bigint
     WHERE destination_key IN (SELECT bot_key ${attached} $5::uuid)`,
    [posts, at, ended.delivered, ended.failed, delivered],
  );
  await client.query("SELECT setval(pg_get_serial_sequence('events', 'event_key'), $1)", [2 * posts]);
  const bytes = (await size()) - bytesBefore;
  await client.query("VACUUM (ANALYZE)");
  await client.query("CHECKPOINT");
  return bytes;
}
