import type pg from "pg";
import { listeningOf } from "../../../domain/events/subscription.js";
import { GUEST_HEARS } from "../../cells/guests/guests.js";
import { RELAY } from "../../parts/guest-store.js";
import { GUEST_NUMBERS, guestOwner, isGuest } from "../../shared/guests.js";
import { inTransaction } from "../connection/client.js";
import { CLOCK_NOW } from "../connection/database-clock.js";
import { HAS_AWAY, INCARNATION, noteAway } from "../connection/incarnation.js";
import { UPDATES_EVER } from "../owners/usage.js";
import type { IntroduceGuests } from "./guests.js";
import { isStaying, logsOf } from "./owner-tables.js";
import { heldOf } from "./records.js";
import type { CellSession } from "./session.js";

/**
 * The owner's bots, where any of them is in a channel of another owner: guests in the cell that the owner comes to, before and while they arrive, and
 * guests in the cell that they leave, afterwards. Those channels, and what these bots have done there, know them in each cell by one key, which stays.
 *
 * While the owner arrives, the guest hears in that cell what the bot will hear there (`others-channels.ts`), numbered far above what comes with the bot.
 * When they are let in, the guest becomes the bot, and what the bot had not heard before goes on from its last number.
 */

/** $1: the owner. */
const SELECT_AWAY = `
  SELECT ${HAS_AWAY} AND (
    EXISTS (SELECT FROM bots b JOIN attachments a USING (bot_key) JOIN channels c USING (channel_key) WHERE b.owner_user_id = $1 AND c.owner_user_id <> $1)
    OR EXISTS (SELECT FROM ${logsOf("$1")} l JOIN entries USING (log_key) JOIN events p USING (event_key) WHERE ${isStaying("p", "$1")})) AS away`;
/** Whether bots of the owner are, or were, in channels of others, or guests in the cell that they come to. */
export async function areAway(from: CellSession, to: CellSession, ownerUserId: string): Promise<boolean> {
  const { rows } = await from.client.query<{ away: boolean }>(SELECT_AWAY, [ownerUserId]);
  return rows[0]?.away === true || (await guestKeys(to.client, ownerUserId)).length > 0;
}

/** $1: the owner. */
const SELECT_OWN_BOTS = `
  SELECT id AS "botId", bot_key AS key FROM bots WHERE owner_user_id = $1 ORDER BY bot_key`;
/** $1: keys, $2: ids, $3: the owner. */
const LEARN_GUESTS = `
  INSERT INTO new_bot_keys (bot_key, new_key, is_neighbour, is_home, is_adopted)
  SELECT k.key, b.bot_key, false, false, true FROM unnest($1::bigint[], $2::uuid[]) AS k (key, id)
  CROSS JOIN LATERAL (SELECT bot_key, owner_user_id FROM bots WHERE id = k.id OFFSET 0) b
  WHERE b.owner_user_id = ${guestOwner("$3::text")}
  ON CONFLICT (bot_key) DO UPDATE SET new_key = excluded.new_key, is_adopted = true
  RETURNING new_key AS key`;
/** $1: keys of logs. The numbers between are not counted as updates. */
const NUMBER_FAR = `
  UPDATE lanes SET unused_count = unused_count + ${GUEST_NUMBERS} - last_update_id, last_update_id = ${GUEST_NUMBERS}
  WHERE bot_key = ANY ($1::bigint[]) AND last_update_id < ${GUEST_NUMBERS}`;

/** Makes all bots of the owner guests in the cell that they come to, with empty logs. Called before anything of the bots is copied. */
export async function becomeGuests(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
  introduce: IntroduceGuests,
): Promise<void> {
  const { rows: bots } = await from.client.query<{ botId: string; key: number }>(SELECT_OWN_BOTS, [
    ownerUserId,
  ]);
  await introduce(bots.map(({ botId }) => ({ botId, ownerUserId })));
  await to.client.query(noteAway("true"));
  const { rows: guests } = await to.client.query<{ key: number }>(LEARN_GUESTS, [
    bots.map(({ key }) => key),
    bots.map(({ botId }) => botId),
    ownerUserId,
  ]);
  const keys = guests.map(({ key }) => key);
  await to.client.query(NUMBER_FAR, [keys]);
  await emptyLogs(to.client, keys);
}

/** $1: the owner. */
const SELECT_GUESTS = `SELECT bot_key AS key FROM bots WHERE owner_user_id = ${guestOwner("$1::text")}`;

/** The keys of the owner's bots that are guests in a cell. */
async function guestKeys(client: pg.Client, ownerUserId: string): Promise<number[]> {
  const { rows } = await client.query<{ key: number }>(SELECT_GUESTS, [ownerUserId]);
  return rows.map(({ key }) => key);
}

const ROWS_PER_STEP = 5_000;
/** $1: keys of logs. What a bot has heard, been sent and missed. */
const EMPTY = Object.entries({
  deliveries: "destination_key",
  failed_attempts: "destination_key",
  timeline: "destination_key",
  given_up: "bot_key",
  entries: "log_key",
}).map(
  ([table, key]) => `
  DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${key} = ANY ($1::bigint[]) LIMIT ${ROWS_PER_STEP}))`,
);

async function emptyLogs(client: pg.Client, keys: readonly number[]): Promise<void> {
  if (keys.length > 0)
    for (const statement of EMPTY) while ((await client.query(statement, [keys])).rowCount === ROWS_PER_STEP);
}

/** Nobody reads the logs of guests: those of bots of an owner who has left, or did not arrive. It may be run again. */
export async function emptyLogsOfGuests({ client }: CellSession, ownerUserId: string): Promise<void> {
  await emptyLogs(client, await guestKeys(client, ownerUserId));
}

const { postFilter, hearsCustom, hearsOthers } = listeningOf(GUEST_HEARS);
const HEARS_AS_GUEST = `post_filter = ${postFilter}, hears_custom = ${hearsCustom}, hears_others = ${hearsOthers}`;
const SUBSCRIPTION = `'${JSON.stringify(GUEST_HEARS)}'`;
/** SQL of the attachments `a` to channels of other cells. */
const IN_COPIES = `(SELECT ${isGuest("c.owner_user_id")} FROM channels c WHERE c.channel_key = a.channel_key)`;
/** $1: the keys of guests. In channels of other cells there are none. */
const HEAR_AS_GUESTS: readonly string[] = [
  `DELETE FROM attachments a WHERE a.bot_key = ANY ($1::bigint[]) AND (a.attached_by = '' OR ${IN_COPIES})`,
  `UPDATE attachments SET ${HEARS_AS_GUEST} WHERE bot_key = ANY ($1::bigint[])`,
  `UPDATE bots SET subscription = ${SUBSCRIPTION} WHERE bot_key = ANY ($1::bigint[])`,
];

/** Of bots of an owner who has not arrived. */
export async function hearAsGuests({ client }: CellSession, ownerUserId: string): Promise<void> {
  const keys = await guestKeys(client, ownerUserId);
  if (keys.length === 0) return;
  await inTransaction(client, async () => {
    for (const statement of HEAR_AS_GUESTS) await client.query(statement, [keys]);
  });
}

/** $1: the keys of bots, $2: the owner. As `createBot` makes a guest; its token is nobody's. */
const NAME_GUESTS = `
  UPDATE bots SET owner_user_id = ${guestOwner("$2::text")}, token_hash = encode(sha256(gen_random_uuid()::text::bytea), 'hex'), metadata = NULL,
    is_listed = false, review_status = NULL, review_note = NULL, reviewed_at = NULL WHERE bot_key = ANY ($1::bigint[])`;
/** $1: the keys. A lane is kept: whoever waits for it goes on with the guest's. */
const CLEAR_GUESTS: readonly string[] = [
  NUMBER_FAR,
  "DELETE FROM consumers WHERE bot_key = ANY ($1::bigint[])",
  `INSERT INTO consumers (bot_key, slot, name, position, created_at)
   SELECT key, 1, '${RELAY}', 0, ${CLOCK_NOW} FROM unnest($1::bigint[]) AS key`,
  "DELETE FROM destinations WHERE destination_key = ANY ($1::bigint[])",
  `INSERT INTO destinations (destination_key, log_key, id, owner_user_id, counted_updates, counted_deliveries)
   SELECT bot_key, bot_key, id, owner_user_id, ${UPDATES_EVER}, 0 FROM bots JOIN lanes l USING (bot_key) WHERE bot_key = ANY ($1::bigint[])`,
  `UPDATE lanes l SET is_open = false, due_at = NULL, holder = NULL, lease_until = NULL, resting_until = 0,
    channel_count = (SELECT count(*) FROM attachments a WHERE a.bot_key = l.bot_key)
   WHERE bot_key = ANY ($1::bigint[])`,
];

/**
 * Makes guests of these bots in the last step, where they were at home: in the channels that others have in the cell.
 *
 * @param keys of all bots of the owner, if one of them is in a channel of another
 */
export async function leaveGuests(
  client: pg.Client,
  ownerUserId: string,
  keys: readonly number[],
): Promise<void> {
  if (keys.length === 0) return;
  await client.query(NAME_GUESTS, [keys, ownerUserId]);
  for (const statement of [...HEAR_AS_GUESTS, ...CLEAR_GUESTS]) await client.query(statement, [keys]);
}

const SELECT_ADOPTED = "SELECT bot_key AS key FROM new_bot_keys WHERE is_adopted";

/** The keys, in the cell that is left, of bots that were guests in the other one. */
export async function adoptedKeys({ client }: CellSession): Promise<number[]> {
  return (await client.query<{ key: number }>(SELECT_ADOPTED)).rows.map(({ key }) => key);
}

/** Tables of which the rows of these bots are held. In the order in which they are written: whoever waits for a lane finds the bot. */
export const HELD_OF_BOTS = ["bots", "destinations", "consumers", "lanes"] as const;

const SELECT_COLUMNS = `
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns,
    string_agg(format('%1$I = excluded.%1$I', attname), ', ' ORDER BY attnum) FILTER (WHERE attidentity = '') AS updates
  FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`;
const HELD_BOT_KEYS = `ARRAY(SELECT bot_key FROM ${heldOf("bots")})`;
/** $1: the owner. */
const HAS_HELD = `SELECT EXISTS (SELECT FROM ${heldOf("bots")}) AS "hasHeld"`;
/** With those of their further destinations, whose keys may be lower: posts lock all of them in this order. */
const LOCK_LANES = `
  SELECT count(*) FROM (
    SELECT FROM lanes WHERE bot_key = ANY (ARRAY(
      SELECT unnest(${HELD_BOT_KEYS}) UNION ALL SELECT destination_key FROM destinations WHERE log_key = ANY (${HELD_BOT_KEYS}) AND destination_key <> log_key))
    ORDER BY bot_key FOR UPDATE) l`;
/** What the guests have heard, and the bots not yet, at the end of what these have. */
const RENUMBER = `
  WITH heard AS (
    DELETE FROM entries WHERE log_key = ANY (${HELD_BOT_KEYS}) AND number >= ${GUEST_NUMBERS} RETURNING log_key, number, event_key),
  added AS (
    INSERT INTO entries (log_key, number, event_key)
    SELECT h.log_key, l.last_update_id + row_number() OVER (PARTITION BY h.log_key ORDER BY h.number), h.event_key
    FROM (SELECT DISTINCT ON (log_key, event_key) * FROM heard ORDER BY log_key, event_key, number) h
    JOIN lanes l ON l.bot_key = h.log_key
    WHERE NOT EXISTS (SELECT FROM entries e WHERE e.log_key = h.log_key AND e.event_key = h.event_key AND e.number < ${GUEST_NUMBERS})
    RETURNING log_key, number)
  UPDATE lanes l SET last_update_id = l.last_update_id + a.count, last_update_at = greatest(l.last_update_at, ${CLOCK_NOW})
  FROM (SELECT log_key, count(*) AS count FROM added GROUP BY log_key) a WHERE l.bot_key = a.log_key`;
/** As the last step adapts other lanes. */
const ADAPT_LANES = `
  UPDATE lanes SET incarnation = CASE WHEN incarnation = (SELECT (held::json ->> 'incarnation')::bigint FROM owner_moves WHERE owner_user_id = $1)
    THEN ${INCARNATION} ELSE -1 END
  WHERE bot_key = ANY (${HELD_BOT_KEYS})`;
/** In channels that they have left the guests were only for what they had heard there. */
const LEAVE_AS_GUESTS = `DELETE FROM attachments WHERE bot_key = ANY (${HELD_BOT_KEYS}) AND attached_by = ''`;

/** Makes the guests the owner's bots, in the transaction that lets the owner in. */
export async function adoptGuests({ client }: CellSession, ownerUserId: string): Promise<void> {
  const run = (statement: string) => client.query(statement, [ownerUserId]);
  if (!(await run(HAS_HELD)).rows[0].hasHeld) return;
  await run(LOCK_LANES);
  for (const table of HELD_OF_BOTS) {
    const { rows } = await client.query<{ columns: string; updates: string }>(SELECT_COLUMNS, [table]);
    const [{ columns, updates }] = rows as [{ columns: string; updates: string }];
    const key = table === "destinations" ? "destination_key" : "bot_key";
    if (table === "consumers") await run(`DELETE FROM consumers WHERE bot_key = ANY (${HELD_BOT_KEYS})`);
    await run(`
      INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${heldOf(table)} h
      ON CONFLICT (${table === "consumers" ? "bot_key, slot" : key}) DO UPDATE SET ${updates}`);
  }
  for (const statement of [ADAPT_LANES, RENUMBER, LEAVE_AS_GUESTS]) await run(statement);
}
