import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { type Cluster, startCluster } from "../support/cluster.js";
import { type TestDatabase, takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type ServiceProcess, startServiceProcess } from "../support/program.js";

const TOKEN = "a-token-of-the-platform-0123456789";
const OWNERS = ["ann", "ben", "cid", "dan", "eve", "fay"];
/** Posts of each owner that are answered before an instance is killed, and in all. */
const BEFORE_KILL = 20;
const POSTS = 60;

interface Item {
  cursor: string;
  event_type: string;
  owner_user_id: string;
  payload: { body?: string };
}

describe("the feed of two instances on one database", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  beforeAll(async () => {
    database = await takePostgresDatabase();
    cluster = await startCluster(database.url, 2, { PLATFORM_TOKEN: TOKEN, PLATFORM_FEED: "true" });
  });
  afterAll(async () => {
    await cluster.remove();
    await database.drop();
  });

  const at = (index: number) => cluster.instances[index] as ServiceProcess;
  const call = (to: ServiceProcess, method: string, path: string, owner?: string, body?: object) =>
    ask(to, method, path, {
      token: TOKEN,
      ...(body && { body }),
      ...(owner && { headers: { "Botyard-Owner": owner } }),
    });

  it("has every event that was answered, once and in its owner's order, though one instance is killed", async () => {
    const channels = new Map<string, string>();
    for (const [index, owner] of OWNERS.entries()) {
      const { body } = await call(at(index % 2), "POST", "/v1/channels", owner, {
        slug: owner,
        title: owner,
      });
      channels.set(owner, body.id);
    }
    const answered = new Map(OWNERS.map((owner) => [owner, [] as string[]]));
    let isKilled = false;
    /** Each owner's posts follow each other, at both instances by turns. */
    const publish = async (owner: string): Promise<void> => {
      for (let n = 0; n < POSTS; n += 1) {
        const instance = isKilled ? 1 : n % 2;
        const path = `/v1/channels/${channels.get(owner)}/posts`;
        const answer = await call(at(instance), "POST", path, owner, { body: `${n}` }).catch(() => undefined);
        if (answer?.status === 201) answered.get(owner)?.push(`${n}`);
      }
    };
    const items: Item[] = [];
    let isDone = false;
    /** Reads at the instance that stays, and repeats each page once, as after a crash of the reader. */
    const readAll = async (): Promise<void> => {
      for (;;) {
        const wasDone = isDone;
        const path = "/v1/platform/feed?consumer=main&limit=17&timeout=1";
        const { body } = await call(at(1), "GET", path);
        if (items.length % 2 === 0) {
          const again = await call(at(1), "GET", "/v1/platform/feed?consumer=main&limit=17");
          expectSameOrder(body.items, again.body.items);
        }
        items.push(...body.items);
        const to = { cursor: body.cursor };
        if (body.items.length > 0) await call(at(1), "PUT", "/v1/platform/consumers/main", undefined, to);
        else if (wasDone) return;
      }
    };
    const reading = readAll();
    const publishing = Promise.all(OWNERS.map(publish));
    await eventually("some posts are answered", () =>
      [...answered.values()].every((bodies) => bodies.length >= BEFORE_KILL),
    );
    isKilled = true;
    await cluster.kill(0);
    await publishing;
    isDone = true;
    await reading;
    expect(new Set(items.map(({ cursor }) => cursor)).size).toBe(items.length);
    for (const owner of OWNERS) {
      const own = items.filter(({ owner_user_id }) => owner_user_id === owner);
      expect(own[0]?.event_type).toBe("channel.created");
      const bodies = own.slice(1).map(({ payload }) => Number(payload.body));
      expect(bodies).toEqual(bodies.toSorted((a, b) => a - b));
      // A post whose answer was lost with the instance may be there too.
      expect(bodies.map(String)).toEqual(expect.arrayContaining(answered.get(owner) ?? []));
    }
  });

  it("wakes a reader at the other, also for what no bot or channel hears", async () => {
    await cluster.restart(0);
    const { body } = await call(at(1), "GET", "/v1/platform/feed?consumer=waker");
    let { cursor } = body;
    for (let items = body.items; items.length > 0; ) {
      const next = await call(at(1), "GET", `/v1/platform/feed?after=${cursor}`);
      ({ cursor, items } = next.body);
    }
    const waiting = call(at(1), "GET", `/v1/platform/feed?after=${cursor}&timeout=30`);
    const startedAt = performance.now();
    await call(at(0), "POST", "/v1/bot-api/bots", "ann", { username: "woken" });
    expect((await waiting).body.items).toMatchObject([
      { event_type: "bot.created", owner_user_id: "ann", payload: { username: "woken" } },
    ]);
    expect(performance.now() - startedAt).toBeLessThan(25_000);
  });

  it("says at both when one of them is started with PLATFORM_FEED=false", async () => {
    const lines = (instance: ServiceProcess) =>
      instance
        .stdout()
        .split("\n")
        .filter((line) => line.includes('"event":"feed_'))
        .map((line) => JSON.parse(line));
    const off = await startServiceProcess(cluster.dataDir, {
      DATABASE_URL: database.url,
      PLATFORM_TOKEN: TOKEN,
      PLATFORM_FEED: "false",
      LOG_LEVEL: "warn",
    });
    try {
      for (const path of ["feed", "feed?consumer=main", "feed?consumer=other", "feed/stream"]) {
        const answer = await call(at(1), "GET", `/v1/platform/${path}`);
        expect([answer.status, answer.headers.get("botyard-error")]).toEqual([404, "feed_off"]);
        expect(answer.body.error).toContain("started with PLATFORM_FEED=false removes the feed");
      }
      await eventually("the log is written", () => lines(at(1)).length > 0);
      expect(lines(off)).toMatchObject([{ event: "feed_switched", on: false, level: "warn" }]);
      expect(lines(at(1))).toMatchObject([{ event: "feed_lost", level: "warn" }]);
    } finally {
      await off.stop("SIGKILL");
    }
  });
});

/**
 * Each owner's items come again in the same order. Between owners the order may differ: what is committed meanwhile may
 * come before what another owner did.
 */
function expectSameOrder(first: readonly Item[], again: readonly Item[]): void {
  for (const owner of OWNERS) {
    const own = (page: readonly Item[]) =>
      page
        .filter(({ owner_user_id }) => owner_user_id === owner)
        .map(({ event_type, payload }) => ({ event_type, payload }));
    const shared = Math.min(own(first).length, own(again).length);
    expect(own(again).slice(0, shared)).toEqual(own(first).slice(0, shared));
  }
  expect(again.length).toBeGreaterThanOrEqual(first.length);
}
