import { beforeEach, describe, expect, it } from "vitest";
import { ERASE_STEP_US } from "#botyard/fairness/cost.js";
import { createOwnerTurns, type OwnerTurns } from "#botyard/fairness/owner-turns.js";
import { deleteBot } from "#botyard/operations/bots/delete-bot.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import type { Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { openGate } from "../support/gate.js";
import { faultsIn } from "../support/leftovers.js";
import { aNotice, aPost, attach, makeBot, makeChannel } from "../support/store-fixtures.js";
import { connectSql, countRows } from "../support/stored-rows.js";
import { endLeases, eraseRemains } from "../support/upkeep.js";

const TURNS = createOwnerTurns(() => performance.now());

const POSTS = 300;

describe(`what several owners erase on ${engine.name}`, () => {
  let home: StoreHome;
  let store: Store;
  beforeEach(async () => {
    home = await engine.createHome();
    store = await home.open();
    return async () => {
      await store.close();
      await home.remove();
    };
  });

  /** Makes a bot with a log in a channel, and deletes both. */
  const leave = async (ownerUserId: string) => {
    const ref = await makeBot(store, ownerUserId);
    const channelId = await makeChannel(store, ownerUserId);
    await attach(store, ref, channelId);
    const posts = Array.from({ length: POSTS }, () => aPost(channelId, "secret", { ownerUserId }));
    await store.appendPosts(posts);
    await store.deleteBot(ref);
    await store.deleteChannel({ ownerUserId, channelId }, aNotice("bot.detached"));
  };
  const left = () => countRows(home, "events", "payload LIKE '%secret%'");

  it("is erased for the owner who asks, and nobody has to wait for another", async () => {
    await leave("alice");
    await leave("bob");
    expect(await eraseOwner(store, TURNS, { ownerUserId: "carol" }, "carol")).toBe("deleted");
    expect(await left()).toBe(2 * POSTS);
    expect(await eraseOwner(store, TURNS, { ownerUserId: "bob" }, "bob")).toBe("deleted");
    expect(await left()).toBe(POSTS);
    expect(await countRows(home, "entries")).toBe(POSTS);
    expect(await countRows(home, "removed_bots", "owner_user_id = 'alice'")).toBe(1);
  });

  it("is erased in turns of the owner who asks, step by step", async () => {
    await leave("bob");
    await makeBot(store, "bob");
    const costs = new Map<string, number>();
    const counted = {
      ...TURNS,
      begin(...[owner, caller, costUs]: Parameters<OwnerTurns["begin"]>) {
        costs.set(owner, (costs.get(owner) ?? 0) + costUs);
        return TURNS.begin(owner, caller, costUs);
      },
    };
    expect(await eraseOwner(store, counted, { ownerUserId: "bob" }, "bob")).toBe("deleted");
    expect([...costs.keys()]).toEqual(["bob"]);
    // The bot, what was left of the other and of the channel, and the names.
    expect(costs.get("bob")).toBeGreaterThanOrEqual(4 * ERASE_STEP_US);
  });

  it("is gone with a bot when its deletion is answered", async () => {
    const ref = await makeBot(store, "alice");
    const channelId = await makeChannel(store, "alice");
    await attach(store, ref, channelId);
    await store.appendPosts(
      Array.from({ length: POSTS }, () => aPost(channelId, "", { ownerUserId: "alice" })),
    );
    await deleteBot(store, ref);
    expect(await countRows(home, "entries")).toBe(0);
    expect(await countRows(home, "removed_bots")).toBe(0);
  });

  it("is erased in turns by upkeep", async () => {
    for (const owner of ["alice", "bob", "carol"]) await leave(owner);
    const steps = 10;
    for (let step = 0; step < 3 * steps; step += 1) await eraseRemains(store, 10);
    for (const owner of ["alice", "bob", "carol"]) {
      const channels = `SELECT channel_key FROM removed_channels WHERE owner_user_id = '${owner}'`;
      expect(await countRows(home, "events", `channel_key IN (${channels})`)).toBe(POSTS - steps * 10);
    }
  });

  it("is erased to the last row by several at once", async () => {
    await endLeases(home);
    await leave("alice");
    const other = engine.name === "sqlite" ? store : await home.open();
    const gate = await openGate(home);
    const erase = async (by: Store) => {
      while (await eraseRemains(by, 20));
    };
    // Both come to the same first row; one removes the first part, and the other finds those rows gone.
    for (const rows of ["events WHERE channel_key <> 0 LIMIT 1", "entries WHERE number = 1"]) {
      const step = (by: Store) => eraseRemains(by, 20);
      await gate.inOrder(
        rows,
        () => step(store),
        () => step(other),
      );
      if (rows.startsWith("events"))
        while ((await countRows(home, "removed_channels")) > 0) await eraseRemains(store, 20);
    }
    await Promise.all([erase(store), erase(other), erase(store), erase(other)]);
    await gate.close();
    if (other !== store) await other.close();
    const sql = await connectSql(home);
    expect(await faultsIn(sql)).toEqual([]);
    await sql.close();
    expect(await left()).toBe(0);
    expect(await countRows(home, "entries")).toBe(0);
  });
});
