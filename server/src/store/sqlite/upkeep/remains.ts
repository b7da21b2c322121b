import { channelOf, erasePayload } from "../../../domain/events/post.js";
import type { UpkeepStep, UpkeepSteps } from "../../parts/upkeep-store.js";
import { changerOf } from "../../shared/change-keys.js";
import type { ErasedRow, Remains } from "../../shared/remains.js";
import { auditEraser } from "../audit/audit.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";
import { sweepPosition } from "./event-sweep.js";

/** An event that names its owner, and where and by which bot it was caused. */
interface NamedRow extends ErasedRow {
  id: string;
  channelKey: number;
  authorKey: number | null;
}

/** Erases the edits of a deleted post, and then forgets it. @returns whether there may be more */
export function editEraser(db: Database): (postKey: number, limit: number) => boolean {
  const selectEdits = db.prepare(`
    SELECT event_key AS eventKey, payload FROM events WHERE subject_key = ? ORDER BY event_key DESC LIMIT +?`);
  /** Clears `subject_key`, so that an erased edit is not found again. */
  const eraseEdit = db.prepare(
    "UPDATE events SET payload = ?, cause = NULL, subject_key = NULL WHERE event_key = ?",
  );
  const forgetPost = db.prepare("DELETE FROM erased_posts WHERE event_key = ?");
  const removeIfSwept = sweptRemover(db);
  return (postKey, limit) => {
    const edits = selectEdits.all(postKey, limit) as ErasedRow[];
    for (const edit of edits) eraseEdit.run(erasePayload(edit.payload), edit.eventKey);
    if (edits.length === limit) return true;
    forgetPost.run(postKey);
    removeIfSwept(postKey);
    return false;
  };
}

export function remainsParts(
  db: Database,
): Pick<Verbs, "eraseNames"> & Pick<UpkeepSteps<UpkeepStep>, "erase" | "erasePosts"> {
  /** @param owners a condition on `owner_user_id`, an index range */
  const oldest = (owners: string) => {
    const selects = [
      db.prepare(`
        SELECT owner_user_id AS ownerUserId, 'post' AS kind, event_key AS key FROM erased_posts
        WHERE ${owners} ORDER BY owner_user_id, event_key LIMIT 1`),
      db.prepare(`
        SELECT owner_user_id AS ownerUserId, 'channel' AS kind, channel_key AS key FROM removed_channels
        WHERE ${owners} ORDER BY owner_user_id, channel_key LIMIT 1`),
      db.prepare(`
        SELECT owner_user_id AS ownerUserId, 'bot' AS kind, bot_key AS key FROM removed_bots
        WHERE ${owners} ORDER BY owner_user_id, bot_key LIMIT 1`),
    ];
    return (ownerUserId: string): Remains | undefined => {
      const found = selects.flatMap((select) => (select.get(ownerUserId) as Remains | undefined) ?? []);
      return found.reduce<Remains | undefined>(
        (first, one) => (first && first.ownerUserId <= one.ownerUserId ? first : one),
        undefined,
      );
    };
  };
  const findOf = oldest("owner_user_id = ?");
  const findAfter = oldest("owner_user_id > ?");
  const findFrom = oldest("owner_user_id >= ?");

  const selectOfChannel = db.prepare(`
    SELECT event_key AS eventKey, payload, event_type AS eventType FROM events WHERE channel_key = ? LIMIT +?`);
  const eraseOfChannel = db.prepare(`
    UPDATE events SET payload = ?, cause = NULL, channel_key = 0, is_listed = 0, subject_key = NULL WHERE event_key = ?`);
  const removeRevision = db.prepare("DELETE FROM edited_posts WHERE event_key = ?");
  const removeKeysPart = db.prepare(`
    DELETE FROM idempotency_keys WHERE (target_key, author, key) IN (
      SELECT target_key, author, key FROM idempotency_keys WHERE target_key = ?1
      ORDER BY target_key, author, key LIMIT +?2)`);
  const forgetChannel = db.prepare("DELETE FROM removed_channels WHERE channel_key = ?");
  const removeIfSwept = sweptRemover(db);

  const removeAttemptsPart = db.prepare(`
    DELETE FROM failed_attempts WHERE destination_key = ?1 AND (number, attempt) IN
      (SELECT number, attempt FROM failed_attempts WHERE destination_key = ?1 ORDER BY number, attempt LIMIT +?2)`);
  /** The feed's attachments, after it was switched off; those of a bot were removed with the bot. */
  const removeAttachmentsPart = db.prepare(`
    DELETE FROM attachments WHERE bot_key = ?1 AND channel_key IN
      (SELECT channel_key FROM attachments WHERE bot_key = ?1 ORDER BY channel_key LIMIT +?2)`);
  const removeTimelinePart = db.prepare(`
    DELETE FROM timeline WHERE destination_key = ?1 AND starts_at IN
      (SELECT starts_at FROM timeline WHERE destination_key = ?1 ORDER BY starts_at LIMIT +?2)`);
  const removeGivenUpPart = db.prepare(`
    DELETE FROM given_up WHERE bot_key = ?1 AND (update_id, consumer) IN
      (SELECT update_id, consumer FROM given_up WHERE bot_key = ?1 ORDER BY update_id, consumer LIMIT +?2)`);
  /** Custom events to this bot, which no other log points at; of the feed, what only it has. */
  const eraseEventsPart = db.prepare(`
    UPDATE events SET payload = '{}', cause = NULL, subject_key = NULL, owner_user_id = NULL WHERE event_key IN (
      SELECT event_key FROM events INDEXED BY events_by_subject WHERE subject_key = -?1 ORDER BY event_key LIMIT +?2)`);
  const removeEntriesPart = db.prepare(`
    DELETE FROM entries WHERE log_key = ?1 AND number IN
      (SELECT number FROM entries WHERE log_key = ?1 ORDER BY number LIMIT +?2)`);
  const removeDeliveriesPart = db.prepare(`
    DELETE FROM deliveries WHERE destination_key = ?1 AND first_number IN
      (SELECT first_number FROM deliveries WHERE destination_key = ?1 ORDER BY first_number LIMIT +?2)`);
  const forgetBot = db.prepare("DELETE FROM removed_bots WHERE bot_key = ?");

  const selectNamed = db.prepare(`
    SELECT event_key AS eventKey, payload, event_type AS eventType, id, channel_key AS channelKey, author_key AS authorKey FROM events
    WHERE owner_user_id = ? ORDER BY event_key LIMIT +?`);
  const removeKeysOf = db.prepare(`
    DELETE FROM idempotency_keys WHERE (target_key, author, key) IN (
      SELECT target_key, author, key FROM idempotency_keys WHERE target_key = ?1 AND author = ?2
      ORDER BY target_key, author, key LIMIT +?3)`);
  const eraseNamed = db.prepare(
    "UPDATE events SET payload = ?, cause = NULL, owner_user_id = NULL WHERE event_key = ?",
  );

  const removeAlerts = db.prepare("DELETE FROM alerts WHERE owner_user_id = ?");
  const eraseAudit = auditEraser(db);

  const eraseEdits = editEraser(db);
  const selectPostOf = db.prepare(
    "SELECT event_key AS key FROM erased_posts WHERE owner_user_id = ? ORDER BY event_key LIMIT 1",
  );
  /** Whose remains the step before erased: owners take turns. */
  let lastOwner = "";

  const find = (ownerUserId: string | undefined): Remains | undefined => {
    if (ownerUserId !== undefined) return findOf(ownerUserId);
    const found = findAfter(lastOwner) ?? findFrom("");
    lastOwner = found?.ownerUserId ?? "";
    return found;
  };

  /** @returns the channel's id, if it was found in its posts */
  const eraseChannel = (channelKey: number, limit: number): string[] => {
    const events = selectOfChannel.all(channelKey, limit) as ErasedRow[];
    for (const { eventKey, payload, eventType } of events) {
      // First: its bytes are those of the channel.
      removeRevision.run(eventKey);
      eraseOfChannel.run(erasePayload(payload, eventType), eventKey);
      removeIfSwept(eventKey);
    }
    const isMore = events.length === limit || removeKeysPart.run(channelKey, limit).changes === limit;
    if (!isMore) forgetChannel.run(channelKey);
    const id = channelOf(events);
    return id === undefined ? [] : [id];
  };

  /** Removes keys with which bots published these events, or others in the same channels, or changed these. @returns how many */
  const removeKeysOfBots = (events: readonly NamedRow[], limit: number): number => {
    const scopes = new Map<string, [number, string]>();
    for (const { id, channelKey, authorKey } of events) {
      if (channelKey <= 0 || authorKey === null) continue;
      const authors = [`bot ${authorKey}`, `emitter bot ${authorKey}`];
      for (const change of ["edit", "deletion"] as const)
        authors.push(`${changerOf(change, id, "bot")} ${authorKey}`);
      for (const author of authors) scopes.set(`${channelKey} ${author}`, [channelKey, author]);
    }
    let left = limit;
    for (const [channelKey, author] of scopes.values()) {
      if (left <= 0) break;
      left -= Number(removeKeysOf.run(channelKey, author, left).changes);
    }
    return limit - left;
  };

  /** What a bot has left, or one of its webhooks, which has a part of it. */
  const removeBot = (botKey: number, limit: number): void => {
    let left = limit;
    for (const part of [
      removeAttemptsPart,
      removeGivenUpPart,
      removeAttachmentsPart,
      removeTimelinePart,
      eraseEventsPart,
    ])
      left -= Number(part.run(botKey, left).changes);
    left -= Number(removeKeysPart.run(-botKey, left).changes);
    const parts = [removeEntriesPart, removeDeliveriesPart].map((part) =>
      Number(part.run(botKey, left).changes),
    );
    left -= Math.max(...parts);
    if (left > 0) forgetBot.run(botKey);
  };

  return {
    erase({ ownerUserId }, limit) {
      const remains = find(ownerUserId);
      if (!remains) return { isMore: false };
      const { kind, key } = remains;
      if (kind === "post") eraseEdits(key, limit);
      if (kind === "bot") removeBot(key, limit);
      return { isMore: true, erasedIds: kind === "channel" ? eraseChannel(key, limit) : [] };
    },

    erasePosts({ ownerUserId }, limit) {
      const post = selectPostOf.get(ownerUserId) as Pick<Remains, "key"> | undefined;
      if (post) eraseEdits(post.key, limit);
      return { isMore: post !== undefined };
    },

    eraseNames(ownerUserId, limit, by) {
      const removed = eraseAudit(ownerUserId, limit, by?.audit);
      removeAlerts.run(ownerUserId);
      const events = selectNamed.all(ownerUserId, limit) as unknown as NamedRow[];
      // First: the events say where its bots have used keys in channels of others.
      if (removeKeysOfBots(events, limit) === limit) return true;
      for (const { eventKey, payload, eventType } of events)
        eraseNamed.run(erasePayload(payload, eventType), eventKey);
      return events.length === limit || removed === limit;
    },
  };
}

/** Removes an event below the position of the sweep: no log points at it, and the sweep does not return. */
function sweptRemover(db: Database): (eventKey: number) => void {
  const removeEvent = db.prepare("DELETE FROM events WHERE event_key = ?");
  const sweptThrough = sweepPosition(db);
  return (eventKey) => {
    if (eventKey <= sweptThrough("events")) removeEvent.run(eventKey);
  };
}
