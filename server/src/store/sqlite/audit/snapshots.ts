import { type AuditChange, HIDDEN_FIELDS } from "../../../domain/audit.js";
import { DISABLER_BITS, DISABLERS } from "../../../domain/bots/disabled-by.js";
import { SKIPPED_BY_OWNER } from "../../../domain/events/update.js";
import type { Changed, SnapshotKind } from "../../audited-verbs.js";
import { FEED } from "../../parts/feed-store.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import type { Database } from "../binding.js";

/** What is compared, as JSON. A field that begins with `_` tells that something has changed, and is not kept. */
type Snapshot = Record<string, unknown>;

/** The destination of the webhook ?2 of the log ?1, as `dest`. */
const OF_WEBHOOK = `
    FROM destinations first JOIN destinations dest ON dest.log_key = first.log_key AND dest.name = ?2
    WHERE first.id = ?1 AND first.destination_key = first.log_key`;
/** All who keep a bot disabled, as a list; null also of what a version before has disabled. */
const WHO_DISABLED = `iif(disabled_at IS NULL OR disabled_by = 0, NULL, json('[' || substr(
        ${DISABLERS.map((who) => `iif(disabled_by & ${DISABLER_BITS[who]}, ',"${who}"', '')`).join(" || ")}, 2) || ']'))`;

/**
 * By kind, the fields of what has the key ?1, ?2 …; no row when it is not there. The other engine has the same fields.
 *
 * No field names a user of the product, or the author of a post, unless that is a bot: entries outlive the erasure of those. A direct channel's
 * title and description may name its user.
 */
const SNAPSHOTS: Record<SnapshotKind, string> = {
  bot: `
    SELECT json_object('username', username, 'display_name', display_name, 'description', description,
      'disabled', iif(disabled_at IS NULL, NULL, json('true')), 'disabled_by', ${WHO_DISABLED}, 'metadata', metadata, 'token', token_hash,
      'subscription', iif(subscription IS NULL, NULL, json_object('event_types', json(subscription -> '$.eventTypes'),
        'posts', subscription ->> '$.posts', 'own_posts', json(subscription -> '$.ownPosts'))),
      'commands', commands, 'visibility', iif(is_listed, 'listed', NULL), 'review', review_status,
      'review_note', review_note) AS snapshot
    FROM bots WHERE id = ?1`,
  channel: `
    SELECT json_object('slug', slug, 'title', iif(direct_bot_id IS NULL, title, NULL), '_title', title,
      'description', iif(direct_bot_id IS NULL, description, NULL), '_description', description,
      'external_id', external_id, 'metadata', metadata, 'bot_id', direct_bot_id) AS snapshot
    FROM channels WHERE id = ?1`,
  attachment: `
    SELECT json_object('role', a.role, '_attached_at', a.attached_at) AS snapshot
    FROM bots b JOIN channels c ON c.id = ?2 JOIN attachments a USING (bot_key, channel_key) WHERE b.id = ?1`,
  webhook: `
    SELECT json_object('url', dest.url, 'secret', dest.secret, 'settings', dest.settings,
      'paused', iif(dest.paused_at IS NULL, NULL, json('true')), 'pause_reason', dest.pause_reason) AS snapshot
    ${OF_WEBHOOK} AND dest.url IS NOT NULL`,
  failures: `
    SELECT json_object('failed', dest.failed_count, 'scheduled', dest.scheduled_count) AS snapshot ${OF_WEBHOOK}`,
  skipped: `
    SELECT json_object('skipped_update_id', d.first_number) AS snapshot
    FROM deliveries d WHERE d.destination_key = (SELECT dest.destination_key ${OF_WEBHOOK})
      AND d.first_number = ?3 AND d.state = ${STATE_CODE.failed} AND d.last_error = '${SKIPPED_BY_OWNER}'`,
  consumer: `
    SELECT json_object('position', iif(?1 = '${FEED}', NULL, c.position)) AS snapshot FROM consumers c
    WHERE c.bot_key = ifnull((SELECT bot_key FROM bots WHERE id = ?1),
        (SELECT first_key FROM feed WHERE id = 1 AND partitions > 0 AND ?1 = '${FEED}')) AND c.name = ?2`,
  post: `
    SELECT json_object('author_type', p.payload ->> '$.author.type',
      'bot_id', iif(p.payload ->> '$.author.type' = 'bot', p.payload ->> '$.author.id', NULL)) AS snapshot
    FROM channels c JOIN events p USING (channel_key) WHERE c.id = ?2 AND p.is_listed = 1 AND p.id = ?1`,
  "given up": `
    SELECT json_object('_handed_in_at', max(handed_in_at), 'handed_in', count(handed_in_at)) AS snapshot
    FROM given_up WHERE bot_key = (SELECT bot_key FROM bots WHERE id = ?1)`,
  owner: `
    SELECT nullif(json_patch('{}', json_object('suspended', iif(suspended_at IS NULL, NULL, json('true')), 'reason', reason,
      'limits', iif(limits IS NULL, NULL, json_patch('{}', json_object('bots', limits ->> '$.bots', 'channels', limits ->> '$.channels',
        'posts_per_second', limits ->> '$.postsPerSecond', 'destinations', limits ->> '$.destinations', 'bytes_kept', limits ->> '$.bytesKept'))),
      'metadata', metadata)), '{}') AS snapshot
    FROM owners WHERE user_id = ?1`,
  user: "SELECT '{}' AS snapshot FROM erased_users WHERE user_id = ?1 AND again_at = 0",
};

/** @returns reads what has a key; undefined when it is not there, or when nothing has been said of an owner */
export function snapshotReader(db: Database) {
  const statements = new Map(Object.entries(SNAPSHOTS).map(([kind, sql]) => [kind, db.prepare(sql)]));
  return ({ kind, key }: Pick<Changed, "kind" | "key">): Snapshot | undefined => {
    const row = statements.get(kind)?.get(...key) as { snapshot: string | null } | undefined;
    return row?.snapshot ? (JSON.parse(row.snapshot) as Snapshot) : undefined;
  };
}

/** What an entry keeps of a change; undefined when there was none. */
export function changesBetween(
  before: Snapshot | undefined,
  after: Snapshot | undefined,
): Record<string, AuditChange> | undefined {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const textOf = (value: unknown) => JSON.stringify(value ?? null);
  const changed = names.filter((name) => textOf(before?.[name]) !== textOf(after?.[name]));
  if (changed.length === 0 && !before === !after) return undefined;
  const kept = changed.filter((name) => !name.startsWith("_"));
  return Object.fromEntries(kept.map((name) => [name, changeOf(name, before?.[name], after?.[name])]));
}

function changeOf(name: string, before: unknown, after: unknown): AuditChange {
  if (HIDDEN_FIELDS.includes(name)) return {};
  return { ...(before != null && { before }), ...(after != null && { after }) };
}
