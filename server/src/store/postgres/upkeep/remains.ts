import { channelOf, erasePayload } from "../../../domain/events/post.js";
import type { UpkeepStep, UpkeepSteps } from "../../parts/upkeep-store.js";
import type { ErasedRow, EraseEdits, Remains } from "../../shared/remains.js";
import type { Store } from "../../store.js";
import { eraseAudit } from "../audit/audit.js";
import type { Database, Statement } from "../connection/connection.js";
import { REMOVE_KEYS, REMOVE_KEYS_OF_BOTS } from "../posts/idempotency-keys.js";
import { sweptThrough } from "./event-sweep.js";
import { FORGET_BOTS } from "./moved-owners.js";
import type { UsageCounts } from "./usage-counts.js";

/** @param owners a condition on `owner_user_id`, an index range */
const oldest = (name: string, owners: string): Statement => ({
  name,
  text: `
    SELECT owner_user_id AS "ownerUserId", kind, key FROM (
      (SELECT owner_user_id, 1 AS rank, 'post' AS kind, event_key AS key FROM erased_posts WHERE ${owners}
      ORDER BY owner_user_id, event_key LIMIT 1)
      UNION ALL
      (SELECT owner_user_id, 2, 'channel', channel_key FROM removed_channels WHERE id IS NULL AND ${owners}
      ORDER BY owner_user_id, channel_key LIMIT 1)
      UNION ALL
      (SELECT owner_user_id, 3, 'bot', bot_key FROM removed_bots WHERE ${owners}
      ORDER BY owner_user_id, bot_key LIMIT 1)) oldest
    ORDER BY owner_user_id, rank LIMIT 1`,
});
const SELECT_OF_OWNER = oldest("select-remains-of-owner", "owner_user_id = $1");
const SELECT_OF_NEXT = oldest("select-remains-of-next-owner", "owner_user_id > $1");
const SELECT_OF_FIRST = oldest("select-remains-of-first-owner", "true");

const SELECT_POST_OF_OWNER: Statement = {
  name: "select-erased-post-of-owner",
  text: "SELECT event_key AS key FROM erased_posts WHERE owner_user_id = $1 ORDER BY event_key LIMIT 1",
};

/** Rows are locked in the order of their keys, so that whoever locks several of them never deadlocks. */
const LOCKED = `
    locked AS (
      SELECT event_key FROM events WHERE event_key = ANY ($1::bigint[]) ORDER BY event_key FOR UPDATE)`;

const SELECT_EDITS: Statement = {
  name: "select-edits",
  text: `
    SELECT event_key AS "eventKey", payload FROM events WHERE subject_key = $1 ORDER BY event_key DESC LIMIT $2`,
};
/**
 * Before the posts: the bytes of a revision are those of its post's channel. Of a post that is deleted, it is the revision of an edit that
 * committed while the deletion waited for it.
 */
const REMOVE_REVISIONS: Statement = {
  name: "remove-revisions",
  text: "DELETE FROM edited_posts WHERE event_key = ANY ($1::bigint[])",
};
/** Clears `subject_key`, so that an erased edit is not found again. */
const ERASE_EDITS: Statement = {
  name: "erase-edits",
  text: `
    WITH ${LOCKED}
    UPDATE events p SET payload = e.payload, cause = NULL, subject_key = NULL
    FROM locked JOIN unnest($1::bigint[], $2::text[]) AS e (event_key, payload) USING (event_key)
    WHERE p.event_key = locked.event_key`,
};
/**
 * Below the position of the sweep no log points at the post, and the sweep does not return, so the post itself is removed too.
 */
const FORGET_POST: Statement = {
  name: "forget-erased-post",
  text: `
    WITH removed AS (DELETE FROM events WHERE event_key = $1 AND event_key <= ${sweptThrough("'events'")})
    DELETE FROM erased_posts WHERE event_key = $1 AND NOT EXISTS (SELECT FROM events WHERE subject_key = $1)`,
};

const SELECT_OF_CHANNEL: Statement = {
  name: "select-events-of-channel",
  text: `
    SELECT event_key AS "eventKey", payload, event_type AS "eventType" FROM events WHERE channel_key = $1 LIMIT $2`,
};
/** The cell may have the same event erased already, from a channel of an owner who has lived there: logs point at both. */
const ERASED_ID = `
  CASE WHEN EXISTS (SELECT FROM events o WHERE o.channel_key = 0 AND NOT o.is_listed AND o.id = p.id) THEN gen_random_uuid() ELSE p.id END`;
const ERASE_OF_CHANNEL: Statement = {
  name: "erase-events-of-channel",
  text: `
    WITH ${LOCKED},
    swept AS (SELECT ${sweptThrough("'events'")} AS through),
    removed AS (
      DELETE FROM events p USING locked WHERE p.event_key = locked.event_key AND p.event_key <= (SELECT through FROM swept))
    UPDATE events p SET payload = e.payload, cause = NULL, channel_key = 0, is_listed = false, subject_key = NULL, id = ${ERASED_ID}
    FROM locked JOIN unnest($1::bigint[], $2::text[]) AS e (event_key, payload) USING (event_key)
    WHERE p.event_key = locked.event_key AND p.event_key > (SELECT through FROM swept)`,
};
/** With the attachments of the feed and of guests, which are there when the owner has left the cell. */
const FORGET_CHANNEL: Statement = {
  name: "forget-removed-channel",
  text: `
    WITH detached AS (DELETE FROM attachments WHERE channel_key = $1)
    DELETE FROM removed_channels WHERE channel_key = $1
      AND NOT EXISTS (SELECT FROM events WHERE channel_key = $1)
      AND NOT EXISTS (SELECT FROM idempotency_keys WHERE target_key = $1)`,
};

/** The feed's attachments, after it was switched off; those of a bot were removed with the bot. */
const REMOVE_ATTACHMENTS: Statement = {
  name: "remove-attachments-part",
  text: `
    DELETE FROM attachments WHERE bot_key = $1 AND channel_key IN (
      SELECT channel_key FROM attachments WHERE bot_key = $1 ORDER BY channel_key LIMIT $2 FOR UPDATE)
    RETURNING channel_key`,
};
const REMOVE_ATTEMPTS: Statement = {
  name: "remove-attempts-part",
  text: `
    DELETE FROM failed_attempts WHERE destination_key = $1 AND (number, attempt) IN (
      SELECT number, attempt FROM failed_attempts WHERE destination_key = $1 ORDER BY number, attempt LIMIT $2 FOR UPDATE)
    RETURNING number`,
};
/** Custom events to this bot, which no other log points at; of the feed, what only it has. */
const ERASE_EVENTS: Statement = {
  name: "erase-events-part",
  text: `
    UPDATE events SET payload = '{}', cause = NULL, subject_key = NULL, owner_user_id = NULL
    WHERE event_key = ANY (ARRAY(
      SELECT event_key FROM events WHERE subject_key = -$1::bigint ORDER BY event_key LIMIT $2 FOR UPDATE))
    RETURNING event_key`,
};
const REMOVE_LOG: Statement = {
  name: "remove-log-part",
  text: `
    DELETE FROM entries WHERE log_key = $1 AND number = ANY (ARRAY(
      SELECT number FROM entries WHERE log_key = $1 ORDER BY number LIMIT $2 FOR UPDATE))
    RETURNING number`,
};
const REMOVE_DELIVERIES: Statement = {
  name: "remove-deliveries-part",
  text: `
    DELETE FROM deliveries WHERE destination_key = $1 AND first_number = ANY (ARRAY(
      SELECT first_number FROM deliveries WHERE destination_key = $1 ORDER BY first_number LIMIT $2 FOR UPDATE))
    RETURNING first_number`,
};
/** At most 1,700 small rows, which are no more than a step's worth of work. */
const REMOVE_TIMELINE: Statement = {
  name: "remove-timeline",
  text: "DELETE FROM timeline WHERE destination_key = $1",
};
/** At most `MAX_GIVEN_UP_PER_BOT` rows. */
const REMOVE_GIVEN_UP: Statement = {
  name: "remove-given-up",
  text: "DELETE FROM given_up WHERE bot_key = $1",
};
const FORGET_BOT: Statement = {
  name: "forget-removed-bot",
  text: `
    DELETE FROM removed_bots WHERE bot_key = $1
      AND NOT EXISTS (SELECT FROM attachments WHERE bot_key = $1)
      AND NOT EXISTS (SELECT FROM failed_attempts WHERE destination_key = $1)
      AND NOT EXISTS (SELECT FROM given_up WHERE bot_key = $1)
      AND NOT EXISTS (SELECT FROM events WHERE subject_key = -$1::bigint)
      AND NOT EXISTS (SELECT FROM entries WHERE log_key = $1)
      AND NOT EXISTS (SELECT FROM deliveries WHERE destination_key = $1)
      AND NOT EXISTS (SELECT FROM timeline WHERE destination_key = $1)
      AND NOT EXISTS (SELECT FROM idempotency_keys WHERE target_key = -$1::bigint)`,
};

const SELECT_NAMED: Statement = {
  name: "select-events-that-name-owner",
  text: `
    SELECT event_key AS "eventKey", payload, event_type AS "eventType" FROM events
    WHERE owner_user_id = $1 ORDER BY event_key LIMIT $2`,
};
const ERASE_NAMED: Statement = {
  name: "erase-events-that-name-owner",
  text: `
    WITH ${LOCKED}
    UPDATE events p SET payload = e.payload, cause = NULL, owner_user_id = NULL
    FROM locked JOIN unnest($1::bigint[], $2::text[]) AS e (event_key, payload) USING (event_key)
    WHERE p.event_key = locked.event_key`,
};

/** First: what an upkeep tells meanwhile is an event by then. */
const REMOVE_ALERTS: Statement = {
  name: "remove-alerts-of-owner",
  text: "DELETE FROM alerts WHERE owner_user_id = $1",
};

export interface RemainsParts extends Pick<Store, "eraseNames"> {
  erase: UpkeepSteps<Promise<UpkeepStep>>["erase"];
  erasePosts: UpkeepSteps<Promise<UpkeepStep>>["erasePosts"];
  eraseEdits: EraseEdits;
  hasRemains(ownerUserId: string): Promise<boolean>;
}

/**
 * A step never concludes from what it removed itself that nothing is left: a thing is forgotten only where its tables
 * say so, because a suspended instance, or one of the release before, may erase it too. Whoever writes to a thing holds
 * its row, or its lane, until the commit, so its deletion waits for all who began before, and nothing is added after it.
 */
export function remainsParts(db: Database, { areCounted }: Pick<UsageCounts, "areCounted">): RemainsParts {
  /** Whose remains the step before erased: owners take turns. */
  let lastOwner = "";

  const findOf = async (ownerUserId: string): Promise<Remains | undefined> =>
    (await db.query<Remains>(SELECT_OF_OWNER, [ownerUserId]))[0];

  const find = async (ownerUserId: string | undefined): Promise<Remains | undefined> => {
    if (ownerUserId !== undefined) return await findOf(ownerUserId);
    const [next] = await db.query<Remains>(SELECT_OF_NEXT, [lastOwner]);
    const found = next ?? (await db.query<Remains>(SELECT_OF_FIRST))[0];
    lastOwner = found?.ownerUserId ?? "";
    return found;
  };

  const erase = async (statement: Statement, rows: readonly ErasedRow[]): Promise<void> => {
    if (rows.length === 0) return;
    await db.query(statement, [
      rows.map(({ eventKey }) => eventKey),
      rows.map(({ payload, eventType }) => erasePayload(payload, eventType)),
    ]);
  };

  const eraseEdits: EraseEdits = async (postKey, limit) => {
    const edits = await db.query<ErasedRow>(SELECT_EDITS, [postKey, limit]);
    await erase(ERASE_EDITS, edits);
    if (edits.length === limit) return true;
    await db.transaction([
      [REMOVE_REVISIONS, [[postKey]]],
      [FORGET_POST, [postKey]],
    ]);
    return false;
  };

  /** @returns the channel's id, if it was found in its posts */
  const eraseChannel = async (channelKey: number, limit: number): Promise<string[]> => {
    const events = await db.query<ErasedRow>(SELECT_OF_CHANNEL, [channelKey, limit]);
    if (events.length > 0) await db.query(REMOVE_REVISIONS, [events.map(({ eventKey }) => eventKey)]);
    await erase(ERASE_OF_CHANNEL, events);
    if (events.length < limit) {
      await db.query(REMOVE_KEYS, [channelKey, limit]);
      await db.query(FORGET_CHANNEL, [channelKey]);
    }
    const id = channelOf(events);
    return id === undefined ? [] : [id];
  };

  const removeBot = async (botKey: number, limit: number): Promise<void> => {
    if ((await db.query(REMOVE_DELIVERIES, [botKey, limit])).length === limit) return;
    let left = limit;
    for (const part of [REMOVE_ATTACHMENTS, REMOVE_ATTEMPTS, ERASE_EVENTS, REMOVE_LOG]) {
      left -= (await db.query(part, [botKey, left])).length;
      if (left <= 0) return;
    }
    await db.query(REMOVE_TIMELINE, [botKey]);
    await db.query(REMOVE_GIVEN_UP, [botKey]);
    await db.query(REMOVE_KEYS, [-botKey, limit]);
    await db.query(FORGET_BOT, [botKey]);
  };

  return {
    eraseEdits,
    hasRemains: async (ownerUserId) => (await findOf(ownerUserId)) !== undefined,

    async erase({ ownerUserId }, limit) {
      const remains = await find(ownerUserId);
      if (!remains) return { isMore: false };
      const { kind, key } = remains;
      if (kind !== "post" && !(await areCounted(remains, Date.now()))) return { isMore: true };
      if (kind === "post") await eraseEdits(key, limit);
      if (kind === "bot") await removeBot(key, limit);
      return { isMore: true, erasedIds: kind === "channel" ? await eraseChannel(key, limit) : [] };
    },

    async erasePosts({ ownerUserId }, limit) {
      const [post] = await db.query<Pick<Remains, "key">>(SELECT_POST_OF_OWNER, [ownerUserId]);
      if (post) await eraseEdits(post.key, limit);
      return { isMore: post !== undefined };
    },

    async eraseNames(ownerUserId, limit, by) {
      await db.query(REMOVE_ALERTS, [ownerUserId]);
      await db.query(FORGET_BOTS, [ownerUserId]);
      const removed = await eraseAudit(db, ownerUserId, limit, by?.audit);
      const events = await db.query<ErasedRow>(SELECT_NAMED, [ownerUserId, limit]);
      // First: the events say where its bots have used keys in channels of others.
      const keys = await db.query(REMOVE_KEYS_OF_BOTS, [events.map(({ eventKey }) => eventKey), limit]);
      if (keys.length === limit) return true;
      await erase(ERASE_NAMED, events);
      return events.length === limit || removed === limit;
    },
  };
}
