import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { OpenCells } from "#botyard/open-cells.js";
import type { WishedRoom } from "#botyard/operations/channels/change-rooms.js";
import type { PutRoom } from "#botyard/operations/channels/put-rooms.js";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import { StoreUnavailable } from "#botyard/store/store.js";
import { cellNamed, openCellsAt, placeOwner } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import {
  type Holder,
  makeHolder,
  putAll,
  putEachAlone,
  roomsOf,
  seenOf,
  statusOf,
} from "../../support/room-holder.js";

const ROOMS = 60;
const RACES = Number(process.env["ROOM_RACES"] ?? 6);

let database: TestDatabase;
let cells: OpenCells;
let others: OpenCells;
let store: OpenCells["store"];
let count = 0;
/** In the first cell, with a listed bot of another one. */
let holder: Holder;

async function makeApart(): Promise<Holder> {
  count += 1;
  const [owner, maker] = [`holder-${count}`, `maker-${count}`];
  await placeOwner(database.url, owner, "first");
  await placeOwner(database.url, maker, "b");
  return await makeHolder(store, owner, maker);
}

beforeAll(async () => {
  database = await takeDividedDatabase(["first", "b"]);
  cells = await openCellsAt(database.url);
  others = await openCellsAt(database.url);
  store = cells.store;
}, 60_000);
afterAll(async () => {
  await cells.store.close();
  await others.store.close();
  await database.drop();
});
beforeEach(async () => {
  holder = await makeApart();
});

const wishes = (title: string, bots: readonly number[], rooms = ROOMS): WishedRoom[] =>
  Array.from({ length: rooms }, (_, n) => ({
    externalId: `room-${n}`,
    title,
    bots: bots.map((bot) => ({ botId: holder.id(bot) })),
  }));
const idsOf = (results: readonly (PutRoom | Error)[]): string[] =>
  results.map((result) => {
    if (result instanceof Error) throw result;
    return result.channel.id;
  });
/** In which cells the bot of the other cell is in a room. */
const cellsWith = async (channelId: string): Promise<string> => {
  const found = await Promise.all(
    ["b", "first"].map(async (name) =>
      (await cellNamed(cells, name).store.findMembership(holder.id(4), channelId)) ? name : "",
    ),
  );
  return found.join();
};
const IN_BOTH = "b,first";
const IN_NONE = ",";

/** The entries of the bot of the other cell say of each room how it was before, and at last how it is. */
async function expectChains(): Promise<void> {
  const { ownerUserId, id } = holder;
  const externalIds = wishes("", []).map(({ externalId }) => externalId);
  const rooms = await store.findRooms({ ownerUserId, externalIds }, 10);
  const entries = (await store.listAudit(ownerUserId, { target: id(4) }, 10_000)).toReversed();
  const roles = new Map<string | undefined, unknown>();
  for (const { target, changes } of entries) {
    expect(changes["role"]?.before).toEqual(roles.get(target.channelId));
    roles.set(target.channelId, changes["role"]?.after);
  }
  for (const { channel, bots } of rooms)
    expect(roles.get(channel.id)).toBe(bots.find(({ botId }) => botId === id(4))?.role);
}

it("leave everything as calls for each room alone do", async () => {
  const [alone, bulk] = [holder, await makeApart()];
  for (const one of [alone, bulk]) await putAll(store, one.ownerUserId, roomsOf(one).first);
  expect(await seenOf(store, bulk)).toEqual(await seenOf(store, alone));
  await putEachAlone(store, alone.ownerUserId, roomsOf(alone).later);
  const results = await putAll(store, bulk.ownerUserId, roomsOf(bulk).later);
  expect(results.map(statusOf)).toEqual(roomsOf(bulk).later.map(({ title }) => title));
  expect(await seenOf(store, bulk)).toEqual(await seenOf(store, alone));
});

it("get a bot that hears what is posted from then on, once and in order, until it is out", async () => {
  const { ownerUserId, id } = holder;
  await store.putSubscription(
    { ownerUserId: `maker-${count}`, botId: id(4) },
    { eventTypes: ["channel.post_created"], posts: "all", ownPosts: true },
  );
  const ids = idsOf(await putAll(store, ownerUserId, wishes("Before", [0])));
  const rooms = [ids[0], ids[1], ids.at(-1)] as string[];
  const post = async (body: string) => {
    for (const channelId of rooms)
      await publishPost(store, { ownerUserId, username: "h" }, { channelId, body: `${body} ${channelId}` });
  };
  await post("before");
  expect(idsOf(await putAll(store, ownerUserId, wishes("Before", [0, 4])))).toEqual(ids);
  expect(new Set(await Promise.all(ids.map(cellsWith)))).toEqual(new Set([IN_BOTH]));
  await post("one");
  await post("two");
  expect(idsOf(await putAll(store, ownerUserId, wishes("After", [1])))).toEqual(ids);
  expect(new Set(await Promise.all(ids.map(cellsWith)))).toEqual(new Set([IN_NONE]));
  await post("after");
  await putAll(store, ownerUserId, wishes("After", [4, 1]));
  await post("last");
  const heard = await eventually("all is heard", async () => {
    const updates = await store.readUpdates(id(4), 0, 100);
    return updates.length >= 3 * rooms.length ? updates : undefined;
  });
  for (const channelId of rooms) {
    const bodies = heard.map(({ payload }) => (JSON.parse(payload) as { body: string }).body);
    expect(bodies.filter((body) => body.endsWith(channelId))).toEqual(
      ["one", "two", "last"].map((body) => `${body} ${channelId}`),
    );
  }
});

it("take a number of statements that does not grow with the number of rooms", async () => {
  const home = cellNamed(cells, "b").store;
  const { changeRoomBots, attachBot, detachBot } = home;
  const called: string[] = [];
  const counted = <Parameters extends unknown[], Result>(
    name: string,
    verb: (...parameters: Parameters) => Result,
  ) => ({
    [name]: (...parameters: Parameters) => {
      called.push(name);
      return verb(...parameters);
    },
  });
  const { ownerUserId } = holder;
  await putAll(store, ownerUserId, wishes("x", [4], 20));
  Object.assign(home, counted("changeRoomBots", changeRoomBots));
  Object.assign(home, counted("attachBot", attachBot), counted("detachBot", detachBot));
  await putAll(store, ownerUserId, wishes("x", [], 20));
  await putAll(store, ownerUserId, wishes("x", [4], 20));
  Object.assign(home, { changeRoomBots, attachBot, detachBot });
  expect(new Set(called)).toEqual(new Set(["changeRoomBots"]));
  expect(called.length).toBeLessThan(8);
});

it("are left to calls alone while the bot's cell cannot be asked, and the others are changed", async () => {
  const home = cellNamed(cells, "b").store;
  const { changeRoomBots, findGuestsIn } = home;
  const { ownerUserId, id } = holder;
  await putAll(store, ownerUserId, wishes("x", [0], 3));
  const away = () => Promise.reject(new StoreUnavailable("away"));
  Object.assign(home, { changeRoomBots: away, findGuestsIn: away });
  const [near, far] = [wishes("y", [0, 1], 3), wishes("y", [0, 4], 3)];
  const results = await putAll(store, ownerUserId, [near[0], far[1], near[2]] as WishedRoom[]);
  Object.assign(home, { changeRoomBots, findGuestsIn });
  expect(results.map(statusOf)).toEqual(["y", "y", "y"]);
  const rooms = await store.findRooms({ ownerUserId, externalIds: ["room-0", "room-1", "room-2"] }, 10);
  const bots = new Map(rooms.map((room) => [room.channel.externalId, room.bots.map(({ botId }) => botId)]));
  expect(bots.get("room-0")).toEqual([id(0), id(1)]);
  expect(bots.get("room-1")?.sort()).toEqual([id(0), id(4)].sort());
});

it("end alike in both cells, with a chain of entries, when two instances change the same rooms at once", async () => {
  const { ownerUserId, id } = holder;
  for (let race = 0; race < RACES; race += 1) {
    const [one, other] = [wishes(`one ${race}`, [0, 4], 8), wishes(`other ${race}`, [1], 8)];
    await Promise.all([
      putAll(store, ownerUserId, one),
      race % 2 === 0
        ? putAll(others.store, ownerUserId, other.toReversed())
        : putEachAlone(others.store, ownerUserId, other),
    ]);
    const externalIds = one.map((room) => room.externalId);
    const [withOne, withOther] = [[id(0), id(4)].sort().join(), id(1)];
    // An instance that follows late may attach a bot that is out again, and sees that afterwards.
    await eventually("each has the bots of one call, in both cells", async () => {
      const rooms = await store.findRooms({ ownerUserId, externalIds }, 10);
      const found = rooms.map(async ({ channel, bots }) => {
        const is = await cellsWith(channel.id);
        const ids = bots
          .map(({ botId }) => botId)
          .sort()
          .join();
        return (is === IN_BOTH && ids === withOne) || (is === IN_NONE && ids === withOther);
      });
      return (await Promise.all(found)).every(Boolean);
    });
  }
  await expectChains();
});

it("have the bots of one call when another instance changes them before the bot of the other cell is in", async () => {
  const { ownerUserId, id } = holder;
  const home = cellNamed(cells, "b").store;
  const { createRooms } = home;
  Object.assign(home, {
    async createRooms(...of: Parameters<typeof createRooms>) {
      await putAll(others.store, ownerUserId, wishes("other", [1], 3));
      return await createRooms(...of);
    },
  });
  const results = await putAll(store, ownerUserId, wishes("one", [0, 4], 3));
  Object.assign(home, { createRooms });
  expect(results.map(statusOf)).toEqual(["one", "one", "one"]);
  const externalIds = wishes("", [], 3).map(({ externalId }) => externalId);
  for (const { channel, bots } of await store.findRooms({ ownerUserId, externalIds }, 10)) {
    expect(bots.map(({ botId }) => botId).sort()).toEqual([id(0), id(4)].sort());
    expect(await cellsWith(channel.id)).toBe(IN_BOTH);
  }
  await expectChains();
});

it("have an entry for each change alone when two instances attach a bot to them that its cell knows of none of", async () => {
  const { ownerUserId, id } = holder;
  const withRole = (role: "member" | "moderator") =>
    wishes("x", [], 40).map((room) => ({ ...room, bots: [{ botId: id(4), role }] }));
  await putAll(store, ownerUserId, wishes("x", [], 40));
  await Promise.all([
    putAll(store, ownerUserId, withRole("member")),
    putAll(others.store, ownerUserId, withRole("moderator")),
  ]);
  await expectChains();
});
