import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, type Follower, startCluster, startFollower } from "../support/cluster.js";
import { onDatabase, type TestDatabase, takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type LoadedService, loadService } from "../support/loaded-service.js";

const INSTANCES = 3;
const LOAD_MS = 2_000;
/** Of each poster. Each post is read nine times and delivered twice. */
const POST_EVERY_MS = 80;

describe("three instances on one database", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let load: LoadedService;
  let followers: Follower[];

  beforeAll(async () => {
    database = await takePostgresDatabase();
    cluster = await startCluster(database.url, INSTANCES);
  });
  afterAll(async () => {
    await cluster.remove();
    await database.drop();
  });

  beforeEach(async () => {
    load = await loadService(() => cluster.any(), cluster.dataDir, POST_EVERY_MS);
    followers = load.bots.flatMap(({ token }) =>
      cluster.instances.map((_, place) => startFollower(() => cluster.instances[place]?.url ?? "", token)),
    );
  });

  afterEach(async () => {
    await load.quiet();
    await Promise.all(followers.map((follower) => follower.stop()));
    await load.close();
  });

  /** Every follower, wherever it polls, has seen each log to its end, without a gap. */
  const expectFollowed = async () => {
    for (const [place, { token }] of load.bots.entries()) {
      const head = await headOf(cluster.any().url, token);
      const ofBot = followers.slice(place * INSTANCES, (place + 1) * INSTANCES);
      await eventually("every follower reaches the head of the log", () =>
        ofBot.every((follower) => follower.seen() === head),
      );
    }
    expect(followers.flatMap(({ faults }) => faults)).toEqual([]);
  };

  it("lose nothing, skip nothing and send nothing twice", async () => {
    await sleep(LOAD_MS);
    await eventually("enough is posted", () => load.acknowledged() > 100);
    await load.quiet();
    await load.expectNothingLost();
    await expectFollowed();
    expect(load.receivedAgain()).toBe(0);
  });

  it("lose nothing and skip nothing while they are killed and restarted", async () => {
    const until = Date.now() + LOAD_MS;
    while (Date.now() < until) {
      const place = Math.floor(Math.random() * INSTANCES);
      await sleep(200 + Math.random() * 300);
      await cluster.kill(place);
      await cluster.restart(place);
    }
    await load.quiet();
    await load.expectNothingLost();
    await expectFollowed();
  });

  it("lose nothing and skip nothing while their database connections are cut", async () => {
    const until = Date.now() + LOAD_MS;
    while (Date.now() < until) {
      await sleep(100);
      await onDatabase(
        database.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'botyard' AND random() < 0.3`,
      );
    }
    await load.quiet();
    await load.expectNothingLost();
    await expectFollowed();
  });
});

async function headOf(url: string, token: string): Promise<number> {
  let head = 0;
  for (;;) {
    const response = await fetch(`${url}/v1/bot-api/updates?offset=${head}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { items } = (await response.json()) as { items: { update_id: number }[] };
    const last = items.at(-1);
    if (!last) return head;
    head = last.update_id;
  }
}
