import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Answer } from "../../support/api-client.js";
import { rowsOf } from "../../support/cells.js";
import { type CellsUnderFaults, startCellsUnderFaults } from "../../support/cells-under-faults.js";
import { eventually } from "../../support/eventually.js";
import {
  type Bot,
  keepChanging,
  type Poster,
  randomFrom,
  toldOf,
  type Update,
} from "../../support/posters.js";

/** More finds more: `CELLS_TRIAL_SECONDS=200`. */
const SECONDS = Number(process.env["CELLS_TRIAL_SECONDS"] ?? 4);
const SEED = Number(process.env["CELLS_TRIAL_SEED"] ?? Date.now() % 1_000_000);
const NAMES = ["first", "b"] as const;
/** Each with a bot and a channel, by turns in the one cell and the other. Every bot is in every channel. */
const OWNERS = 4;
/** Have a channel and no bot. */
const HOLDERS = ["moving-0", "moving-1"];
/** Are moved from cell to cell all the time. */
const MOVING = [...HOLDERS, "owner-0"];
/** Of those who meet, one is refused; then the others have their turn. */
const BETWEEN_MOVES_MS = 300;
/** Until everything is carried after the last fault. */
const PATIENCE_MS = 60_000;

/** As if instances died after they carried something, before they noted it. */
const FORGET = `
  CREATE OR REPLACE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'died'; END $$;
  CREATE TRIGGER forgets BEFORE DELETE ON entries EXECUTE FUNCTION forget()`;

let world: CellsUnderFaults;
const bots: Bot[] = [];
const posters: Poster[] = [];

beforeAll(async () => {
  world = await startCellsUnderFaults(NAMES, 2);
  const channels: { owner: string; id: string }[] = [];
  const admin = await world.admin();
  for (let n = 0; n < OWNERS; n++) {
    const owner = `owner-${n}`;
    const { bot, token } = await call(owner, "POST", "/v1/bot-api/bots", { username: `bot-${n}` });
    await call(owner, "PATCH", `/v1/bot-api/bots/${bot.id}`, { visibility: "listed" });
    const hearsAll = { event_types: ["*"], posts: "all", own_posts: false };
    await call(owner, "PUT", `/v1/bot-api/bots/${bot.id}/subscription`, hearsAll);
    const { id } = await call(owner, "POST", "/v1/channels", { slug: owner, title: owner });
    await admin.move(owner, NAMES[n % NAMES.length] as string, () => {});
    bots.push({ id: bot.id, token: token.token });
    channels.push({ owner, id });
  }
  for (const owner of HOLDERS)
    channels.push({
      owner,
      id: (await call(owner, "POST", "/v1/channels", { slug: owner, title: owner })).id,
    });
  await admin.close();
  for (const { owner, id: channelId } of channels) {
    posters.push({
      ask: (...parameters) => world.asOwner(owner, ...parameters),
      path: `/v1/channels/${channelId}/posts`,
      posts: [],
      acknowledged: [],
    });
    for (const { id: botId, token } of bots) {
      await call(owner, "POST", `/v1/bot-api/bots/${botId}/channels/${channelId}`, { role: "member" });
      posters.push({
        botId,
        ask: (...parameters) => world.asBot(token, ...parameters),
        path: `/v1/bot-api/channels/${channelId}/posts`,
        posts: [],
        acknowledged: [],
      });
    }
  }
}, 120_000);
afterAll(async () => await world?.close());

async function call(owner: string, method: string, path: string, body: unknown): Promise<Answer["body"]> {
  const answer = await world.asOwner(owner, method, path, { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

const onServer = (n: number, statement: string) =>
  rowsOf<{ text: string }>(`${world.servers[n]?.url}/botyard`, statement);

async function causeFaults(random: (below: number) => number, isOver: () => boolean) {
  const counts = { killed: 0, crashed: 0, frozen: 0, repeated: 0 };
  for (let n = 0; !isOver() || n < 4; n++) {
    await sleep(random(1_000));
    const what = n < 4 ? n : random(4);
    const at = random(NAMES.length);
    if (what === 0) {
      await world.restart(random(2));
      counts.killed += 1;
    } else if (what === 1) {
      await world.servers[at]?.crash();
      await sleep(random(1_000));
      await world.servers[at]?.start();
      counts.crashed += 1;
    } else if (what === 2) {
      await onServer(at, FORGET);
      await sleep(random(1_000));
      await onServer(at, "DROP TRIGGER forgets ON entries");
      counts.repeated += 1;
    } else {
      const thaw = await world.servers[at]?.freeze();
      await sleep(random(SECONDS > 60 ? 9_000 : 1_500));
      thaw?.();
      counts.frozen += 1;
    }
  }
  return counts;
}

/** Moves an owner, once more when something was away meanwhile. */
async function moveTo(owner: string, to: string, isOver: () => boolean): Promise<boolean> {
  while (!isOver()) {
    const admin = await world.admin().catch(() => undefined);
    const isMoved = await admin
      ?.move(owner, to, () => {})
      .then(
        () => true,
        () => false,
      );
    await admin?.close().catch(() => {});
    if (isMoved) return true;
    await sleep(100);
  }
  return false;
}

/** @returns how often */
async function keepMoving(owner: string, isOver: () => boolean): Promise<number> {
  let moves = 0;
  for (let n = 0; !isOver(); n++)
    if (await moveTo(owner, NAMES[n % NAMES.length] as string, isOver)) {
      moves += 1;
      await sleep(BETWEEN_MOVES_MS);
    }
  const endsAt = Date.now() + PATIENCE_MS;
  // Whatever was left of an interrupted one, they can be moved.
  for (const name of NAMES) expect(await moveTo(owner, name, () => Date.now() > endsAt), owner).toBe(true);
  return moves;
}

/** A server may still be starting. */
async function whenServed(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  const isServed = async (): Promise<boolean> => {
    if (answer.status === 503) answer = await ask();
    return answer.status !== 503;
  };
  await eventually("the storage is back", isServed, PATIENCE_MS);
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

/** All of a bot's updates, whose numbers have no gap. */
async function updatesOf({ token }: Bot): Promise<Update[]> {
  const all: Update[] = [];
  for (;;) {
    const path = `/v1/bot-api/updates?offset=${all.at(-1)?.update_id ?? 0}&limit=100&timeout=0`;
    const { body } = await whenServed(() => world.asBot(token, "GET", path));
    if (body.items.length === 0) break;
    all.push(...body.items);
  }
  expect(all.map(({ update_id: id }) => id)).toEqual(all.map((_, index) => index + 1));
  return all;
}

const idsOf = (some: readonly Poster[]) => new Set(some.flatMap(({ posts }) => posts.map(({ id }) => id)));

/** What the holder is shown, oldest first. */
async function listed(holder: Poster): Promise<string[]> {
  const all: { id: string; body: string }[] = [];
  for (let after = ""; ; after = `&after=${all.at(-1)?.id}`) {
    const path = `${holder.path}?limit=100&order=oldest${after}`;
    const { body } = await whenServed(() => holder.ask("GET", path, {}, 0));
    if (body.items.length === 0) return all.map(({ id, body: words }) => `${id} ${words}`);
    all.push(...body.items);
  }
}

/** Whatever stands anywhere of the words of posts, and where. */
async function wordsLeft(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const n of NAMES.keys())
    for (const { text: table } of await onServer(
      n,
      "SELECT quote_ident(tablename) AS text FROM pg_tables WHERE schemaname = 'public'",
    ))
      for (const { text } of await onServer(n, `SELECT t::text AS text FROM ${table} t`))
        for (const [words] of text.matchAll(/words-[0-9a-f-]{36}/g))
          found.set(words, `${n} ${table} ${text}`);
  return found;
}

it("loses, doubles and reorders nothing for bots in channels of other cells, whatever dies", {
  timeout: SECONDS * 1_000 + 2 * PATIENCE_MS + 60_000,
}, async () => {
  const random = randomFrom(SEED);
  const endsAt = Date.now() + SECONDS * 1_000;
  const isOver = (): boolean => Date.now() >= endsAt;
  const posting = posters.map((poster, n) => keepChanging(poster, randomFrom(SEED + n), isOver));
  const moving = MOVING.map((owner) => keepMoving(owner, isOver));
  const counts = await causeFaults(random, isOver);
  await Promise.all(posting);
  const moves = await Promise.all(moving);
  const context = `seed ${SEED}, ${JSON.stringify(counts)}, ${moves.join()} moves, ${posters.map(({ posts }) => posts.length).join()}`;
  if (SECONDS > 60) console.log(context);
  for (let n = 0; n < OWNERS + HOLDERS.length; n++) {
    const near = bots[n % OWNERS] as Bot;
    const here = posters.slice(n * (OWNERS + 1), (n + 1) * (OWNERS + 1));
    const isHeard = async (bot: Bot) => {
      const theirs = here.filter(({ botId }) => botId !== bot.id);
      const got = toldOf(await updatesOf(bot), idsOf(theirs)).length;
      return got >= theirs.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
    };
    const inOrder = await updatesOf(near);
    for (const [m, bot] of bots.entries()) {
      const about = `${context}, channel ${n}, bot ${m}`;
      await eventually("all is heard", () => isHeard(bot), PATIENCE_MS).catch(() => {});
      const updates = await updatesOf(bot);
      for (const one of here.filter(({ botId }) => botId !== bot.id))
        expect(toldOf(updates, idsOf([one])), about).toEqual(one.acknowledged);
      // In the order of the channel, which a bot of its own cell has heard.
      const others = idsOf(here.filter(({ botId }) => botId !== bot.id && botId !== near.id));
      expect(toldOf(updates, others), about).toEqual(toldOf(inOrder, others));
    }
    const posts = here.flatMap((one) => one.posts.filter(({ isDeleted }) => !isDeleted));
    const shown = posts.map(
      ({ id, words, revision }) => `${id} ${words}${revision > 1 ? ` ${revision}` : ""}`,
    );
    expect((await listed(here[0] as Poster)).toSorted(), context).toEqual(shown.toSorted());
  }
  const left = await wordsLeft();
  const deleted = posters.flatMap(({ posts }) => posts.filter(({ isDeleted }) => isDeleted));
  expect(
    deleted.flatMap(({ words }) => left.get(words) ?? []),
    context,
  ).toEqual([]);
});
