import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { eventually } from "../support/eventually.js";
import { expireUpdates } from "../support/upkeep.js";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  world = await makeWorld(api);
});

const publish = async (count: number) => {
  for (let n = 1; n <= count; n++) await post(api, world, `post ${n}`);
};
const asBot = async (method: string, path: string, body?: object) =>
  ask(api, method, `/v1/bot-api/${path}`, { token: world.botToken, ...(body ? { body } : {}) });
const poll = async (query = "consumer=main") => {
  const answer = await asBot("GET", `updates?${query}`);
  expectContract("pollUpdates", answer);
  return answer;
};
const idsOf = ({ body }: { body: { items: { update_id: number }[] } }) =>
  body.items.map(({ update_id: id }) => id);
const move = (body: object, name = "main") => asBot("PUT", `consumers/${name}`, body);
const list = async () => (await asBot("GET", "consumers")).body.items;
const owners = (path: string) =>
  ask(api, "GET", `/v1/bot-api/bots/${world.botId}${path}`, { token: world.ownerToken });

describe("a consumer", () => {
  it("is created by its first poll, which does not move it", async () => {
    await publish(3);
    expect(await list()).toEqual([]);
    expect(idsOf(await poll())).toEqual([1, 2, 3]);
    expect(idsOf(await poll("consumer=MAIN&limit=2"))).toEqual([1, 2]);
    expect(await list()).toMatchObject([{ name: "main", position: 0, done: [], lag: 3 }]);
  });

  it("says which process reads, to another one", async () => {
    const polled = async (query: string) => {
      const { status, headers } = await poll(query);
      return [status, headers.get("botyard-consumer-reader")];
    };
    expect(await polled("consumer=main&reader=one")).toEqual([200, null]);
    expect(await polled("consumer=MAIN&reader=two")).toEqual([200, "one"]);
    expect(await polled("consumer=main&reader=two&leaving=true")).toEqual([200, "one"]);
    expect(await polled("consumer=other&reader=two")).toEqual([200, null]);
    expect(await polled("consumer=main")).toEqual([200, null]);
    expect(await polled("consumer=main&reader=one&leaving=true")).toEqual([200, null]);
    expect(await polled("consumer=main&reader=two")).toEqual([200, null]);
    expect(await polled("consumer=main&reader=one")).toEqual([200, "two"]);
    expectFailure("pollUpdates", await asBot("GET", "updates?reader=one"), 400);
    expectFailure("pollUpdates", await asBot("GET", "updates?consumer=main&reader=a%20b"), 400);
  });

  it("goes on after its position, without what is done", async () => {
    await publish(6);
    const moved = await move({ position: 1, done: [3, 6] });
    expectContract("moveConsumer", moved);
    expect(moved.body).toMatchObject({ name: "main", position: 1, done: [3, 6], lag: 3 });
    expect(idsOf(await poll())).toEqual([2, 4, 5]);
    expect((await move({ position: 2 })).body).toMatchObject({ position: 3, done: [6] });
    expect((await move({ position: 5 })).body).toMatchObject({ position: 6, done: [], lag: 0 });
    expect(idsOf(await poll())).toEqual([]);
    expect((await move({ position: 2, rewind: true })).body).toMatchObject({ position: 2, lag: 4 });
    expect(idsOf(await poll())).toEqual([3, 4, 5, 6]);
  });

  it("waits for an update that is not done", async () => {
    await publish(3);
    await move({ position: 0, done: [2, 3] });
    await move({ position: 1 }).then(({ body }) => expect(body.position).toBe(3));
    await move({ position: 0, done: [1, 3], rewind: true });
    expect(idsOf(await poll("consumer=main&timeout=30"))).toEqual([2]);
    await move({ position: 3 });
    const waiting = poll("consumer=main&timeout=30");
    await eventually("the poll waits", () => api.polls.waiting === 1);
    await post(api, world, "four");
    expect(idsOf(await waiting)).toEqual([4]);
  });

  it("wakes its waiting poll with what a rewind puts before it", async () => {
    await publish(3);
    await move({ position: 3 });
    await move({ position: 3 }, "other");
    const waiting = poll("consumer=MAIN&timeout=30");
    const other = poll("consumer=other&timeout=30");
    await eventually("the polls wait", () => api.polls.waiting === 2);
    await move({ position: 0, done: [2], rewind: true });
    const answer = await waiting;
    expect(idsOf(answer)).toEqual([1, 3]);
    expect(answer.headers.get("botyard-log-tail")).toBeNull();
    expect(api.polls.waiting).toBe(1);
    await post(api, world, "four");
    expect(idsOf(await other)).toEqual([4]);
  });

  it("is not created again by a poll that waits while it is deleted", async () => {
    await publish(1);
    await move({ position: 1 });
    const waiting = poll("consumer=main&timeout=1");
    await eventually("the poll waits", () => api.polls.waiting === 1);
    await asBot("DELETE", "consumers/main");
    expect(idsOf(await waiting)).toEqual([]);
    expect(await list()).toEqual([]);
  });

  it("reads past a whole page of updates that are done", async () => {
    await publish(8);
    await move({ position: 0, done: [2, 3, 4, 5, 6, 7] });
    await expireUpdates(api.store, 0, 1);
    expect(idsOf(await poll("consumer=main&limit=2"))).toEqual([1]);
    expect(idsOf(await poll("consumer=main&limit=8"))).toEqual([1, 8]);
  });

  it("is told the oldest update that is kept when others have expired", async () => {
    await publish(2);
    expect(idsOf(await poll())).toEqual([1, 2]);
    while (await expireUpdates(api.store, Date.now() + 1, 100));
    expect((await poll()).headers.get("botyard-log-tail")).toBe("3");
    await publish(2);
    const answer = await poll();
    expect(idsOf(answer)).toEqual([3, 4]);
    expect(answer.headers.get("botyard-log-tail")).toBe("3");
    expect((await poll("offset=1")).headers.get("botyard-log-tail")).toBe("3");
    expect((await poll("offset=0")).headers.get("botyard-log-tail")).toBeNull();
    await move({ position: 2 });
    expect((await poll()).headers.get("botyard-log-tail")).toBeNull();
    expect((await poll("offset=3")).headers.get("botyard-log-tail")).toBeNull();
  });

  it("is told the end of its log when data was lost", async () => {
    await publish(1);
    await move({ position: 1 });
    await api.store.skipUpdateIds(0, 1_000, 10);
    expect((await poll()).headers.get("botyard-log-head")).toBeNull();
    await post(api, world, "after");
    const answer = await poll();
    expect(idsOf(answer)).toEqual([12]);
    expect(answer.headers.get("botyard-log-tail")).toBeNull();
  });

  it("is refused what would lose or skip updates", async () => {
    await publish(5);
    await move({ position: 3 });
    const refused = async (body: object, message: RegExp) =>
      expectFailure("moveConsumer", await move(body), 400, message);
    await refused({ position: 2 }, /^position must not be below 3, .* "rewind": true$/);
    await refused({ position: 6 }, /beyond 5, the last update_id/);
    await refused({ position: 3, done: [6] }, /beyond 5, the last update_id/);
    expect(await list()).toMatchObject([{ position: 3, done: [] }]);
    expectFailure("pollUpdates", await asBot("GET", "updates?consumer=main&offset=0"), 400, /together/);
    for (const name of ["", "-a", "a b", "é", "x".repeat(65), "a\u0000"]) {
      const text = encodeURIComponent(name);
      expectFailure("pollUpdates", await asBot("GET", `updates?consumer=${text}`), 400, /^consumer must be/);
      expectFailure("streamUpdates", await asBot("GET", `updates/stream?consumer=${text}`), 400);
      if (text) expectFailure("moveConsumer", await move({ position: 0 }, text), 400, /^name must be/);
    }
    expectFailure(
      "pollUpdates",
      await asBot("GET", "updates?consumer=a&consumer=b"),
      400,
      /^consumer must be/,
    );
    expect(await list()).toHaveLength(1);
  });

  it("of two moves at once keeps the later number", async () => {
    await publish(6);
    await poll();
    const answers = await Promise.all([1, 4, 2, 6, 3, 5].map((position) => move({ position })));
    expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true);
    expect(await list()).toMatchObject([{ position: 6 }]);
  });

  it("is one of sixteen at most", async () => {
    for (let n = 0; n < 16; n++) expect((await move({ position: 0 }, `c${n}`)).status).toBe(200);
    expectFailure("moveConsumer", await move({ position: 0 }, "more"), 400, /16 consumers.*delete one/);
    expectFailure("pollUpdates", await asBot("GET", "updates?consumer=more"), 400, /16 consumers/);
    const deleted = await asBot("DELETE", "consumers/C3");
    expectContract("deleteConsumer", deleted);
    expect(deleted.body).toEqual({ status: "deleted" });
    expectFailure("deleteConsumer", await asBot("DELETE", "consumers/c3"), 404, "consumer not found");
    expect((await move({ position: 0 }, "more")).status).toBe(200);
  });

  it("belongs to its bot", async () => {
    await publish(1);
    await move({ position: 1 });
    const mine = world;
    world = await makeWorld(api);
    expect(await list()).toEqual([]);
    expectFailure("deleteConsumer", await asBot("DELETE", "consumers/main"), 404);
    expect((await move({ position: 0 })).body).toMatchObject({ position: 0 });
    expectFailure(
      "listBotConsumers",
      await ask(api, "GET", `/v1/bot-api/bots/${mine.botId}/consumers`, { token: world.ownerToken }),
      404,
    );
    world = mine;
    expect(await list()).toMatchObject([{ position: 1 }]);
  });

  it("shows its owner where it is, how far behind, and when it polled", async () => {
    const before = Date.now();
    await publish(4);
    expect((await owners("/stats")).body.slowest_consumer_lag).toBeUndefined();
    await poll();
    await move({ position: 1, done: [3] });
    const answer = await owners("/consumers");
    expectContract("listBotConsumers", answer);
    expect(answer.body.items).toMatchObject([{ name: "main", position: 1, done: [3], lag: 2 }]);
    expect((await owners("/stats")).body).toMatchObject({ slowest_consumer_lag: 2 });
    await eventually("the poll is noted", async () => {
      const [consumer] = (await owners("/consumers")).body.items;
      return Date.parse(consumer.last_polled_at ?? 0) >= before;
    });
  });

  it("gives a stream its beginning", async () => {
    await publish(4);
    await move({ position: 1, done: [3] });
    expectFailure(
      "streamUpdates",
      await asBot("GET", "updates/stream?consumer=main&offset=1"),
      400,
      /together/,
    );
    const stop = new AbortController();
    const response = await fetch(`${api.url}/v1/bot-api/updates/stream?consumer=main`, {
      headers: { authorization: `Bearer ${world.botToken}` },
      signal: stop.signal,
    });
    let text = "";
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString("utf8");
    })().catch(() => {});
    const ids = () => [...text.matchAll(/^id: (\d+)\nevent/gm)].map(([, id]) => Number(id));
    await eventually("the stream has sent two", () => ids().join() === "2,4");
    await post(api, world, "five");
    await eventually("the stream has sent the next", () => ids().join() === "2,4,5");
    stop.abort();
    await reading;
  });
});
