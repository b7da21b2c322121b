import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MAX_SUBSCRIBED_TYPES } from "#botyard/domain/limits.js";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, type Ask, ask, makeWorld, post, type World } from "../support/api-client.js";
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

const asOwner = (method: string, path: string, body?: unknown, what: Ask = {}) =>
  ask(api, method, path, { token: world.ownerToken, ...(body === undefined ? {} : { body }), ...what });
const ofChannel = (path = "") => `/v1/channels/${world.channelId}${path}`;
const ofBot = (path = "") => `/v1/bot-api/bots/${world.botId}${path}`;
const subscribe = (subscription: object) => asOwner("PUT", ofBot("/subscription"), subscription);
const poll = (query = "", token = world.botToken) =>
  ask(api, "GET", `/v1/bot-api/updates${query}`, { token });
const opened = { event_type: "ticket.opened", payload: { ticket: 42 } };

/** The kinds of events in the bot's log. */
async function heard(): Promise<string[]> {
  const { body } = await poll();
  return body.items.map((update: { event_type: string }) => update.event_type);
}

describe("a subscription", () => {
  it("that is the answer for a bot without one changes nothing", async () => {
    const { body: byDefault } = await asOwner("GET", ofBot("/subscription"));
    for (const event of ["before", "after"]) {
      await post(api, world, event);
      await asOwner("POST", ofChannel("/events"), opened);
      await asOwner("POST", ofBot("/events"), opened);
      await asOwner("PATCH", ofChannel(""), { title: `Title ${event}` });
      const { body } = await subscribe(byDefault);
      expect(body).toEqual({ ...byDefault, is_default: false });
    }
    const kinds = ["channel.post_created", "ticket.opened", "ticket.opened"];
    expect(await heard()).toEqual([...kinds, ...kinds]);
  });

  it("is set, shown to owner and bot, and removed", async () => {
    const byDefault = await asOwner("GET", ofBot("/subscription"));
    expectContract("getSubscription", byDefault);
    expect(byDefault.body).toEqual({
      is_default: true,
      event_types: ["channel.post_created", "custom"],
      posts: "all",
      own_posts: true,
    });
    const set = await subscribe({ event_types: ["ticket.*", "bot.detached"], own_posts: false });
    expectContract("putSubscription", set);
    const wanted = {
      is_default: false,
      event_types: ["ticket.*", "bot.detached"],
      posts: "all",
      own_posts: false,
    };
    expect(set.body).toEqual(wanted);
    expect((await asOwner("GET", ofBot("/subscription"))).body).toEqual(wanted);
    const mine = await ask(api, "GET", "/v1/bot-api/subscription", { token: world.botToken });
    expectContract("getMySubscription", mine);
    expect(mine.body).toEqual(wanted);

    await post(api, world, "not heard");
    await asOwner("POST", ofChannel("/events"), opened);
    expect(await heard()).toEqual(["ticket.opened"]);

    const own = await ask(api, "PUT", "/v1/bot-api/subscription", {
      token: world.botToken,
      body: { event_types: ["bot.attached"], posts: "mentions" },
    });
    expectContract("putMySubscription", own);
    expect((await asOwner("GET", ofBot("/subscription"))).body).toEqual(own.body);
    expect(own.body).toMatchObject({ event_types: ["bot.attached"], posts: "mentions", own_posts: true });
    await asOwner("POST", ofChannel("/events"), opened);
    expect(await heard()).toEqual(["ticket.opened"]);
    const removed = await asOwner("DELETE", ofBot("/subscription"));
    expectContract("deleteSubscription", removed);
    expect((await asOwner("GET", ofBot("/subscription"))).body).toEqual(byDefault.body);
    expect((await asOwner("DELETE", ofBot("/subscription"))).status).toBe(200);
    await post(api, world, "heard");
    expect(await heard()).toEqual(["ticket.opened", "channel.post_created"]);
  });

  it("is refused when it names no kinds of events, and the one before stays", async () => {
    await subscribe({ event_types: ["ticket.*"] });
    const before = (await asOwner("GET", ofBot("/subscription"))).text;
    const many = Array.from({ length: MAX_SUBSCRIBED_TYPES + 1 }, (_, number) => `a.b${number}`);
    const wrong: [object, RegExp][] = [
      [{}, /^event_types is required/],
      [{ event_types: "*" }, /^event_types/],
      [{ event_types: [1] }, /^event_types/],
      [{ event_types: [""] }, /^event_types/],
      [{ event_types: ["*.opened"] }, /^event_types/],
      [{ event_types: ["ticket*"] }, /^event_types/],
      [{ event_types: ["Ticket.x"] }, /^event_types/],
      [{ event_types: ["a.b", "a.b"] }, /^event_types/],
      [{ event_types: many }, /^event_types/],
      [{ event_types: ["*"], posts: "some" }, /^posts/],
      [{ event_types: ["*"], own_posts: "no" }, /^own_posts/],
    ];
    for (const [body, message] of wrong) {
      expectFailure("putSubscription", await subscribe(body), 400, message);
      const preview = { channel_id: world.channelId, ...body };
      const answer = await asOwner("POST", ofBot("/subscription/preview"), preview);
      expectFailure("previewSubscription", answer, 400, message);
    }
    expect((await asOwner("GET", ofBot("/subscription"))).text).toBe(before);
  });

  it("can be tried on what happened in a channel of the owner's", async () => {
    await asOwner("POST", ofChannel("/posts"), { body: `hello @${world.username}` });
    await asOwner("POST", ofChannel("/posts"), { body: "hello" });
    await asOwner("POST", ofChannel("/events"), opened);
    const tried = { event_types: ["channel.post_created"], posts: "mentions" };
    const preview = (channelId: string, what: Ask = {}): Promise<Answer> =>
      asOwner("POST", ofBot("/subscription/preview"), { channel_id: channelId, ...tried }, what);
    const answer = await preview(world.channelId);
    expectContract("previewSubscription", answer);
    const marks = answer.body.items.map((item: { heard: boolean }) => item.heard);
    expect(marks).toEqual([false, false, true]);
    expect(answer.body.items[0]).toMatchObject(opened);
    expect((await asOwner("GET", ofBot("/subscription"))).body.is_default).toBe(true);

    const other = await makeWorld(api);
    expectFailure("previewSubscription", await preview(other.channelId), 404, /channel not found/);
    expectFailure("previewSubscription", await preview("nonsense"), 404, /channel not found/);
    const stranger = await preview(world.channelId, { token: other.ownerToken });
    expectFailure("previewSubscription", stranger, 404, /bot not found/);
  });
});
