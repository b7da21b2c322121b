import { READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import { listeningOf } from "../../../domain/events/subscription.js";
import { type LogBot, OUTBOX_HEARS, outboxFor } from "../../cells/guests/guests.js";
import { DATABASE_NOW } from "../connection/database-clock.js";
import type { CellSession } from "./session.js";

const SELECT_NUMBER = "SELECT coalesce((SELECT number FROM cell), 0) AS number";

/** The outbox by which a cell hears what happens in another one. */
export async function outboxTo({ client }: CellSession): Promise<LogBot> {
  const { rows } = await client.query<{ number: number }>(SELECT_NUMBER);
  return outboxFor(rows[0]?.number ?? 0);
}

const { postFilter, hearsCustom, hearsOthers } = listeningOf(OUTBOX_HEARS);
/**
 * SQL of the attachments of an outbox. $1: the channels, $2: their owner, $3: the outbox.
 *
 * @param channels SQL of the channels, by their keys
 */
export const outboxIn = (channels: string) => `
  SELECT c.channel_key, b.bot_key, '${READ_ONLY_ROLE}' AS role, $2::text AS attached_by,
    ${DATABASE_NOW} AS attached_at, ${postFilter} AS post_filter, ${hearsCustom} AS hears_custom, ${hearsOthers} AS hears_others
  FROM bots b CROSS JOIN (${channels}) c WHERE b.id = $3`;
/** SQL that attaches an outbox, where it is not, with the parameters and by the channels of {@link outboxIn}. */
export const attachOutbox = (channels: string) => `
  INSERT INTO attachments (channel_key, bot_key, role, attached_by, attached_at, post_filter, hears_custom, hears_others)
  ${outboxIn(channels)}
  ON CONFLICT (channel_key, bot_key) DO NOTHING`;
