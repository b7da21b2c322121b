import pg from "pg";
import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import { startUpkeep, type Upkeep } from "#botyard/operations/upkeep/upkeep.js";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import type { Store, UpkeepTask } from "#botyard/store/store.js";
import { type Cluster, startCluster } from "../support/cluster.js";
import { engine, type StoreHome, takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { ownerAt } from "../support/load.js";
import { environmentOf } from "../support/program.js";
import { aPost, makeChannel, NOW } from "../support/store-fixtures.js";
import { countRows } from "../support/stored-rows.js";

const TURNS = createOwnerTurns(() => performance.now());

/** The lease, the second after which an instance looks again whether it can take the upkeep, and what a busy machine adds. */
const TAKEOVER_MS = 3_000 + 1_000 + 5_000;
const FOLD: UpkeepTask = { kind: "fold", now: NOW };
/** Many more steps than the other owner's. */
const POSTS = 20_000;

describe("the upkeep of a database that two instances use", () => {
  let home: StoreHome;
  let here: Store;
  let there: Store;
  const running: Upkeep[] = [];
  beforeEach(async () => {
    home = await engine.createHome();
    here = await home.open();
    there = await home.open();
    return async () => {
      for (const upkeep of running.splice(0)) upkeep.stop();
      await here.close();
      await there.close();
      await home.remove();
    };
  });

  const start = (store: Store): Upkeep => {
    const upkeep = startUpkeep({
      store,
      retentionDays: 30,
      auditRetentionDays: 90,
      logger: pino({ level: "silent" }),
    });
    running.push(upkeep);
    return upkeep;
  };
  const fill = async (ownerUserId: string, posts: number): Promise<string> => {
    const channelId = await makeChannel(here, ownerUserId);
    for (let left = posts; left > 0; left -= 1_000) {
      const some = Array.from({ length: Math.min(left, 1_000) }, () =>
        aPost(channelId, "secret", { ownerUserId }),
      );
      await here.appendPosts(some);
    }
    return channelId;
  };
  const left = () => countRows(home, "events", "payload LIKE '%secret%'");

  it("is held by one of them, until it closes", async () => {
    expect(await here.holdUpkeep()).toBe(true);
    expect(await there.holdUpkeep()).toBe(false);
    expect(await there.runUpkeep(FOLD, 10)).toBe("elsewhere");
    expect(await here.runUpkeep(FOLD, 10)).toBe("done");
    await here.close();
    expect(await there.holdUpkeep()).toBe(true);
  });

  it("is held for one step where nobody keeps it", async () => {
    for (const store of [here, there, here]) expect(await store.runUpkeep(FOLD, 10)).toBe("done");
    expect(await there.holdUpkeep()).toBe(true);
    expect(await here.runUpkeep(FOLD, 10)).toBe("elsewhere");
  });

  it("is done by one of them", async () => {
    const both = [start(here), start(there)];
    const completed = () => both.filter((upkeep) => upkeep.completedAt() !== undefined);
    const holder = await eventually("a round is complete", () => completed()[0]);
    const other = holder === both[0] ? there : here;
    expect(await other.runUpkeep(FOLD, 10)).toBe("elsewhere");
    expect(completed()).toEqual([holder]);
  });

  it("erases at the one that holds it what was deleted at the other, before that is answered", async () => {
    const channelId = await fill("alice", 1_500);
    const upkeep = start(here);
    await eventually("it is held", () => upkeep.completedAt());
    await deleteChannel(there, { ownerUserId: "alice", channelId });
    expect(await left()).toBe(0);
    expect(await there.runUpkeep(FOLD, 10)).toBe("elsewhere");
  });

  it("erases also where hints are lost", async () => {
    const channelId = await fill("alice", 700);
    const upkeep = start(here);
    await eventually("it is held", () => upkeep.completedAt());
    const deaf = await openPostgresStore({
      url: home.environment["DATABASE_URL"] ?? "",
      poolSize: 2,
      hints: false,
      onConnectionError: console.error,
    });
    await deleteChannel(deaf, { ownerUserId: "alice", channelId });
    await deaf.close();
    expect(await left()).toBe(0);
  });

  it.each(["the one that holds it", "the other"])("erases two owners at once, asked at %s", async (where) => {
    await fill("alice", POSTS);
    await fill("bob", 700);
    const upkeep = start(here);
    await eventually("it is held", () => upkeep.completedAt());
    const asked = where === "the other" ? there : here;
    const erased: string[] = [];
    const erase = async (owner: string, by: Store): Promise<void> => {
      while ((await eraseOwner(by, TURNS, { ownerUserId: owner }, owner)) !== "deleted");
      erased.push(owner);
    };
    await Promise.all([erase("alice", asked), erase("bob", there), erase("nobody", there)]);
    expect(erased).toEqual(["nobody", "bob", "alice"]);
    expect(await left()).toBe(0);
  });
});

describe("the upkeep of an instance that is killed", () => {
  it("is taken over within its lease, with what is to be erased", { timeout: 120_000 }, async ({
    onTestFinished,
  }) => {
    const database = await takePostgresDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const cluster: Cluster = await startCluster(database.url, 2);
    onTestFinished(async () => {
      await cluster.remove();
      await client.end();
      await database.drop();
    });
    const holder = async (): Promise<number> => {
      const { rows } = await client.query<{ holder: string }>(
        "SELECT holder FROM upkeep WHERE lease_until > extract(epoch FROM now()) * 1000",
      );
      const [, pid] = /process (\d+)/.exec(rows[0]?.holder ?? "") ?? [];
      return cluster.instances.findIndex(({ child }) => String(child.pid) === pid);
    };
    const first = await eventually("one of them holds it", async () => {
      const index = await holder();
      return index >= 0 ? { index } : undefined;
    });
    const [killed, survivor] = [first.index, 1 - first.index];
    const other = cluster.instances[survivor] ?? expect.fail("there are two");
    const owner = ownerAt(await environmentOf("alice", other, cluster.dataDir));
    const channelId = await owner.createChannel("channel");
    const { status } = await fetch(`${other.url}/v1/channels/${channelId}/posts`, {
      method: "POST",
      headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
      body: JSON.stringify({ body: "secret" }),
    });
    expect(status).toBe(201);

    await cluster.kill(killed);
    await owner.call("DELETE", `/v1/channels/${channelId}`);
    const { rows } = await client.query("SELECT FROM events WHERE payload LIKE '%secret%'");
    expect(rows).toEqual([]);
    await eventually("the other one holds it", async () => (await holder()) === survivor, TAKEOVER_MS);
  });
});
