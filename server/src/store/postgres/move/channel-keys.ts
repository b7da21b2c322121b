import { guestOwner } from "../../shared/guests.js";
import type { CellSession } from "./session.js";

/**
 * Channels that the cell knows to which the owner comes. Of the owner's own they are copies: its bots are in them, or were. Such a copy becomes the channel when
 * the owner is let in, under the key by which everything of it is known there. Channels of others, which the owner's bots have heard, stay what they are
 * there (`others-channels.ts`). Keys of channels as the other cell has them, known to its session.
 */
export const MAKE_CHANNEL_KEYS = `
  CREATE TEMPORARY TABLE IF NOT EXISTS new_channel_keys (
    channel_key bigint PRIMARY KEY, new_key bigint NOT NULL UNIQUE, is_others boolean NOT NULL DEFAULT false, is_copy boolean NOT NULL DEFAULT true,
    channel_id uuid, through_key bigint NOT NULL DEFAULT 0);
  TRUNCATE new_channel_keys`;
/** SQL of the key that a channel has in the cell that a row comes to. */
export const newChannelKey = (key: string) =>
  `coalesce((SELECT n.new_key FROM new_channel_keys n WHERE n.channel_key = ${key}), ${key})`;
/** SQL: whether the cell knows the channel. */
export const isKnownThere = (key: string) =>
  `EXISTS (SELECT FROM new_channel_keys n WHERE n.channel_key = ${key})`;
/** SQL: whether it is one of the owner's, of which there is a copy. */
export const isCopied = (key: string) =>
  `EXISTS (SELECT FROM new_channel_keys n WHERE n.channel_key = ${key} AND NOT n.is_others)`;

/** $1: channels as JSON, $2: the owner. */
const LEARN_COPIES = `
  INSERT INTO new_channel_keys (channel_key, new_key)
  SELECT r.channel_key, c.channel_key FROM json_populate_recordset(NULL::channels, $1::json) r
  CROSS JOIN LATERAL (SELECT channel_key, owner_user_id FROM channels WHERE id = r.id OFFSET 0) c
  WHERE c.owner_user_id = ${guestOwner("$2::text")}
  ON CONFLICT DO NOTHING`;
/** $1: ids of channels, $2: the owner. */
const SELECT_CHANNELS = `
  SELECT coalesce(json_agg(json_build_object('channel_key', channel_key, 'id', id)), '[]')::text AS channels
  FROM channels WHERE id = ANY ($1::uuid[]) AND owner_user_id = $2`;

/** @param copies the ids of all copies that the cell has of the owner's channels: while the owner arrives, it makes no others */
export async function learnCopies(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
  copies: readonly string[],
): Promise<void> {
  const { rows } = await from.client.query<{ channels: string }>(SELECT_CHANNELS, [copies, ownerUserId]);
  await to.client.query(LEARN_COPIES, [rows[0]?.channels, ownerUserId]);
}

/**
 * SQL that holds more attachments, where any are held.
 *
 * @param rows SQL of these
 */
export const holdAttachments = (rows: string, owner: string) => `
  UPDATE owner_moves SET held = jsonb_set(held::jsonb, '{attachments}', (held::jsonb -> 'attachments') || a.rows)::text
  FROM (SELECT jsonb_agg(to_jsonb(r)) AS rows FROM (${rows}) r) a
  WHERE owner_user_id = ${owner} AND held::jsonb ? 'attachments' AND a.rows IS NOT NULL`;
