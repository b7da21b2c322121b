import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import { deletePost } from "#botyard/operations/posts/change-post.js";
import { abandonMove, moveOwner } from "#botyard/store/postgres/move/move-owner.js";
import { OwnerElsewhere } from "#botyard/store/store.js";
import { inspectMove } from "../../support/inspect-move.js";
import { killMoverAt } from "../../support/killed-mover.js";
import { aPost, makeAttachedBot, makeBot, makeChannel, NOW } from "../../support/store-fixtures.js";
import { NO_GUESTS, openTwoCells, rowsOfOwner, type TwoCells } from "../../support/two-cells.js";
import { countUsage } from "../../support/upkeep.js";

let cells: TwoCells;
beforeAll(async () => {
  cells = await openTwoCells();
});
afterAll(() => cells.close());

const move = (ownerUserId: string) =>
  moveOwner({
    from: cells.one.address,
    to: cells.two.address,
    ownerUserId,
    noteMove: async () => {},
    guests: NO_GUESTS,
  });

/** Refused, the owner is where they were, and nothing of them is elsewhere. */
async function expectRefused(owner: string, why: RegExp): Promise<void> {
  await countUsage(cells.one.store, Date.now());
  const before = await rowsOfOwner(cells.one, owner);
  await expect(move(owner)).rejects.toThrow(why);
  expect(await rowsOfOwner(cells.one, owner)).toEqual(before);
  const { rows } = await cells.one.client.query("SELECT FROM owner_moves WHERE owner_user_id = $1", [owner]);
  expect(rows).toEqual([]);
  for (const [table, there] of Object.entries(await rowsOfOwner(cells.two, owner)))
    expect(there, table).toEqual([]);
}

describe("an owner does not move", () => {
  it("whose username or slug another owner has there", async () => {
    const { one, two } = cells;
    await makeBot(one.store, "named", "The-Same");
    await makeBot(two.store, "other", "the-same");
    await expectRefused("named", /another owner has the username the-same/);
    const channel = { slug: "same", title: "", description: "", createdAt: NOW };
    await one.store.createChannel({ ...channel, id: newId(), ownerUserId: "slugged" });
    await two.store.createChannel({ ...channel, id: newId(), ownerUserId: "other" });
    await expectRefused("slugged", /another owner has the slug same/);
  });

  it("while the feed is being switched: it is on in one of the cells only", async () => {
    const { one } = cells;
    await makeAttachedBot(one.store, "fed");
    await one.client.query("INSERT INTO feed VALUES (1, 'feed', 9000000000000000, 1)");
    await expectRefused("fed", /feed is on in the cell one/);
    await one.client.query("DELETE FROM feed");
  });

  it("between cells of different schemas", async () => {
    const { one, two } = cells;
    await makeAttachedBot(one.store, "old");
    await two.client.query("INSERT INTO botyard_schema SELECT max(step) + 1 FROM botyard_schema");
    await expectRefused("old", /different schemas/);
    await two.client.query("DELETE FROM botyard_schema WHERE step = (SELECT max(step) FROM botyard_schema)");
  });

  it("while another move leaves the cell", async () => {
    const { one } = cells;
    await makeAttachedBot(one.store, "twice");
    const both = await Promise.allSettled([move("twice"), move("twice")]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const { reason } = both.find(({ status }) => status === "rejected") as PromiseRejectedResult;
    expect(String(reason)).toMatch(/under way/);
    expect((await rowsOfOwner(cells.two, "twice"))["bots"]).toHaveLength(1);
  });

  it("when the caller ends the move", async () => {
    const { one, two } = cells;
    await makeAttachedBot(one.store, "aborted");
    const before = await rowsOfOwner(one, "aborted");
    const ending = new AbortController();
    const moving = moveOwner({
      from: one.address,
      to: two.address,
      ownerUserId: "aborted",
      noteMove: async () => {},
      guests: NO_GUESTS,
      signal: ending.signal,
      onProgress: ({ table }) => table === "audit" && ending.abort(),
    });
    await expect(moving).rejects.toThrow(/abort/);
    expect(await rowsOfOwner(one, "aborted")).toEqual(before);
    expect(await inspectMove(one.address, two.address, "aborted")).toEqual({ state: "none" });
  });
});

it("what an owner has deleted is erased before they move, and does not come along", async () => {
  const { one, two } = cells;
  const { channelId } = await makeAttachedBot(one.store, "tidy");
  const gone = await makeAttachedBot(one.store, "tidy");
  const [kept, deleted] = [1, 2].map(() => aPost(channelId, "secret words", { ownerUserId: "tidy" }));
  await one.store.appendPosts([kept, deleted].flatMap((post) => post ?? []));
  await one.store.appendPosts([aPost(gone.channelId, "secret words", { ownerUserId: "tidy" })]);
  await deletePost(one.store, { ownerUserId: "tidy" }, { channelId, postId: deleted?.id ?? "" });
  await one.store.deleteBot(gone.ref);
  await one.store.deleteChannel(
    { channelId: gone.channelId, ownerUserId: "tidy" },
    { id: newId(), eventType: "channel.deleted", payload: "{}", createdAt: NOW },
  );
  await move("tidy");
  const { rows } = await two.client.query(
    "SELECT count(*)::integer AS count FROM events WHERE payload LIKE '%secret%'",
  );
  expect(rows[0].count).toBe(1);
  expect((await rowsOfOwner(two, "tidy"))["channels"]).toHaveLength(1);
});

describe("a service that has not heard of a move", () => {
  it("changes and makes nothing for the owner where they were", async () => {
    const { one } = cells;
    const { ref, channelId } = await makeAttachedBot(one.store, "left");
    const stale = await one.open();
    const post = () => aPost(channelId, "late", { ownerUserId: "left" });
    expect(await stale.appendPosts([post()])).toEqual([true]);
    await move("left");
    expect(await stale.appendPosts([post()])).toEqual([false]);
    expect(await stale.editBot(ref, { displayName: "late", updatedAt: NOW })).toBeUndefined();
    await expect(makeBot(stale, "left")).rejects.toThrow(OwnerElsewhere);
    await expect(makeChannel(stale, "left")).rejects.toThrow(OwnerElsewhere);
    await expect(stale.openWebhookLog("alerts", "left", newId())).rejects.toThrow(OwnerElsewhere);
    await expect(stale.putOwner("left", { limits: { bots: 1 } }, NOW)).rejects.toThrow(OwnerElsewhere);
    await stale.close();
    const { rows } = await one.client.query("SELECT FROM channels WHERE owner_user_id = 'left'");
    expect(rows).toEqual([]);
  });

  it("that wrote as the owner left is waited for", async () => {
    const { one, two } = cells;
    const { channelId } = await makeAttachedBot(one.store, "waits");
    const post = aPost(channelId, "in time", { ownerUserId: "waits" });
    await one.client.query("BEGIN");
    let isOpen = true;
    // A writer that has written and not committed, when the last step begins.
    const moving = moveOwner({
      from: one.address,
      to: two.address,
      ownerUserId: "waits",
      noteMove: async () => {},
      guests: NO_GUESTS,
      onProgress({ table }) {
        if (table !== "audit" || !isOpen) return;
        isOpen = false;
        void one.client.query(
          `INSERT INTO idempotency_keys SELECT channel_key, 'x', 'x', $1::uuid, 0 FROM channels WHERE id = $2`,
          [post.id, channelId],
        );
        setTimeout(() => void one.client.query("COMMIT"), 600);
      },
    });
    const { pausedMs } = await moving;
    expect(pausedMs).toBeGreaterThan(250);
    const keys = (await rowsOfOwner(two, "waits"))["idempotency_keys"] ?? [];
    expect(keys.filter((key) => key.includes(post.id))).toHaveLength(1);
  });
});

it("an interrupted move to a third cell is abandoned first", async () => {
  const { one, two } = cells;
  await makeAttachedBot(one.store, "torn");
  const revive = killMoverAt(120);
  await move("torn").catch(() => {});
  revive();
  const elsewhere = { ...two.address, name: "three" };
  await expect
    .poll(() =>
      moveOwner({
        from: one.address,
        to: elsewhere,
        ownerUserId: "torn",
        noteMove: async () => {},
        guests: NO_GUESTS,
      }).catch(String),
    )
    .toMatch(/to the cell two was interrupted/);
  await abandonMove(one.address, two.address, "torn");
  expect(await inspectMove(one.address, two.address, "torn")).toEqual({ state: "none" });
});
