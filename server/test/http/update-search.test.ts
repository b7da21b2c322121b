import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { aPost, recordOutcomes } from "../support/store-fixtures.js";

let api: RunningApi;
let world: World;
let secondChannelId: string;

beforeAll(async () => {
  api = await startApi();
  world = await makeWorld(api);
  const slug = `second-${world.channelId}`;
  secondChannelId = (await asOwner("POST", "/v1/channels", { slug, title: "Second" })).body.id;
  await asOwner("POST", bot(`/channels/${secondChannelId}`));
  await asOwner("PUT", bot("/subscription"), { event_types: ["*"] });
});
afterAll(() => api.close());

const asOwner = (method: string, path: string, body?: unknown) =>
  ask(api, method, path, { token: world.ownerToken, ...(body === undefined ? {} : { body }) });
const bot = (path = "") => `/v1/bot-api/bots/${world.botId}${path}`;
const publish = async (body: string, channelId = world.channelId): Promise<string> =>
  (await asOwner("POST", `/v1/channels/${channelId}/posts`, { body })).body.id;
const emit = (payload: unknown, eventType: string, channelId = world.channelId) =>
  asOwner("POST", `/v1/channels/${channelId}/events`, { event_type: eventType, payload });

const search = async (wanted: Record<string, string | number>) => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(wanted)) query.set(name, String(value));
  const answer = await asOwner("GET", bot(`/updates?${query.toString()}`));
  expect(answer.status, answer.text).toBe(200);
  expectContract("listBotUpdates", answer);
  return answer.body as {
    items: { update_id: number; event_type: string; channel_id?: string }[];
    stopped_at?: number;
  };
};
const idsOf = async (wanted: Record<string, string | number>) =>
  (await search(wanted)).items.map(({ update_id: id }) => id);

describe("a search in the log of a bot", () => {
  let postId: string;
  let fourthAt: string;
  beforeAll(async () => {
    await publish("Rain in GRÖẞE tomorrow");
    postId = await publish('He said "sun"\nand left');
    await publish("rain here too", secondChannelId);
    await emit({ ticket: 4711, by: { name: "Zoe\u0301" }, tags: ["Leak"] }, "ticket.opened");
    await emit({ body: "rain damage", by: "a plumber" }, "ticket.closed", secondChannelId);
    await asOwner("PATCH", `/v1/channels/${world.channelId}/posts/${postId}`, { body: "no more sun" });
    await asOwner("POST", bot("/events"), { event_type: "command.start", payload: {} });
    const { items } = (await asOwner("GET", bot("/updates"))).body;
    expect(items.map(({ update_id: id }: { update_id: number }) => id)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    fourthAt = items[3].created_at;
  });

  it("finds texts whatever their case, and ids of posts", async () => {
    expect(await idsOf({ search: "rain" })).toEqual([5, 3, 1]);
    expect(await idsOf({ search: "größe TOM" })).toEqual([1]);
    expect(await idsOf({ search: 'said "SUN"\nand' })).toEqual([2]);
    expect(await idsOf({ search: "zoé" })).toEqual([4]);
    expect(await idsOf({ search: "4711" })).toEqual([4]);
    expect(await idsOf({ search: "leak" })).toEqual([4]);
    expect(await idsOf({ search: "plumber" })).toEqual([5]);
    expect(await idsOf({ search: postId })).toEqual([6, 2]);
    // Not the names of fields, nor the ids of channels.
    expect(await idsOf({ search: "author_username" })).toEqual([]);
    expect(await idsOf({ search: world.channelId })).toEqual([]);
  });

  it("finds what happened in a channel, of a kind, in a state, and in a time", async () => {
    expect(await idsOf({ channel_id: secondChannelId })).toEqual([5, 3]);
    expect(await idsOf({ channel_id: world.channelId })).toEqual([6, 4, 2, 1]);
    expect(await idsOf({ channel_id: "none" })).toEqual([]);
    expect(await idsOf({ event_type: "ticket.opened" })).toEqual([4]);
    expect(await idsOf({ event_type: "ticket.*" })).toEqual([5, 4]);
    expect(await idsOf({ event_type: "channel.post_created" })).toEqual([3, 2, 1]);
    expect(await idsOf({ event_type: "ticket.*", channel_id: secondChannelId, search: "RAIN" })).toEqual([5]);
    expect(await idsOf({ search: "rain", state: "pending", before: 5 })).toEqual([3, 1]);
    expect(await idsOf({ search: "rain", state: "delivered" })).toEqual([]);
    const later = await idsOf({ since: fourthAt });
    expect(later.slice(0, 4)).toEqual([7, 6, 5, 4]);
    expect(await idsOf({ until: fourthAt, search: "rain" })).toSatisfy(
      (ids: number[]) => ids.length + later.filter((id) => id === 1 || id === 3).length === 2,
    );
    expect(await idsOf({ since: "2100-01-01T00:00:00Z" })).toEqual([]);
  });

  it("names the channel of each update, as far as there is one", async () => {
    const { items } = await search({ since: "2000-01-01T00:00:00Z" });
    const second = secondChannelId;
    const first = world.channelId;
    expect(items.map(({ channel_id: id }) => id)).toEqual([
      undefined,
      first,
      second,
      first,
      second,
      first,
      first,
    ]);
  });

  it("stops at its limit, and goes on from there", async () => {
    expect(await search({ search: "rain", limit: 2 })).toMatchObject({
      items: [{ update_id: 5 }, { update_id: 3 }],
      stopped_at: 2,
    });
    const rest = await search({ search: "rain", limit: 2, before: 2 });
    expect(rest.items.map(({ update_id: id }) => id)).toEqual([1]);
    expect(rest).not.toHaveProperty("stopped_at");
    expect(await search({ limit: 2 })).not.toHaveProperty("stopped_at");
  });

  it("looks at 2,000 updates in one call, and no further than its time", async () => {
    const author = { ownerUserId: world.owner };
    for (let batch = 0; batch < 5; batch++) {
      const posts = Array.from({ length: 1_000 }, () => aPost(world.channelId, "dull", author, Date.now()));
      await api.store.appendPosts(posts);
    }
    const found: number[] = [];
    const stops: number[] = [];
    let before = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const { items, stopped_at: stoppedAt } = await search({ search: "rain", before });
      found.push(...items.map(({ update_id: id }) => id));
      if (stoppedAt === undefined) break;
      stops.push(stoppedAt);
      before = stoppedAt;
    }
    expect(found).toEqual([5, 3, 1]);
    expect(stops).toEqual([3_008, 1_008]);
    const ofNow = await search({ search: "rain", since: new Date(Date.now() + 60_000).toISOString() });
    expect(ofNow).toEqual({ items: [] });
    const bounded = await search({ search: "rain", before: 1_200, since: "2000-01-01T00:00:00Z" });
    expect(bounded.items).toHaveLength(3);
    expect(bounded).not.toHaveProperty("stopped_at");
  });

  it("of a rare state reads only what is in it", async () => {
    await asOwner("PUT", bot("/webhook"), { url: "https://example.com/hook" });
    const failed = { failureCount: 0, attemptedAt: Date.now(), failure: { error: "502 Bad Gateway" } };
    const attempts = [3, 4, 2_000].map((updateId) => ({ updateId, ...failed }));
    await recordOutcomes(api.store, [{ destinationId: world.botId, nextFreshId: 5, attempts }]);
    const answer = await search({ state: "failed", search: "rain" });
    expect(answer.items).toMatchObject([{ update_id: 3 }]);
    expect(answer).not.toHaveProperty("stopped_at");
  });

  it("is refused without something to look for", async () => {
    const wrong = await ask(api, "GET", bot("/updates?since=abc"), { token: world.ownerToken });
    expectFailure(
      "listBotUpdates",
      wrong,
      400,
      "since must be a time with its zone, like 2026-01-31T12:00:00Z",
    );
    for (const query of ["search=", "event_type=", "since=today", `search=${"x".repeat(129)}`])
      expectFailure("listBotUpdates", await asOwner("GET", bot(`/updates?${query}`)), 400);
    const token = (await makeWorld(api)).ownerToken;
    const foreign = await ask(api, "GET", bot("/updates?search=rain"), { token });
    expectFailure("listBotUpdates", foreign, 404);
  });
});
