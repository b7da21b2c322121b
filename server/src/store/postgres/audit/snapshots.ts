import { HIDDEN_FIELDS } from "../../../domain/audit.js";
import { DISABLER_BITS, DISABLERS } from "../../../domain/bots/disabled-by.js";
import { SKIPPED_BY_OWNER } from "../../../domain/events/update.js";
import { type Changed, FIELDS_OF_PLATFORM, type SnapshotKind } from "../../audited-verbs.js";
import { FEED } from "../../parts/feed-store.js";
import { isTold, waitToTell } from "../../shared/audit-readers.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import { AUDIT_COLUMNS } from "../../shared/rows/audit-rows.js";
import type { Statement } from "../connection/connection.js";
import { DATABASE_NOW, ID_OF_MOMENT, MOMENT } from "../connection/database-clock.js";
import { TOLD } from "../guests/tell.js";

/** The end of a statement that has written entries, in `written`. */
export const WAIT_TO_TELL = waitToTell({
  owner: "w.owner_user_id",
  id: "w.id::text",
  at: DATABASE_NOW,
  from: "FROM written w",
});

/** Stands for what is secret or long: only whether it has changed is of interest. */
const hashed = (text: string) => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;
/** All who keep a bot disabled, as a list; null also of what a version before has disabled. */
const WHO_DISABLED = `CASE WHEN disabled_at IS NOT NULL AND disabled_by <> 0 THEN to_jsonb(array_remove(ARRAY[
          ${DISABLERS.map((who) => `CASE WHEN disabled_by & ${DISABLER_BITS[who]} <> 0 THEN '${who}' END`).join(", ")}], NULL)) END`;
/** The destination of the webhook $2 of the log $1, as `dest`. */
const OF_WEBHOOK = `
      FROM destinations first JOIN destinations dest ON dest.log_key = first.log_key AND lower(dest.name) = $2
      WHERE first.id = $1 AND first.destination_key = first.log_key`;

/**
 * By kind, the fields of what has the key $1, $2, $3, in `snapshot`; no row when it is not there. A field that begins with `_` tells that
 * something has changed, and is not kept. The other engine has the same fields.
 *
 * No field names a user of the product, or the author of a post, unless that is a bot: entries outlive the erasure of those. A direct channel's
 * title and description may name its user.
 *
 * Verbs lock what they change in their first statements, behind which this is read; what not all verbs lock first is locked here, and nothing
 * but its name is locked before it then.
 */
const SNAPSHOTS: Record<SnapshotKind, { keys: readonly string[]; text: string; lock?: string }> = {
  bot: {
    keys: ["uuid"],
    text: `
      SELECT jsonb_build_object('username', username, 'display_name', display_name, 'description', ${hashed("description")},
        'disabled', CASE WHEN disabled_at IS NOT NULL THEN true END, 'disabled_by', ${WHO_DISABLED}, 'metadata', ${hashed("metadata")},
        'token', ${hashed("token_hash")},
        'subscription', CASE WHEN subscription IS NOT NULL THEN jsonb_build_object('event_types', subscription::jsonb -> 'eventTypes',
          'posts', subscription::jsonb -> 'posts', 'own_posts', subscription::jsonb -> 'ownPosts') END,
        'commands', ${hashed("commands")}, 'visibility', CASE WHEN is_listed THEN 'listed' END, 'review', review_status,
        'review_note', ${hashed("review_note")}) AS snapshot
      FROM bots WHERE id = $1`,
    lock: "FOR NO KEY UPDATE",
  },
  channel: {
    keys: ["uuid"],
    text: `
      SELECT jsonb_build_object('slug', slug, 'title', CASE WHEN direct_bot_id IS NULL THEN title END, '_title', title,
        'description', CASE WHEN direct_bot_id IS NULL THEN ${hashed("description")} END, '_description', ${hashed("description")},
        'external_id', external_id, 'metadata', ${hashed("metadata")}, 'bot_id', direct_bot_id) AS snapshot
      FROM channels WHERE id = $1`,
  },
  attachment: {
    keys: ["uuid", "uuid"],
    text: `
      SELECT jsonb_build_object('role', role, '_attached_at', attached_at) AS snapshot FROM attachments
      WHERE channel_key = (SELECT channel_key FROM channels WHERE id = $2) AND bot_key = (SELECT bot_key FROM bots WHERE id = $1)`,
  },
  webhook: {
    keys: ["uuid", "text"],
    text: `
      SELECT jsonb_build_object('url', ${hashed("dest.url")}, 'secret', ${hashed("dest.secret")}, 'settings', ${hashed("dest.settings")},
        'paused', CASE WHEN dest.paused_at IS NOT NULL THEN true END, 'pause_reason', dest.pause_reason) AS snapshot
      ${OF_WEBHOOK} AND dest.url IS NOT NULL`,
  },
  failures: {
    keys: ["uuid", "text"],
    text: `
      SELECT jsonb_build_object('failed', dest.failed_count, 'scheduled', dest.scheduled_count) AS snapshot ${OF_WEBHOOK}`,
  },
  skipped: {
    keys: ["uuid", "text", "bigint"],
    text: `
      SELECT jsonb_build_object('skipped_update_id', first_number) AS snapshot FROM deliveries
      WHERE destination_key = (SELECT dest.destination_key ${OF_WEBHOOK})
        AND first_number = $3 AND state = ${STATE_CODE.failed} AND last_error = '${SKIPPED_BY_OWNER}'`,
  },
  consumer: {
    keys: ["text", "text"],
    text: `
      SELECT jsonb_build_object('position', CASE WHEN $1 <> '${FEED}' THEN position END) AS snapshot FROM consumers
      WHERE bot_key = coalesce((SELECT bot_key FROM bots WHERE id = nullif($1, '${FEED}')::uuid),
          (SELECT first_key FROM feed WHERE id = 1 AND partitions > 0 AND $1 = '${FEED}')) AND lower(name) = $2`,
  },
  post: {
    keys: ["uuid", "uuid"],
    text: `
      SELECT jsonb_build_object('author_type', payload::jsonb #> '{author,type}',
        'bot_id', CASE WHEN payload::jsonb #>> '{author,type}' = 'bot' THEN payload::jsonb #> '{author,id}' END) AS snapshot
      FROM events
      WHERE channel_key = (SELECT channel_key FROM channels WHERE id = $2) AND is_listed AND id = $1`,
    lock: "FOR UPDATE",
  },
  "given up": {
    keys: ["uuid"],
    text: `
      SELECT jsonb_build_object('_handed_in_at', max(handed_in_at), 'handed_in', count(handed_in_at)) AS snapshot
      FROM given_up WHERE bot_key = (SELECT bot_key FROM bots WHERE id = $1)`,
  },
  owner: {
    keys: ["text"],
    text: `
      SELECT nullif(jsonb_strip_nulls(jsonb_build_object('suspended', CASE WHEN suspended_at IS NOT NULL THEN true END, 'reason', reason,
        'limits', CASE WHEN limits IS NOT NULL THEN jsonb_build_object('bots', limits::jsonb -> 'bots', 'channels', limits::jsonb -> 'channels',
          'posts_per_second', limits::jsonb -> 'postsPerSecond', 'destinations', limits::jsonb -> 'destinations',
          'bytes_kept', limits::jsonb -> 'bytesKept') END, 'metadata', ${hashed("metadata")})), '{}') AS snapshot
      FROM owners WHERE user_id = $1`,
    lock: "FOR NO KEY UPDATE",
  },
  user: {
    keys: ["text"],
    text: "SELECT '{}'::jsonb AS snapshot FROM erased_users WHERE user_id = $1 AND again_at = 0",
    // The upkeep ends an erasure at any time.
    lock: "FOR UPDATE",
  },
};

/** The keys of a kind with their types: without them PostgreSQL does not know that of a key which only a subquery has. */
const typed = (kind: SnapshotKind): string =>
  SNAPSHOTS[kind].keys.reduce(
    (text, type, at) => text.replaceAll(`$${at + 1}`, `$${at + 1}::${type}`),
    SNAPSHOTS[kind].text,
  );

const NEW_ID = `(SELECT ${ID_OF_MOMENT} FROM ${MOMENT})`;

/** Remembers what is there until the end of the transaction. */
const before = (kind: SnapshotKind): Statement => ({
  name: `audit-before-${kind.replace(" ", "-")}`,
  text: `
    WITH found AS MATERIALIZED (${typed(kind)} ${SNAPSHOTS[kind].lock ?? ""})
    SELECT set_config('botyard.audited', coalesce((SELECT jsonb_strip_nulls(snapshot)::text FROM found), ''), true)`,
});

const BOTH_STATES = `both_states AS MATERIALIZED (
      SELECT nullif(current_setting('botyard.audited', true), '')::jsonb AS before,
        (SELECT jsonb_strip_nulls(snapshot) FROM found) AS after)`;
/** What differs, of `both_states`, as an entry has it. */
const CHANGES = `coalesce((
        SELECT json_object_agg(name, CASE WHEN name = ANY ('{${HIDDEN_FIELDS.join()}}') THEN '{}'::jsonb
          ELSE jsonb_strip_nulls(jsonb_build_object('before', before -> name, 'after', after -> name)) END)
        FROM jsonb_object_keys(coalesce(before, '{}') || coalesce(after, '{}')) AS name
        WHERE before -> name IS DISTINCT FROM after -> name AND NOT starts_with(name, '_'))::text, '{}')`;

/**
 * Stores what has changed since, unless nothing has. What is compared is computed once: without MATERIALIZED it was four times, and the
 * statement took twice as long. The parameters after the key are the columns of `auditValues`.
 */
const after = (kind: SnapshotKind): Statement => {
  const first = SNAPSHOTS[kind].keys.length + 1;
  const values = AUDIT_COLUMNS.split(", ").map(
    (column, at) => `$${first + at}::${column === "channel_id" ? "uuid" : "text"}`,
  );
  const field = FIELDS_OF_PLATFORM[kind];
  const owner = field
    ? `CASE WHEN coalesce(before, '{}') - '${field}' <> coalesce(after, '{}') - '${field}' THEN ${values[0]} ELSE '' END`
    : values[0];
  return {
    name: `audit-after-${kind.replace(" ", "-")}`,
    text: `
    WITH found AS (${typed(kind)}),
    ${BOTH_STATES},
    written AS (
      INSERT INTO audit (id, ${AUDIT_COLUMNS}, changes)
      SELECT ${NEW_ID}, ${[owner, ...values.slice(1)].join(", ")}, ${CHANGES}
      FROM both_states WHERE before IS DISTINCT FROM after
      RETURNING id, owner_user_id)
    ${isTold(kind) ? WAIT_TO_TELL : "SELECT FROM written"}`,
  };
};

/** Has what has changed since told to other cells, in the same way. */
const told = (kind: SnapshotKind): Statement => ({
  name: `tell-changes-of-${kind.replace(" ", "-")}`,
  text: `
    WITH found AS (${typed(kind)}),
    ${BOTH_STATES}
    SELECT set_config('${TOLD}', coalesce((
      SELECT ',"changes":' || ${CHANGES} FROM both_states WHERE before IS DISTINCT FROM after), ''), true)`,
});

const statementsFor = (kind: SnapshotKind) => ({
  before: before(kind),
  after: after(kind),
  told: told(kind),
});
type AuditStatements = ReturnType<typeof statementsFor>;

const STATEMENTS = new Map(
  (Object.keys(SNAPSHOTS) as SnapshotKind[]).map((kind) => [kind, statementsFor(kind)] as const),
);

/** The statements around a verb's own ones, the first of them behind those that only lock. */
export function statementsOf({ kind }: Pick<Changed, "kind">): AuditStatements {
  return STATEMENTS.get(kind) as AuditStatements;
}
