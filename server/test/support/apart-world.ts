import pg from "pg";
import type { BotRole } from "#botyard/domain/events/channel.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import type { BotRef } from "#botyard/store/store.js";
import { openCellsAt } from "./cells.js";
import { follow, type Life } from "./courses.js";
import { type TestDatabase, takeDividedDatabase } from "./engines.js";
import { eventually } from "./eventually.js";
import type { State } from "./pair-model.js";
import { makeBot, makeChannel } from "./store-fixtures.js";

/** By the names of the cells. */
const SCHEMAS = ["public", "b"] as const;
type Schema = (typeof SCHEMAS)[number];

export interface Instance extends OpenCells, Life {}

/** A listed bot of a maker in one cell, and a channel of a holder in another. What is theirs has words that nothing else has. */
export interface Scene {
  words: string;
  home: Schema;
  away: Schema;
  maker: string;
  holder: string;
  bot: BotRef;
  channelId: string;
  /** What the holder has posted that the bot has to hear, while it is there. */
  posted: string[];
  before: State;
}

/** What both cells have of a scene. */
export interface Found extends State {
  /** What they do not agree about, as a person can read it. */
  disagreements: string[];
  /** Whether there is the channel that is made with the bot. */
  hasRoom: boolean;
}

interface Row {
  bot: {
    is_listed: boolean;
    disabled_at: number | null;
    display_name: string;
    description: string;
    commands: string;
  } | null;
  guest: Row["bot"];
  channel: boolean;
  copy: boolean;
  hasRoom: boolean;
  atHome: { role: BotRole; at: number } | null;
  there: { role: BotRole; at: number } | null;
  roomAtHome: { role: BotRole; at: number } | null;
  roomThere: { role: BotRole; at: number } | null;
  direct: string[] | null;
  copies: string[] | null;
}

export interface ApartWorld {
  instances: readonly [Instance, Instance];
  open(): Promise<Instance>;
  /** @param role in which the bot is in the channel */
  makeScene(role: BotRole | undefined): Promise<Scene>;
  /** Until nothing is left to carry, and what deletions have left is erased. */
  settle(): Promise<void>;
  find(scene: Scene): Promise<Found>;
  /** Where words are, in any table of either cell. */
  placesOf(pattern: string): Promise<string[]>;
  /** What stands in a cell for what there is not in the other. */
  findStray(): Promise<string[]>;
  /** The posts in the bot's log, in its order. */
  heardBy(botId: string): Promise<string[]>;
  close(): Promise<void>;
}

export async function openApartWorld(): Promise<ApartWorld> {
  const database: TestDatabase = await takeDividedDatabase(["first", "b"]);
  const client = new pg.Pool({ connectionString: database.url, max: 4 });
  const rows = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await client.query(text, values)).rows as Row[];
  const open = async (): Promise<Instance> => {
    const opened = await openCellsAt(database.url, 10);
    return { ...opened, ...follow(opened.cells()) };
  };
  const instances = [await open(), await open()] as const;
  const { store } = instances[0];
  let scenes = 0;

  const findDirect = async ({ home, away }: Scene, id: string): Promise<(BotRole | undefined)[]> => {
    const role = (schema: string) => `
      (SELECT a.role FROM ${schema}.channels c JOIN ${schema}.attachments a USING (channel_key) JOIN ${schema}.bots b USING (bot_key)
      WHERE c.id = $1 AND b.id = c.direct_bot_id)`;
    const [row] = await rows<{ home?: BotRole; away?: BotRole }>(
      `SELECT ${role(home)} AS home, ${role(away)} AS away`,
      [id],
    );
    return [row?.home ?? undefined, row?.away ?? undefined];
  };

  return {
    instances,
    open,
    async makeScene(role) {
      scenes += 1;
      const words = `s${scenes}x`;
      const [maker, holder] = [`maker-${words}`, `holder-${words}`];
      const [home, away] = scenes % 2 ? SCHEMAS : (SCHEMAS.toReversed() as [Schema, Schema]);
      const name = (schema: Schema) => (schema === "public" ? "first" : schema);
      await rows("INSERT INTO directory_owners (owner_user_id, cell) VALUES ($1, $2), ($3, $4)", [
        maker,
        name(home),
        holder,
        name(away),
      ]);
      const bot = await makeBot(store, maker, `bot-${words}`);
      await store.editBot(bot, {
        visibility: "listed",
        description: `about-${words}`,
        updatedAt: Date.now(),
      });
      // Some hear that they are attached.
      const eventTypes = [scenes % 3 === 0 ? "*" : "channel.*"];
      await store.putSubscription(bot, { eventTypes, posts: "all", ownPosts: false });
      const channelId = await makeChannel(store, holder);
      const channel = await store.findChannel({ ownerUserId: holder, channelId });
      if (!channel) throw new Error("no channel");
      const event = { id: channelId, eventType: "channel.updated", payload: "{}", createdAt: Date.now() };
      const ref = { ownerUserId: holder, channelId };
      await store.editChannel(ref, { from: channel, to: { ...channel, title: `title-${words}` }, event });
      const posted: string[] = [];
      if (role !== undefined) {
        await attachBot(store, { ownerUserId: holder, botId: bot.botId }, channelId, {}, role);
        posted.push(`held-${words}-0`);
        await publishPost(
          store,
          { ownerUserId: holder, username: holder },
          { channelId, body: `held-${words}-0` },
        );
      }
      const before: State = {
        bot: "listed",
        isDisabled: false,
        channel: true,
        role,
        direct: undefined,
        roleInRoom: undefined,
      };
      return { words, home, away, maker, holder, bot, channelId, posted, before };
    },

    async settle() {
      const waiting = SCHEMAS.map(
        (schema) => `
        SELECT FROM ${schema}.bots b JOIN ${schema}.lanes l USING (bot_key)
        LEFT JOIN ${schema}.consumers c ON c.bot_key = b.bot_key AND c.name = 'relay'
        WHERE ascii(b.owner_user_id) IN (2, 3) AND l.last_update_id > coalesce(c.position, 0)`,
      );
      await eventually("all is carried", async () => (await rows(waiting.join(" UNION ALL "))).length === 0);
      for (const cell of instances[0].cells())
        await eventually(
          "all is erased",
          async () => (await cell.store.runUpkeep({ kind: "erase" }, 500)) === "done",
        );
    },

    async find(scene) {
      const { home, away, bot, channelId, words } = scene;
      const membership = (schema: Schema, channel = "c.id = $2") => `
        (SELECT jsonb_build_object('role', a.role, 'at', a.attached_at)
        FROM ${schema}.channels c JOIN ${schema}.attachments a USING (channel_key) JOIN ${schema}.bots b USING (bot_key)
        WHERE ${channel} AND b.id = $1)`;
      const direct = (schema: Schema) =>
        `(SELECT jsonb_agg(c.id ORDER BY c.id) FROM ${schema}.channels c WHERE c.direct_bot_id = $1)`;
      const [row] = await rows<Row>(
        `SELECT (SELECT to_jsonb(b) FROM ${home}.bots b WHERE id = $1) AS bot, (SELECT to_jsonb(b) FROM ${away}.bots b WHERE id = $1) AS guest,
          EXISTS (SELECT FROM ${away}.channels WHERE id = $2) AS channel, EXISTS (SELECT FROM ${home}.channels WHERE id = $2) AS copy,
          EXISTS (SELECT FROM ${away}.channels WHERE title = $3) AS "hasRoom",
          ${membership(home)} AS "atHome", ${membership(away)} AS there,
          ${membership(home, "c.title = $3")} AS "roomAtHome", ${membership(away, "c.title = $3")} AS "roomThere", ${direct(away)} AS direct, ${direct(home)} AS copies`,
        [bot.botId, channelId, `room-${words}`],
      );
      if (!row) throw new Error("no row");
      const disagreements: string[] = [];
      const agree = (what: string, one: unknown, other: unknown): void => {
        if (JSON.stringify(one) !== JSON.stringify(other))
          disagreements.push(`${what}: at home ${JSON.stringify(one)}, there ${JSON.stringify(other)}`);
      };
      agree("membership", row.atHome, row.there);
      agree("membership in the room", row.roomAtHome, row.roomThere);
      if (row.copy && !row.channel) disagreements.push("the copy of the channel stays");
      if (row.guest && !row.bot) disagreements.push("the guest stays");
      if (row.guest && row.bot)
        for (const key of ["display_name", "description", "commands"] as const)
          agree(key, row.bot[key], row.guest[key]);
      if (row.guest && row.bot)
        agree("disabled", row.bot.disabled_at !== null, row.guest.disabled_at !== null);
      // A copy without its bot may stay as long as the channel does.
      for (const id of row.copies ?? [])
        if (!row.direct?.includes(id)) disagreements.push("the copy of a direct channel stays");
      if ((row.direct?.length ?? 0) > 1) disagreements.push("several direct channels");
      const [id] = row.direct ?? [];
      const [roleAtHome, roleThere] = id === undefined ? [] : await findDirect(scene, id);
      agree("role in the direct channel", roleAtHome, roleThere);
      return {
        bot: row.bot === null ? "gone" : row.bot.is_listed ? "listed" : "private",
        isDisabled: (row.bot?.disabled_at ?? null) !== null,
        channel: row.channel,
        role: row.atHome?.role,
        direct: id === undefined ? undefined : { role: roleThere },
        roleInRoom: row.roomAtHome?.role,
        disagreements,
        hasRoom: row.hasRoom,
      };
    },

    async placesOf(pattern) {
      const tables = await rows<{ place: string }>(
        `SELECT format('%I.%I', schemaname, tablename) AS place FROM pg_tables
        WHERE schemaname = ANY ($1) AND tablename NOT IN ('directory_owners', 'owner_usage')`,
        [SCHEMAS],
      );
      const all = tables.map(
        ({ place }) => `SELECT '${place}: ' || t::text AS text FROM ${place} t WHERE t::text ~ $1`,
      );
      return (await rows<{ text: string }>(all.join(" UNION ALL "), [pattern])).map(({ text }) => text);
    },

    async findStray() {
      const stray = (here: Schema, other: Schema) => [
        ...["bots", "channels"].map(
          (table) => `
          SELECT '${table} of ' || t.owner_user_id || ' in ${here}' AS text FROM ${here}.${table} t
          WHERE ascii(t.owner_user_id) = 1 AND NOT EXISTS (SELECT FROM ${other}.${table} o WHERE o.id = t.id)`,
        ),
        `SELECT 'an attachment of nothing in ${here}' FROM ${here}.attachments a
          WHERE NOT EXISTS (SELECT FROM ${here}.bots b WHERE b.bot_key = a.bot_key)
            OR NOT EXISTS (SELECT FROM ${here}.channels c WHERE c.channel_key = a.channel_key)`,
      ];
      const all = [...stray("public", "b"), ...stray("b", "public")];
      return (await rows<{ text: string }>(all.join(" UNION ALL "))).map(({ text }) => text);
    },

    async heardBy(botId) {
      const updates = await store.readUpdates(botId, 0, 1_000);
      return updates.flatMap(({ eventType, payload }) =>
        eventType === undefined ? [JSON.parse(payload).body as string] : [],
      );
    },

    async close() {
      for (const one of instances) await one.store.close();
      await client.end();
      await database.drop();
    },
  };
}
