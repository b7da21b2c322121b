import type { GivenUp } from "../../../domain/events/consumer.js";
import { MAX_GIVEN_UP_PER_BOT } from "../../../domain/limits.js";
import type { GivenUpStore } from "../../parts/consumer-store.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import { type Database, integers, type Statement, uuid } from "../connection/connection.js";

/** $1: the bot's id, $2: the number, $3: the consumer, $4: the error, $5: when. The lock waits for a deletion of the bot. */
const INSERT: Statement = {
  name: "insert-given-up",
  text: `
    WITH bot AS MATERIALIZED (SELECT bot_key FROM bots WHERE id = $1 FOR KEY SHARE)
    INSERT INTO given_up (bot_key, update_id, consumer, error, given_up_at)
    SELECT b.bot_key, e.number, $3, $4, $5 FROM bot b JOIN entries e ON e.log_key = b.bot_key AND e.number = $2
    ON CONFLICT (bot_key, update_id, consumer) DO UPDATE
      SET error = excluded.error, given_up_at = excluded.given_up_at, handed_in_at = NULL
    RETURNING update_id`,
};
const DROP_OLDEST: Statement = {
  name: "drop-oldest-given-up",
  text: `
    DELETE FROM given_up WHERE (bot_key, update_id, consumer) IN (
      SELECT bot_key, update_id, consumer FROM given_up WHERE bot_key = (SELECT bot_key FROM bots WHERE id = $1)
      ORDER BY update_id DESC, consumer DESC OFFSET ${MAX_GIVEN_UP_PER_BOT})`,
};
const SELECT_ALL: Statement = {
  name: "select-given-up",
  text: `
    SELECT update_id AS "updateId", consumer, error, given_up_at AS "givenUpAt", handed_in_at AS "handedInAt" FROM given_up
    WHERE bot_key = (SELECT bot_key FROM bots WHERE id = $1) ORDER BY update_id DESC, consumer DESC`,
};
/** $2: the numbers, null for all. */
const HAND_IN: Statement = {
  name: "hand-in-given-up",
  text: `
    UPDATE given_up SET handed_in_at = $3
    WHERE bot_key = (SELECT bot_key FROM bots WHERE id = $1) AND ($2::bigint[] IS NULL OR update_id = ANY ($2::bigint[]))
    RETURNING update_id`,
};
const DELETE: Statement = {
  name: "delete-given-up",
  text: `
    DELETE FROM given_up
    WHERE bot_key = (SELECT bot_key FROM bots WHERE id = $1) AND update_id = $2 AND consumer = $3 RETURNING update_id`,
};

export function givenUpVerbs(db: Database): GivenUpStore {
  return {
    async giveUpUpdate(botId, updateId, consumer, error, now) {
      const [inserted] = await db.transaction([
        [INSERT, [uuid(botId), updateId, consumer, error, now]],
        [DROP_OLDEST, [uuid(botId)]],
      ]);
      return inserted?.length === 1;
    },
    async listGivenUp(botId) {
      return (await db.query<Record<string, unknown>>(SELECT_ALL, [uuid(botId)])).map(omitNulls<GivenUp>);
    },
    async handInGivenUp(botId, updateIds, now) {
      return (await db.query(HAND_IN, [uuid(botId), updateIds ? integers(updateIds) : null, now])).length;
    },
    async forgetGivenUp(botId, updateId, consumer) {
      return (await db.query(DELETE, [uuid(botId), updateId, consumer])).length === 1;
    },
  };
}
