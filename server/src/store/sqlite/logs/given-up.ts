import type { GivenUp } from "../../../domain/events/consumer.js";
import { MAX_GIVEN_UP_PER_BOT } from "../../../domain/limits.js";
import type { GivenUpStore } from "../../parts/consumer-store.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";

export function givenUpVerbs(db: Database): Pick<Verbs, keyof GivenUpStore> {
  /** ?1 the bot's id, ?2 the number, ?3 the consumer, ?4 the error, ?5 when. */
  const insert = db.prepare(`
    INSERT INTO given_up (bot_key, update_id, consumer, error, given_up_at)
    SELECT b.bot_key, ?2, ?3, ?4, ?5 FROM bots b JOIN entries e ON e.log_key = b.bot_key WHERE b.id = ?1 AND e.number = ?2
    ON CONFLICT DO UPDATE SET error = excluded.error, given_up_at = excluded.given_up_at, handed_in_at = NULL`);
  const dropOldest = db.prepare(`
    DELETE FROM given_up WHERE (bot_key, update_id, consumer) IN (
      SELECT bot_key, update_id, consumer FROM given_up WHERE bot_key = (SELECT bot_key FROM bots WHERE id = ?)
      ORDER BY update_id DESC, consumer DESC LIMIT -1 OFFSET ${MAX_GIVEN_UP_PER_BOT})`);
  const selectAll = db.prepare(`
    SELECT update_id AS updateId, consumer, error, given_up_at AS givenUpAt, handed_in_at AS handedInAt FROM given_up
    WHERE bot_key = (SELECT bot_key FROM bots WHERE id = ?) ORDER BY update_id DESC, consumer DESC`);
  const handIn = db.prepare(`
    UPDATE given_up SET handed_in_at = ? WHERE bot_key = (SELECT bot_key FROM bots WHERE id = ?) AND update_id = ?`);
  const handInAll = db.prepare(`
    UPDATE given_up SET handed_in_at = ? WHERE bot_key = (SELECT bot_key FROM bots WHERE id = ?)`);
  const remove = db.prepare(`
    DELETE FROM given_up WHERE bot_key = (SELECT bot_key FROM bots WHERE id = ?) AND update_id = ? AND consumer = ?`);

  return {
    giveUpUpdate(botId, updateId, consumer, error, now) {
      if (insert.run(botId, updateId, consumer, error, now).changes === 0) return false;
      dropOldest.run(botId);
      return true;
    },
    listGivenUp: (botId) => selectAll.all(botId).map(omitNulls<GivenUp>),
    handInGivenUp(botId, updateIds, now) {
      if (!updateIds) return Number(handInAll.run(now, botId).changes);
      return updateIds.reduce((sum, updateId) => sum + Number(handIn.run(now, botId, updateId).changes), 0);
    },
    forgetGivenUp: (botId, updateId, consumer) => remove.run(botId, updateId, consumer).changes === 1,
  };
}
