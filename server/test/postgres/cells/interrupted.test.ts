import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { administerCells, type CellsAdmin } from "#botyard/administer-cells.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { clearCapture } from "#botyard/store/postgres/move/clear-capture.js";
import type { AuditContext, Store } from "#botyard/store/store.js";
import { databaseAt, openCellsAt, rowsOf } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { killMoverAt } from "../../support/killed-mover.js";
import { aPost, makeAttachedBot } from "../../support/store-fixtures.js";
import { complete } from "../../support/upkeep.js";

const OWNER = "alice";
const AUDIT: AuditContext = {
  ownerUserId: OWNER,
  by: { type: "platform", id: "p", tokenId: "" },
  operation: "putOwner",
  requestId: "r",
};

let database: TestDatabase;
let admin: CellsAdmin;
let cells: OpenCells;
beforeEach(async () => {
  database = await takeDividedDatabase(["first", "b"]);
  admin = await administerCells(databaseAt(database.url), () => {});
  await admin.setDraining("first", true);
  cells = await openCellsAt(database.url);
});
afterEach(async () => {
  await Promise.all([cells.store.close(), admin.close()]);
  await database.drop();
});

const inB = (what: string) => rowsOf(database.url, `SELECT FROM b.${what}`);
const triggers = () => rowsOf(database.url, "SELECT FROM pg_trigger WHERE tgname LIKE 'move_of_owner_%'");

/** An owner with a post and an audit entry, who lives in b until a mover decides otherwise, and is killed. */
async function leaveTriggers(at: RegExp): Promise<void> {
  const { channelId } = await makeAttachedBot(cells.store, OWNER);
  await cells.store.appendPosts([aPost(channelId, "text", { ownerUserId: OWNER })]);
  await cells.store.putOwner(OWNER, { metadata: "{}", audit: AUDIT }, Date.now());
  const revive = killMoverAt(at);
  await expect(admin.move(OWNER, "first", () => {})).rejects.toThrow("killed");
  revive();
  await eventually("the mover's lock is free", async () => {
    const locks = await rowsOf(database.url, "SELECT FROM pg_locks WHERE locktype = 'advisory'");
    return locks.length === 0;
  });
  expect((await triggers()).length).toBeGreaterThan(0);
  expect((await inB("audit")).length).toBeGreaterThan(0);
}

const storeOfB = (): Store => {
  const cell = cells.cells().find(({ name }) => name === "b");
  if (!cell) throw new Error("b is not open");
  return cell.store;
};

/** Everything of the owner is erased in b, or expires. */
async function expireAll(store: Store): Promise<void> {
  const before = Date.now() + 1_000;
  for (const kind of ["erase", "forgetAudit", "expire"] as const)
    await complete(store, { kind, before }, 1_000);
  for (const what of ["audit", "entries", "removed_bots", "removed_channels"])
    expect(await inB(what), what).toHaveLength(0);
}

/** In the last step, and when the new cell was opened. */
const POINTS = [
  ["before it lets the owner in", /owner_moves WHERE owner_user_id = \$1 AND move_id = \$2 AND state = \$3/],
  ["before it clears the old cell", /DROP FUNCTION/],
] as const;

describe.each(POINTS)("a mover that is killed %s", (_, at) => {
  it("keeps the old cell's upkeep from nothing", async () => {
    await leaveTriggers(at);
    await expireAll(storeOfB());
    expect(await triggers()).toEqual([]);
    expect(await cells.store.listBots(OWNER)).toHaveLength(1);
  });

  it("has what it has left removed by cells check", async () => {
    await leaveTriggers(at);
    const problems = [...(await admin.check(() => {})).values()].flatMap((found) => found.problems);
    expect(problems).toEqual([]);
    expect(await triggers()).toEqual([]);
    expect(await inB("audit")).not.toHaveLength(0);
    expect(await cells.store.listBots(OWNER)).toHaveLength(1);
  });
});

it("what notes changes for a move that is under way is left alone", async () => {
  await makeAttachedBot(cells.store, OWNER);
  const cleared: Promise<boolean>[] = [];
  await admin.move(OWNER, "first", () => {
    if (cleared.length === 0) cleared.push(clearCapture({ name: "b", url: database.url, schema: "b" }));
  });
  expect(await Promise.all(cleared)).toEqual([false]);
  expect(await triggers()).toEqual([]);
});
