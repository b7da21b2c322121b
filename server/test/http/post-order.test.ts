import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  world = await makeWorld(api);
});

const BODIES = ["one", "two", "three", "four", "five"];
const owners = () => `/v1/channels/${world.channelId}/posts`;
const bots = () => `/v1/bot-api/channels/${world.channelId}/posts`;
const publish = async (body: string, more = {}) =>
  (await ask(api, "POST", owners(), { token: world.ownerToken, body: { body, ...more } })).body.id as string;

/** The texts of all posts, page by page. */
async function walk(path: string, token: string, limit = 2): Promise<string[]> {
  const found: string[] = [];
  for (let after = ""; ; ) {
    const answer = await ask(api, "GET", `${path}?order=oldest&limit=${limit}${after}`, { token });
    expectContract(path.includes("bot-api") ? "listBotPosts" : "listChannelPosts", answer);
    const items = answer.body.items as { id: string; body: string }[];
    if (items.length === 0) return found;
    found.push(...items.map(({ body }) => body));
    after = `&after=${items.at(-1)?.id}`;
  }
}

describe("posts in the order of the feed", () => {
  it("are listed page by page, by an owner and by a bot", async () => {
    for (const body of BODIES) await publish(body);
    await publish("before all", { silent: true, created_at: "2019-05-04T03:02:01Z" });
    const all = ["before all", ...BODIES];
    expect(await walk(owners(), world.ownerToken)).toEqual(all);
    expect(await walk(bots(), world.botToken)).toEqual(all);
    // What is large ends a page earlier.
    for (const body of ["x", "y", "z"]) await publish(body, { media: [{ text: body.repeat(16_000) }] });
    expect(await walk(owners(), world.ownerToken, 100)).toEqual([...all, "x", "y", "z"]);
    const newest = await ask(api, "GET", `${owners()}?order=newest&limit=1`, { token: world.ownerToken });
    expect(newest.body.items[0].body).toBe("z");
  });

  it("go on behind a post that was deleted since", async () => {
    const ids: string[] = [];
    for (const body of BODIES) ids.push(await publish(body));
    await ask(api, "DELETE", `${owners()}/${ids[2]}`, { token: world.ownerToken });
    const answer = await ask(api, "GET", `${owners()}?order=oldest&after=${ids[2]}`, {
      token: world.ownerToken,
    });
    expect(answer.body.items.map(({ body }: { body: string }) => body)).toEqual(["four", "five"]);
  });

  it("begin for a member with those since it was attached", async () => {
    for (const body of BODIES) await publish(body);
    const path = `/v1/bot-api/bots/${world.botId}/channels/${world.channelId}`;
    await ask(api, "DELETE", path, { token: world.ownerToken });
    await new Promise((resolve) => setTimeout(resolve, 2));
    await ask(api, "POST", path, { token: world.ownerToken, body: { role: "member" } });
    await publish("six");
    await publish("seven");
    expect(await walk(bots(), world.botToken, 1)).toEqual(["six", "seven"]);
    await ask(api, "POST", path, { token: world.ownerToken, body: { role: "reader" } });
    expect((await ask(api, "GET", `${bots()}?order=oldest`, { token: world.botToken })).status).toBe(403);
  });

  it("have positions of their own", async () => {
    const id = await publish("one");
    for (const [operation, path, token] of [
      ["listChannelPosts", owners(), world.ownerToken],
      ["listBotPosts", bots(), world.botToken],
    ] as const) {
      const refused = async (query: string, message: RegExp) =>
        expectFailure(operation, await ask(api, "GET", `${path}?${query}`, { token }), 400, message);
      await refused(`after=${id}`, /after needs order=oldest/);
      await refused(`order=oldest&before=${id}`, /before needs order=newest/);
      await refused("order=oldest&after=first", /after must be the id of a post/);
      await refused("order=both", /order must be one of newest, oldest/);
    }
  });
});
