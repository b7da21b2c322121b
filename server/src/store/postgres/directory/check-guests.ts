import type pg from "pg";
import { BOT_ATTACHED } from "../../../domain/events/event.js";
import { newId } from "../../../domain/ids.js";
import type { Change } from "../../cells/guests/changes.js";
import { changesFor, ownerOfGuests } from "../../cells/guests/guests.js";
import { isGuest } from "../../shared/guests.js";
import { TELL } from "../guests/tell.js";
import { pagesOf } from "./pages.js";

/** A cell, as far as this looks at it. */
export interface GuestsCell {
  name: string;
  number: number;
  client: pg.Client;
}

/** A bot in a channel of another cell, as one of both has it. Owners are those of the cell's rows. */
interface Pair {
  botId: string;
  owner: string;
  channelId: string;
  holder: string;
  role: string;
  attachedAt: string | null;
}

const PAIRS = `
  SELECT b.id AS "botId", b.owner_user_id AS owner, c.id AS "channelId", c.owner_user_id AS holder, a.role, a.attached_at AS "attachedAt"
  FROM attachments a JOIN bots b USING (bot_key) JOIN channels c USING (channel_key)`;
/** Of bots that are at home, in channels of other cells. */
const AT_HOME = `${PAIRS} WHERE ${isGuest("c.owner_user_id")}`;
/** Of guests, without the logs that are bots. */
const OF_GUESTS = `${PAIRS} WHERE ascii(b.owner_user_id) = 1`;
/** Guests that are in no channel. */
const IDLE_GUESTS = `
  SELECT id AS "botId", owner_user_id AS owner FROM bots b
  WHERE ascii(owner_user_id) = 1 AND NOT EXISTS (SELECT FROM attachments a WHERE a.bot_key = b.bot_key)`;
/** $1: bots, by position. The positions of those that are not there. */
const UNKNOWN = `
  SELECT p.n FROM unnest($1::uuid[]) WITH ORDINALITY AS p (bot_id, n)
  WHERE NOT EXISTS (SELECT FROM bots b WHERE b.id = p.bot_id)`;
/** $1: bots, $2: channels, by position; $3 and $4: roles and times. The positions of those that the cell has otherwise, or not at all. */
const UNLIKE = `
  SELECT p.n FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[]) WITH ORDINALITY AS p (bot_id, channel_id, role, attached_at, n)
  WHERE NOT EXISTS (
    SELECT FROM bots b JOIN attachments a USING (bot_key) JOIN channels c USING (channel_key)
    WHERE b.id = p.bot_id AND c.id = p.channel_id AND a.role = p.role AND a.attached_at IS NOT DISTINCT FROM p.attached_at)`;

/**
 * Compares which bots are in channels of other cells in both cells, and tells the bots' cells of what is not alike, as after a change: running
 * services then follow. So a cell that was restored from an older backup is made like the others.
 *
 * @param cellOf finds the cell of an owner
 * @returns by the name of the bot's cell, for how many guests
 */
export async function checkGuests(
  cells: readonly GuestsCell[],
  cellOf: (ownerUserId: string) => Promise<GuestsCell | undefined>,
): Promise<Map<string, number>> {
  const told = new Map<string, number>();
  const known = new Map<string, GuestsCell | undefined>();
  const homeOf = async (owner: string): Promise<GuestsCell | undefined> => {
    if (!known.has(owner)) known.set(owner, await cellOf(owner));
    return known.get(owner);
  };
  const note = async (home: GuestsCell, away: GuestsCell, change: Change): Promise<void> => {
    await home.client.query(TELL.text, [JSON.stringify(change), changesFor(away.number).id]);
    told.set(home.name, (told.get(home.name) ?? 0) + 1);
  };
  const compare = async (from: GuestsCell, query: string, isHome: boolean): Promise<void> => {
    for await (const pairs of pagesOf<Pair>(from.client, query)) {
      const byOther = new Map<GuestsCell, Pair[]>();
      for (const pair of pairs) {
        const other = await homeOf(ownerOfGuests(isHome ? pair.holder : pair.owner));
        if (other && other !== from) byOther.set(other, [...(byOther.get(other) ?? []), pair]);
      }
      for (const [other, theirs] of byOther) {
        const [home, away] = isHome ? [from, other] : [other, from];
        for (const pair of await unlike(other, theirs)) {
          const maker = isHome ? pair.owner : ownerOfGuests(pair.owner);
          const holder = isHome ? ownerOfGuests(pair.holder) : pair.holder;
          await note(home, away, changeOf({ ...pair, owner: maker, holder }));
        }
      }
    }
  };
  const compareIdle = async (away: GuestsCell): Promise<void> => {
    for await (const guests of pagesOf<Pick<Pair, "botId" | "owner">>(away.client, IDLE_GUESTS)) {
      const byHome = new Map<GuestsCell, typeof guests>();
      for (const guest of guests) {
        const home = await homeOf(ownerOfGuests(guest.owner));
        if (home && home !== away) byHome.set(home, [...(byHome.get(home) ?? []), guest]);
      }
      for (const [home, theirs] of byHome) {
        const { rows } = await home.client.query<{ n: string }>(UNKNOWN, [theirs.map(({ botId }) => botId)]);
        for (const { botId, owner } of rows.flatMap(({ n }) => theirs[Number(n) - 1] ?? []))
          await note(home, away, { ownerUserId: ownerOfGuests(owner), botId });
      }
    }
  };
  for (const cell of cells) {
    await compare(cell, AT_HOME, true);
    await compare(cell, OF_GUESTS, false);
    await compareIdle(cell);
  }
  return told;
}

async function unlike({ client }: GuestsCell, pairs: readonly Pair[]): Promise<Pair[]> {
  const columns = (["botId", "channelId", "role", "attachedAt"] as const).map((name) =>
    pairs.map((pair) => pair[name]),
  );
  const { rows } = await client.query<{ n: string }>(UNLIKE, columns);
  return rows.flatMap(({ n }) => pairs[Number(n) - 1] ?? []);
}

/** Nobody hears of it as an event: what is attached or taken out is a guest. */
function changeOf({
  owner: ownerUserId,
  botId,
  channelId,
  holder,
}: Omit<Pair, "role" | "attachedAt">): Change {
  const event = { id: newId(), eventType: BOT_ATTACHED, payload: "{}", createdAt: Date.now() };
  return { ownerUserId, botId, attachment: { channelId, holder, by: "platform", event } };
}
