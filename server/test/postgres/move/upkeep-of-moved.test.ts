import { afterAll, beforeAll, expect, it } from "vitest";
import { encodePost } from "#botyard/domain/events/post.js";
import { newId } from "#botyard/domain/ids.js";
import { moveOwner } from "#botyard/store/postgres/move/move-owner.js";
import { aPost, makeAttachedBot } from "../../support/store-fixtures.js";
import {
  NO_GUESTS,
  openTwoCells,
  rowsOfOwner,
  type TestCell,
  type TwoCells,
} from "../../support/two-cells.js";
import { complete, eraseUsers } from "../../support/upkeep.js";

let cells: TwoCells;
beforeAll(async () => {
  cells = await openTwoCells();
});
afterAll(() => cells.close());

const DAY_MS = 86_400_000;
const postOf = (channelId: string, owner: string, createdAt = Date.now()) =>
  aPost(channelId, `of ${owner}`, { ownerUserId: owner }, createdAt);

/** An event that no channel lists, which is swept when it is old. */
async function emit({ store }: TestCell, owner: string, channelId: string, createdAt: number): Promise<void> {
  const event = { id: newId(), eventType: "ticket.opened", payload: "{}", createdAt };
  await store.appendEvent({ ownerUserId: owner, to: { channelId }, event });
}

/** Lets all updates expire, then removes all events that no channel lists: a mark is made, is settled, and is used. */
async function sweep({ store }: TestCell): Promise<void> {
  const before = Date.now() + 1_000;
  for (const kind of ["erase", "expire", "sweep", "sweep", "sweep"] as const)
    await complete(store, { kind, before }, 1_000);
}

const count = async ({ client }: TestCell, sql: string): Promise<number> =>
  (await client.query(`SELECT count(*)::integer AS count FROM ${sql}`)).rows[0].count;

it("events of a moved owner expire and are swept like all others, in either direction", async () => {
  const { one, two } = cells;
  for (const [from, to] of [
    [one, two],
    [two, one],
  ] as const) {
    const owner = `from-${from.address.name}`;
    const { channelId } = await makeAttachedBot(from.store, owner);
    const old = Date.now() - 10 * DAY_MS;
    await emit(from, owner, channelId, old);
    await from.store.appendPosts([postOf(channelId, owner, old)]);
    const native = await makeAttachedBot(to.store, `native-of-${to.address.name}`);
    await emit(to, native.ref.ownerUserId, native.channelId, old);
    await moveOwner({
      from: from.address,
      to: to.address,
      ownerUserId: owner,
      noteMove: async () => {},
      guests: NO_GUESTS,
    });
    expect(await count(to, "events WHERE event_type = 'ticket.opened'")).toBeGreaterThanOrEqual(2);
    await sweep(to);
    expect(await count(to, "events WHERE event_type = 'ticket.opened'")).toBe(0);
    expect(await count(to, "entries")).toBe(0);
    const posts = (await rowsOfOwner(to, owner))["events"]?.filter((row) => row.includes(`of ${owner}`));
    expect(posts).toHaveLength(1);
  }
});

it("nothing is swept while an owner arrives", async () => {
  const { two } = cells;
  const { ref, channelId } = await makeAttachedBot(two.store, "sweeper");
  await emit(two, ref.ownerUserId, channelId, Date.now() - 10 * DAY_MS);
  const left = () => count(two, "events WHERE event_type = 'ticket.opened'");
  const before = await left();
  await two.client.query("INSERT INTO owner_moves VALUES ('arrives', gen_random_uuid(), 4, 'one', NULL, 0)");
  await sweep(two);
  expect(await left()).toBe(before);
  await two.client.query("DELETE FROM owner_moves WHERE owner_user_id = 'arrives'");
  await sweep(two);
  expect(await left()).toBe(0);
});

it("a user whose erasure has not come to the owner's events is erased from them where they are now", async () => {
  const { one, two } = cells;
  const { ref, channelId } = await makeAttachedBot(one.store, "host");
  const plain = postOf(channelId, "host");
  const author = { type: "user", id: "user-1", username: "Ann" } as const;
  const written = { id: plain.id, channelId, authorUsername: "Ann", author, body: "by Ann" };
  await one.store.appendPosts([{ ...plain, payload: encodePost(written) }]);
  // In the other cell the erasure ends before the events are there.
  for (const { store } of [one, two]) await store.eraseUser("user-1");
  await eraseUsers(two.store);
  await moveOwner({
    from: one.address,
    to: two.address,
    ownerUserId: ref.ownerUserId,
    noteMove: async () => {},
    guests: NO_GUESTS,
  });
  expect(await count(two, "events WHERE payload LIKE '%Ann%'")).toBe(1);
  await eraseUsers(two.store);
  expect(await count(two, "events WHERE payload LIKE '%Ann%'")).toBe(0);
});

it("an update whose event was swept before it is expired, and what comes after it", async () => {
  const { one } = cells;
  const { botId, channelId } = await makeAttachedBot(one.store, "swept");
  const old = Date.now() - 10 * DAY_MS;
  const posts = Array.from({ length: 4 }, () => postOf(channelId, "swept", old));
  await one.store.appendPosts(posts);
  await one.client.query("DELETE FROM events WHERE id = ANY ($1)", [[posts[0]?.id, posts[2]?.id]]);
  await complete(one.store, { kind: "expire", before: old - DAY_MS }, 1_000);
  expect((await one.store.readUpdates(botId, 0, 10)).map(({ updateId }) => updateId)).toEqual([2, 4]);
  await complete(one.store, { kind: "expire", before: old + DAY_MS }, 1_000);
  expect(
    await count(one, "entries e JOIN bots b ON b.bot_key = e.log_key WHERE b.owner_user_id = 'swept'"),
  ).toBe(0);
});
