import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { makeErasureWorld } from "../support/erasure-world.js";
import { tablesWith } from "../support/leftovers.js";
import { connectSql, type SqlConnection } from "../support/stored-rows.js";
import { endLeases } from "../support/upkeep.js";

describe(`the idempotency keys of a bot in channels of others, on ${engine.name}`, () => {
  let home: StoreHome;
  let sql: SqlConnection;
  let store: Store;
  beforeAll(async () => {
    home = await engine.createHome();
    await endLeases(home);
    store = await home.open();
    sql = await connectSql(home);
  });
  afterAll(async () => {
    await sql.close();
    await store.close();
    await home.remove();
  });

  it("go with its owner, of posts and of events", async () => {
    const world = await makeErasureWorld(store);
    await world.writers["a post in another owner's channel"](store);
    await world.writers["an event in another owner's channel"](store);
    expect(await tablesWith(sql, [world.text.owner])).toContain("idempotency_keys");
    await world.erasers["erasing the owner"].run(store);
    expect(await tablesWith(sql, [world.text.owner])).toEqual([]);
  });
});
