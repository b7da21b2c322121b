import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createOwnerStandings } from "#botyard/http/credentials/owner-standings.js";
import { putOwner } from "#botyard/operations/owners/put-owner.js";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import type { Store } from "#botyard/store/store.js";
import { type TestDatabase, takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { makeBot, OWNER } from "../support/store-fixtures.js";

const CAPS = { botsPerOwner: 10, channelsPerOwner: 10 };

describe("what the platform decides about an owner", () => {
  let database: TestDatabase;
  let stores: Store[] = [];

  const open = async (hints: boolean): Promise<[Store, Store]> => {
    const one = () => openPostgresStore({ url: database.url, poolSize: 4, onConnectionError() {}, hints });
    const opened: [Store, Store] = [await one(), await one()];
    stores = opened;
    return opened;
  };

  beforeEach(async () => {
    database = await takePostgresDatabase();
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await database.drop();
  });

  it("counts at the other instance by a hint, and its bots' polls hear of it", async () => {
    const [here, there] = await open(true);
    const { botId } = await makeBot(here);
    const standings = createOwnerStandings(there, CAPS);
    const changed: string[] = [];
    there.events.on("credentialsChanged", (id) => changed.push(id));
    expect(await standings.of(OWNER)).toBeUndefined();
    const owner = `${"ü".repeat(254)}é`;
    await here.putOwner(OWNER, { suspension: { reason: "spam" } }, Date.now());
    for (let n = 0; n < 9; n += 1) await here.putOwner(`${owner.slice(1)}${n}`, { limits: { bots: n } }, 1);
    await eventually(
      "the other instance follows",
      async () => (await standings.of(OWNER))?.suspensionReason === "spam",
    );
    // A hint that is sent before the other instance listens is lost.
    await eventually("the bot's polls hear of it", async () => {
      await here.putOwner(OWNER, { suspension: null }, Date.now());
      await here.putOwner(OWNER, { suspension: { reason: "spam" } }, Date.now());
      return changed.includes(botId);
    });
  });

  it("counts everywhere once the call is answered, also where every hint is lost", async () => {
    const [here, there] = await open(false);
    const standings = createOwnerStandings(there, CAPS);
    expect(await standings.of(OWNER)).toBeUndefined();
    await putOwner(here, OWNER, { suspended: true, reason: "spam" });
    expect(await standings.of(OWNER)).toMatchObject({ suspensionReason: "spam" });
    await putOwner(here, OWNER, { suspended: false, limits: { bots: 1 } });
    expect((await standings.capsOf(OWNER)).bots).toEqual({ most: 1, setBy: "platform" });
  });
});
