import { departure } from "../../audited-verbs.js";
import { isGuest } from "../../shared/guests.js";
import type { Value } from "../connection/connection.js";
import { ID_OF_MOMENT, MOMENT } from "../connection/database-clock.js";
import { WAIT_TO_TELL } from "./snapshots.js";

/**
 * Parts of a statement that deletes a `bot` and its attachments, as `attachment`: the entries of those in whose channels it was, unless the
 * operation is null. What stands for a channel of another cell has its entry there.
 *
 * @param first the number of the first parameter of {@link departureValues}
 */
export const tellHolders = (first: number): string => `
    written AS (
      INSERT INTO audit (id, owner_user_id, actor_type, actor_id, token_id, operation, request_id, target_type, target_id, channel_id, changes)
      SELECT ${ID_OF_MOMENT}, c.owner_user_id, $${first + 2}::text, bot.id::text, '', $${first}::text, $${first + 1}::text, 'attachment',
        bot.id::text, c.id, json_build_object('role', json_build_object('before', a.role))::text
      FROM attachment a JOIN channels c USING (channel_key) CROSS JOIN bot CROSS JOIN ${MOMENT}
      WHERE $${first}::text IS NOT NULL AND c.owner_user_id <> bot.owner_user_id AND NOT ${isGuest("c.owner_user_id")}
      RETURNING id, owner_user_id),
    waiting AS (${WAIT_TO_TELL})`;

export function departureValues(requestId: string | undefined): Value[] {
  if (requestId === undefined) return [null, null, null];
  const { operation, by } = departure("", "", requestId);
  return [operation, requestId, by.type];
}
