import { hearsOfItself, listeningOf } from "../../../domain/events/subscription.js";
import { parseSubscription } from "../bots/subscriptions.js";
import { integers, uuid, type Value } from "../connection/connection.js";
import { DATABASE_NOW_IS, grownIf, IS_CLAIMABLE, WAKE_FURTHER } from "../logs/log-growth.js";

/** Bots that many channels are to have, or not, as a statement takes them: each by its position from 1. */
export interface RoomBots {
  /** 0 of a bot that there is not. */
  positionOf(botId: string): number;
  ids: (string | null)[];
  /** As they were read. */
  subscriptions: (string | null)[];
  /** What each hears of its channels: the columns `post_filter`, `hears_custom` and `hears_others`. */
  listening: [postFilter: Value, hearsCustom: boolean[], hearsOthers: boolean[]];
  /** Whether each is told of what happens to it. */
  hear(eventType: string): boolean[];
  /** How often each is named. */
  countIn(botIds: readonly string[]): string;
}

/** @param stored the subscriptions of the bots that there are */
export function roomBots(stored: ReadonlyMap<string, string | null>): RoomBots {
  const ids = [...stored.keys()];
  const parsed = [...stored.values()].map(parseSubscription);
  const heard = parsed.map(listeningOf);
  const positions = new Map(ids.map((id, at) => [id, at + 1]));
  return {
    positionOf: (botId) => positions.get(botId) ?? 0,
    ids: ids.map(uuid),
    subscriptions: [...stored.values()],
    listening: [
      integers(heard.map(({ postFilter }) => postFilter)),
      heard.map(({ hearsCustom }) => hearsCustom),
      heard.map(({ hearsOthers }) => hearsOthers),
    ],
    hear: (eventType) => parsed.map((subscription) => hearsOfItself(subscription, eventType)),
    countIn(botIds) {
      const counts = new Map<string, number>();
      for (const id of botIds) counts.set(id, (counts.get(id) ?? 0) + 1);
      return integers(ids.map((id) => counts.get(id) ?? 0));
    },
  };
}

/**
 * Parts of a statement that change in how many channels bots are, and append the events in `stored` to the logs of those that are told. $4: the
 * time; $5: how far the database's clock is ahead.
 *
 * @param counts SQL of bots, and how many channels more each is in, as `count`
 * @param told the part that has which bot, by `bot_key`, is told which event, by `event_id`
 */
export const growBots = (counts: string, told: string) => `
    told AS (
      SELECT t.bot_key, array_agg(s.event_key ORDER BY s.event_key) AS event_keys
      FROM stored s JOIN ${told} t ON t.event_id = s.id GROUP BY t.bot_key),
    ${DATABASE_NOW_IS},
    locked AS (
      SELECT g.*, told.event_keys
      FROM (${counts}) g LEFT JOIN told USING (bot_key) JOIN lanes l USING (bot_key)
      ORDER BY g.bot_key FOR UPDATE OF l),
    changed AS (
      UPDATE lanes l SET channel_count = l.channel_count + g.count,
        ${grownIf("g.event_keys IS NOT NULL", "cardinality(g.event_keys)")}
      FROM locked g CROSS JOIN incarnation_now WHERE l.bot_key = g.bot_key
      RETURNING l.bot_key, l.last_update_id, ${IS_CLAIMABLE} AS is_claimable, g.event_keys),
    grown AS (SELECT * FROM changed WHERE event_keys IS NOT NULL),
    ${WAKE_FURTHER},
    appended AS (
      INSERT INTO entries (log_key, number, event_key)
      SELECT bot_key, last_update_id - cardinality(event_keys) + generate_subscripts(event_keys, 1), unnest(event_keys) FROM grown)`;
