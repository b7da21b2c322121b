import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { administerCells } from "#botyard/administer-cells.js";
import { newId } from "#botyard/domain/ids.js";
import type { OpenCells } from "#botyard/open-cells.js";
import type { Store } from "#botyard/store/store.js";
import { databaseAt, openCellsAt } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { readAll } from "../../support/feed-world.js";
import { makeBot } from "../../support/store-fixtures.js";
import { complete } from "../../support/upkeep.js";

const OWNERS = ["alice", "bob", "carol", "dave"];
const STARTS = 3;
const CHANGE_EVERY_MS = 5;

let database: TestDatabase;
let here: OpenCells;
let store: Store;
beforeEach(async () => {
  database = await takeDividedDatabase(["first", "b"]);
  here = await openCellsAt(database.url);
  ({ store } = here);
  await store.switchFeed(true, true);
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

/** Renames a bot of each owner, until it is ended. @returns the ids of the requests */
function keepRenaming(): () => Promise<string[]> {
  const state = { ends: false };
  const done = Promise.all(
    OWNERS.map(async (ownerUserId) => {
      const ref = await makeBot(store, ownerUserId);
      const requests: string[] = [];
      for (; !state.ends; await sleep(CHANGE_EVERY_MS)) {
        const requestId = newId();
        const by = { type: "owner", id: ownerUserId, tokenId: "" } as const;
        const audit = { ownerUserId, by, operation: "editBot", requestId };
        await store.editBot({ ...ref, audit }, { displayName: requestId, updatedAt: Date.now() });
        requests.push(requestId);
      }
      return requests;
    }),
  );
  return async () => {
    state.ends = true;
    return (await done).flat();
  };
}

async function requestsInFeed(): Promise<string[]> {
  for (const cell of here.cells()) await complete(cell.store, { kind: "alert" }, 100);
  const told = (await readAll(store)).filter(({ eventType }) => eventType === "alert.audit_entry");
  return told.map(({ payload }) => String(payload["request_id"]));
}

it("has each entry of the audit log, also while instances start, and others look at the cells", async () => {
  const end = keepRenaming();
  for (let start = 0; start < STARTS; start += 1) {
    const other = await openCellsAt(database.url);
    await sleep(50);
    await other.store.switchFeed(true, true);
    await other.store.close();
    const admin = await administerCells(databaseAt(database.url), () => {});
    await admin.list();
    await admin.close();
    await sleep(50);
  }
  const requests = await end();
  expect(requests.length).toBeGreaterThan(OWNERS.length * STARTS);
  expect((await requestsInFeed()).toSorted()).toEqual(requests.toSorted());
});

it("has those of a cell that is added", async () => {
  const admin = await administerCells(databaseAt(database.url), () => {});
  await admin.add("c", undefined, "c", () => {});
  await admin.setDraining("first", true);
  await admin.setDraining("b", true);
  await admin.close();
  for (; here.cells().length < 3; await sleep(50));
  const end = keepRenaming();
  await sleep(200);
  const requests = await end();
  expect((await requestsInFeed()).toSorted()).toEqual(requests.toSorted());
});
