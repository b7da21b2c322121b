import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post } from "../support/api-client.js";
import { expectContract } from "../support/contract.js";

describe("a poll", () => {
  let api: RunningApi;
  let world: Awaited<ReturnType<typeof makeWorld>>;

  beforeAll(async () => {
    api = await startApi();
    world = await makeWorld(api);
    for (const body of ["one", "two"]) await post(api, world, body);
  });
  afterAll(() => api.close());

  const poll = (query: string) => ask(api, "GET", `/v1/bot-api/updates?${query}`, { token: world.botToken });

  it.each(["offset=3", "offset=9007199254740991", "offset=3&timeout=1"])(
    "beyond the end of its log is told where that is: %s",
    async (query) => {
      const answer = await poll(query);
      expect(answer.status).toBe(200);
      expectContract("pollUpdates", answer);
      expect(answer.body.items).toEqual([]);
      expect(answer.headers.get("botyard-log-head")).toBe("2");
    },
  );

  it.each(["", "offset=1", "offset=2", "offset=2&timeout=1"])(
    "within its log hears nothing of it: %s",
    async (query) => {
      const answer = await poll(query);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("botyard-log-head")).toBeNull();
    },
  );

  it("at the end of its log continues to wait, and gets the updates after numbers that were skipped", async () => {
    const waiting = poll("offset=2&timeout=30");
    await api.store.skipUpdateIds(0, 100, 1_000);
    await post(api, world, "three");
    expect((await waiting).body.items).toMatchObject([{ update_id: 1_003 }]);
    expectContract("pollUpdates", await waiting);
    const skippedIn = async (query: string) => (await poll(query)).headers.get("botyard-log-skipped");
    expect((await waiting).headers.get("botyard-log-skipped")).toBe("3-1002");
    expect(await skippedIn("offset=1")).toBe("3-1002");
    expect(await skippedIn("offset=500")).toBe("3-1002");
    expect(await skippedIn("offset=1&limit=1")).toBeNull();
    expect(await skippedIn("offset=1002")).toBeNull();
    expect((await poll("offset=1003")).headers.get("botyard-log-head")).toBeNull();
  });

  it("is told the end of an empty log", async () => {
    const { botToken: token } = await makeWorld(api);
    const answer = await ask(api, "GET", "/v1/bot-api/updates?offset=7", { token });
    expect(answer.headers.get("botyard-log-head")).toBe("0");
  });
});
