import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { administerCells } from "#botyard/administer-cells.js";
import { createFairness } from "#botyard/fairness/fairness.js";
import type { OpenCells } from "#botyard/open-cells.js";
import type { WishedRoom } from "#botyard/operations/channels/change-rooms.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { type PutRoom, putRooms } from "#botyard/operations/channels/put-rooms.js";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import { type AuditContext, type BotRef, OwnerMoving, StoreUnavailable } from "#botyard/store/store.js";
import { cellNamed, databaseAt, openCellsAt, placeOwner } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { makeBot, makeChannel } from "../../support/store-fixtures.js";

const HOLDER = "alice";
const ROOMS = 150;
const CAPS = {
  perOwner: { most: 1_000, setBy: "service" },
  perHolder: 1_000,
  perBot: 1_000,
  review: "off",
} as const;

let database: TestDatabase;
let cells: OpenCells;
let store: OpenCells["store"];
/** Of the holder, and of makers in the holder's cell and in two others. */
let own: BotRef;
let near: BotRef;
let far: BotRef;
let farther: BotRef;

/** Makes an owner's listed bot in this cell. */
const makeIn = async (cell: string, owner: string): Promise<BotRef> => {
  await placeOwner(database.url, owner, cell);
  const bot = await makeBot(store, owner);
  await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
  return bot;
};
const audit: AuditContext = {
  by: { type: "owner", id: HOLDER, tokenId: "t" },
  ownerUserId: HOLDER,
  operation: "putExternalChannels",
  requestId: "r",
};
const put = async (rooms: readonly WishedRoom[]): Promise<(PutRoom | Error)[]> =>
  await putRooms(
    store,
    createFairness(store, Number.POSITIVE_INFINITY, () => {}),
    { ownerUserId: HOLDER, audit },
    CAPS,
    rooms,
  );
const aWish = (externalId: string, ...bots: BotRef[]): WishedRoom => ({
  externalId,
  title: externalId,
  bots: bots.map(({ botId }) => ({ botId })),
});
const made = (results: readonly (PutRoom | Error)[]): string[] =>
  results.map((result) => {
    if (result instanceof Error) throw result;
    return result.channel.id;
  });
/** The bots of a channel as its own cell has them, by id. */
const botsIn = async (channelId: string): Promise<string[]> =>
  (await store.listChannelBots(channelId, 100)).map(({ bot, role }) => `${bot.id} ${role}`).sort();
const asModerators = (...bots: BotRef[]): string[] => bots.map(({ botId }) => `${botId} moderator`).sort();
const bodiesHeardBy = async ({ botId }: BotRef): Promise<string[]> =>
  (await store.readUpdates(botId, 0, 1_000)).map(({ payload }) => JSON.parse(payload).body as string);

beforeAll(async () => {
  database = await takeDividedDatabase(["first", "b", "c"]);
  cells = await openCellsAt(database.url);
  store = cells.store;
  own = await makeIn("first", HOLDER);
  near = await makeIn("first", "near");
  far = await makeIn("b", "far");
  farther = await makeIn("c", "farther");
}, 60_000);
afterAll(async () => {
  await cells.store.close();
  await database.drop();
});

it("have bots of all cells, which hear what is posted from then on, once and in order", async () => {
  const bots = [own, near, far, farther];
  const wishes = Array.from({ length: ROOMS }, (_, n) => aWish(`all-${n}`, ...bots));
  const [first, second, ...others] = made(await put(wishes));
  if (first === undefined || second === undefined) throw new Error("no rooms");
  for (const channelId of [first, second, others.at(-1) as string])
    expect(await botsIn(channelId)).toEqual(asModerators(...bots));
  const posted: string[] = [];
  for (const body of ["one", "two", "three"])
    for (const channelId of [first, second]) {
      await publishPost(
        store,
        { ownerUserId: HOLDER, username: "h" },
        { channelId, body: `${body} ${channelId}` },
      );
      posted.push(`${body} ${channelId}`);
    }
  for (const bot of bots) {
    await eventually("all is heard", async () => (await bodiesHeardBy(bot)).length >= posted.length);
    const heard = await bodiesHeardBy(bot);
    for (const channelId of [first, second]) {
      const of = (list: readonly string[]) => list.filter((body) => body.endsWith(channelId));
      expect(of(heard)).toEqual(of(posted));
    }
  }
  expect((await store.readStats(farther))?.attachedChannels).toBe(ROOMS);
  // The next call finds them as they shall be.
  expect((await put(wishes)).every((result) => !(result instanceof Error) && !result.isNew)).toBe(true);
});

it("have an entry each in the audit log, and each bot of another cell one of its own", async () => {
  const [channelId] = made(await put([aWish("audited", own, far)]));
  const entries = (await store.listAudit(HOLDER, { target: channelId }, 10)).toReversed();
  expect(entries.map(({ operation, target, changes }) => ({ operation, target, changes }))).toEqual([
    {
      operation: "putExternalChannels",
      target: { type: "channel", id: channelId },
      changes: expect.objectContaining({ bots: { after: [own.botId] } }),
    },
    {
      operation: "putExternalChannels",
      target: { type: "attachment", id: far.botId, channelId },
      changes: { role: { after: "moderator" } },
    },
  ]);
});

it("are each answered by themselves when a bot may not be attached", async () => {
  const unlisted = await makeIn("b", "unlisted");
  await store.editBot(unlisted, { visibility: "private", updatedAt: Date.now() });
  const told = await makeIn("c", "told");
  await store.putSubscription(told, { eventTypes: ["*"], posts: "all", ownPosts: true });
  const [good, bad, alone] = await put([
    aWish("good", far),
    aWish("bad", far, unlisted),
    aWish("told", farther, told),
  ]);
  expect(bad).toMatchObject({ code: "unknown_bot" });
  expect(await store.findExternalChannel(HOLDER, "bad")).toBeUndefined();
  expect(await botsIn(made([good as PutRoom])[0] as string)).toEqual(asModerators(far));
  expect(await botsIn(made([alone as PutRoom])[0] as string)).toEqual(asModerators(farther, told));
  expect((await store.readUpdates(told.botId, 0, 10)).map(({ eventType }) => eventType)).toEqual([
    "bot.attached",
  ]);
});

it("are made where their slug is taken in the cell of a bot", async () => {
  const ref = { ownerUserId: "far", channelId: await makeChannel(store, "far") };
  const slug = (await store.findChannel(ref))?.slug as string;
  const answered = await put([{ ...aWish("slug", own, far), slug }]);
  expect(answered).toMatchObject([{ isNew: true }]);
  const [channelId = ""] = made(answered);
  expect(await botsIn(channelId)).toEqual(asModerators(own, far));
  expect(await store.findChannel({ ownerUserId: HOLDER, channelId })).toMatchObject({ slug });
  // It would be in the way of moves.
  await deleteChannel(store, ref);
});

it("are made without a cell that cannot be asked, but for those with its bots", async () => {
  const { store: home } = cellNamed(cells, "b");
  const { createRooms, findProfile } = home;
  const away = () => Promise.reject(new StoreUnavailable("away"));
  const wishes = [aWish("near", own, farther), aWish("far", own, far), aWish("both", far, farther)];
  Object.assign(home, { createRooms: away, findProfile: away });
  const [alone, withFar, both] = await put(wishes);
  expect(await botsIn(made([alone as PutRoom])[0] as string)).toEqual(asModerators(own, farther));
  for (const result of [withFar, both]) expect(result).toBeInstanceOf(StoreUnavailable);
  // Where it is away in between only, a call for each room alone does the rest.
  Object.assign(home, { findProfile });
  const [, second, third] = made(await put(wishes));
  Object.assign(home, { createRooms });
  expect(await botsIn(second as string)).toEqual(asModerators(own, far));
  expect(await botsIn(third as string)).toEqual(asModerators(far, farther));
});

it("are whole when their holder is moved at the same time", async () => {
  const bots = [own, near, far, farther];
  const admin = await administerCells(databaseAt(database.url), () => {});
  const moving = { isOver: false };
  const moves = (async () => {
    for (const to of ["c", "b", "first"]) {
      await admin.move(HOLDER, to, () => {});
      await sleep(200);
    }
  })().finally(() => {
    moving.isOver = true;
  });
  const ids: string[] = [];
  for (let n = 0; !moving.isOver; n += 1) {
    const wishes = Array.from({ length: 5 }, (_, room) => aWish(`moved-${n}-${room}`, ...bots));
    const results = await eventually("they are made", async () => {
      const answered = await put(wishes);
      const failed = answered.find((result) => result instanceof Error);
      // Both say that the same call may be made again.
      if (failed && !(failed instanceof OwnerMoving || failed instanceof StoreUnavailable)) throw failed;
      return failed ? undefined : answered;
    });
    ids.push(...made(results));
  }
  await moves;
  await admin.close();
  for (const channelId of ids) expect(await botsIn(channelId)).toEqual(asModerators(...bots));
  for (const channelId of ids)
    await publishPost(
      store,
      { ownerUserId: HOLDER, username: "h" },
      { channelId, body: `last ${channelId}` },
    );
  for (const bot of bots) {
    const isAllHeard = async () => {
      const heard = (await bodiesHeardBy(bot)).filter((body) => body.startsWith("last"));
      return heard.length >= ids.length ? heard : undefined;
    };
    const heard = await eventually("all is heard", isAllHeard);
    expect(heard.sort()).toEqual(ids.map((channelId) => `last ${channelId}`).sort());
  }
}, 120_000);
