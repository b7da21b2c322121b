import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { countUsage } from "../support/upkeep.js";

const PLATFORM = "a-token-of-the-platform-0123456789";

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({
    platform: { tokens: [PLATFORM], rateLimit: { burst: 100_000, perSecond: 100_000 } },
  });
});
afterAll(() => api.close());

const today = () => new Date().toISOString().slice(0, 10);
const platform = (query = "") => ask(api, "GET", `/v1/platform/usage${query}`, { token: PLATFORM });
const own = (token: string, query = "") => ask(api, "GET", `/v1/owner/usage${query}`, { token });

describe("usage", () => {
  it("is what an owner and their bots have caused, for the owner and for the platform", async () => {
    const world = await makeWorld(api);
    const { owner, ownerToken: token, channelId } = world;
    for (let n = 0; n < 3; n += 1) await post(api, world, "hello");
    await ask(api, "POST", `/v1/channels/${channelId}/posts`, { token, body: { body: "mine" } });
    await countUsage(api.store, Date.now());

    const mine = await own(token);
    expectContract("getUsage", mine);
    const counts = { day: today(), posts: 4, updates: 4, deliveries: 0, bytes: expect.any(Number) };
    expect(mine.body.items).toEqual([counts]);
    const all = await platform();
    expectContract("listUsage", all);
    expect(all.body.items).toContainEqual({ user_id: owner, ...counts });
    expect((await own((await makeWorld(api)).ownerToken)).body.items).toEqual([]);
  });

  it("is read page by page", async () => {
    for (let n = 0; n < 3; n += 1) await post(api, await makeWorld(api), "hello");
    await countUsage(api.store, Date.now());
    const all = (await platform()).body.items;
    const read = [];
    let cursor = "";
    do {
      const { body } = await platform(`?limit=2${cursor && `&after=${encodeURIComponent(cursor)}`}`);
      read.push(...body.items);
      cursor = body.cursor ?? "";
    } while (cursor);
    expect(read).toEqual(all);
  });

  it.each([
    ["?from=yesterday", /from must be a day/],
    ["?to=2026-02-30", /to must be a day/],
    ["?from=2026-05-02&to=2026-05-01", /from must not be after to/],
    ["?from=2020-01-01&to=2026-05-01", /at most 366 days/],
  ])("is refused for %s", async (query, message) => {
    const { ownerToken } = await makeWorld(api);
    expectFailure("getUsage", await own(ownerToken, query), 400, message);
    expectFailure("listUsage", await platform(query), 400, message);
  });

  it("is refused after what is no cursor", async () => {
    for (const after of ["x", "1.", "1.AA", "99999999.YQ"])
      expectFailure("listUsage", await platform(`?after=${after}`), 400, /after must be the cursor/);
  });

  it("of all owners is the platform's alone", async () => {
    const { ownerToken, botToken } = await makeWorld(api);
    for (const token of [ownerToken, botToken])
      expect((await ask(api, "GET", "/v1/platform/usage", { token })).status).toBe(401);
    expect((await own(botToken)).status).toBe(401);
    expect((await own(PLATFORM)).status).toBe(400);
  });
});
