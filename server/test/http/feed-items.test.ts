import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, type Ask, ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract } from "../support/contract.js";
import { eventually } from "../support/eventually.js";
import { switchFeedOn } from "../support/feed-world.js";

const TOKEN = "a-token-of-the-platform-0123456789";
const FEED = "/v1/platform/feed";

interface Item {
  by?: { type: string; id?: string };
  id: string;
  event_type: string;
  payload: Record<string, unknown>;
}

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi({
    platform: { tokens: [TOKEN], rateLimit: { burst: 10_000, perSecond: 10_000 } },
  });
  await switchFeedOn(api.store);
});
afterAll(() => api.close());
beforeEach(async () => {
  world = await makeWorld(api);
});

const asPlatform = (method: string, path: string, what: Ask = {}): Promise<Answer> =>
  ask(api, method, path, { token: TOKEN, ...what });

/** Everything in the feed that is about the world's owner. */
async function itemsOf(query = ""): Promise<Item[]> {
  const all = await everything(query);
  return all.filter((item) => (item as { owner_user_id?: string }).owner_user_id === world.owner);
}

async function everything(query = ""): Promise<Item[]> {
  const all: Item[] = [];
  let page = await asPlatform("GET", `${FEED}?limit=500${query}`);
  while (page.body.items.length > 0) {
    all.push(...page.body.items);
    page = await asPlatform("GET", `${FEED}?limit=500&after=${page.body.cursor}`);
  }
  return all;
}

describe("the id of an item", () => {
  it("is the same for every reader, also after an edit and a deletion", async () => {
    await post(api, world, "first");
    const path = `/v1/channels/${world.channelId}/posts`;
    const token = world.ownerToken;
    const { body: other } = await ask(api, "POST", path, { token, body: { body: "second" } });
    await ask(api, "PATCH", `${path}/${other.id}`, { token, body: { body: "third" } });
    const before = await itemsOf();
    expectContract("readFeed", await asPlatform("GET", FEED));
    const ids = before.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const posts = before.filter(({ event_type: kind }) => kind === "channel.post_created");
    expect(posts.map(({ id, payload }) => id === payload.post_id)).toEqual([true, true]);

    await ask(api, "DELETE", `${path}/${other.id}`, { token });
    const consumed = await itemsOf("&consumer=another");
    expect(consumed.map(({ id }) => id).slice(0, ids.length)).toEqual(ids);
    const [deletion] = consumed.slice(ids.length);
    expect(deletion?.event_type).toBe("channel.post_deleted");
    expect(ids).not.toContain(deletion?.id);

    const stream = await fetch(`${api.url}${FEED}/stream`, { headers: { authorization: `Bearer ${TOKEN}` } });
    let text = "";
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString("utf8");
      if (text.includes(`"id":"${deletion?.id}"`)) break;
    }
    const streamed = text
      .split("\n")
      .filter((line) => line.startsWith("data: {") && line.endsWith("}"))
      .map((line) => (JSON.parse(line.slice("data: ".length)) as Item).id);
    expect(streamed.filter((id) => ids.includes(id))).toEqual(ids);
  });
});

describe("who did it, beside in whose name", () => {
  const byOf = async (kind: string) =>
    (await itemsOf()).filter(({ event_type }) => event_type === kind).map(({ by }) => by);
  const callers = () =>
    [
      [{ token: world.ownerToken }, { type: "owner", id: world.owner }],
      [{ token: TOKEN, headers: { "Botyard-Owner": world.owner } }, { type: "platform" }],
    ] as const;

  it("is told of the owner, the platform and bots", async () => {
    const path = `/v1/channels/${world.channelId}`;
    for (const [caller] of callers()) {
      const author = { id: "u-1", username: "ann" };
      const { body } = await ask(api, "POST", `${path}/posts`, { ...caller, body: { body: "hi", author } });
      await ask(api, "PATCH", `${path}/posts/${body.id}`, { ...caller, body: { body: "again" } });
      await ask(api, "DELETE", `${path}/posts/${body.id}`, caller);
      const event = { event_type: "ticket.opened", payload: {} };
      await ask(api, "POST", `${path}/events`, { ...caller, body: event });
    }
    const bot = { token: world.botToken };
    const botPath = `/v1/bot-api/channels/${world.channelId}/posts`;
    const { body } = await post(api, world, "by a bot");
    await ask(api, "PATCH", `${botPath}/${body.id}`, { ...bot, body: { body: "again" } });
    await ask(api, "DELETE", `${botPath}/${body.id}`, bot);

    const all = callers().map(([, by]) => by);
    const byBot = { type: "bot", id: world.botId };
    for (const kind of ["channel.post_created", "channel.post_edited", "channel.post_deleted"])
      expect([kind, await byOf(kind)]).toEqual([kind, [...all, byBot]]);
    expect(await byOf("ticket.opened")).toEqual(all);
    expectContract("readFeed", await asPlatform("GET", `${FEED}?limit=500`));
  });

  it("is told of what a bot says of itself, until it is deleted", async () => {
    const bot = { token: world.botToken };
    await ask(api, "PUT", "/v1/bot-api/commands", {
      ...bot,
      body: { commands: [{ name: "weather", description: "Tell it" }] },
    });
    await ask(api, "PUT", "/v1/bot-api/subscription", { ...bot, body: { event_types: ["*"] } });
    const kinds = ["bot.commands_set", "bot.subscribed"];
    for (const kind of kinds) expect(await byOf(kind)).toEqual([{ type: "bot", id: world.botId }]);
    await ask(api, "DELETE", `/v1/bot-api/bots/${world.botId}`, { token: world.ownerToken });
    for (const kind of kinds) expect(await byOf(kind)).toEqual([{ type: "bot" }]);
  });

  it("is told of changes of channels, bots and webhooks, until the owner is erased", async () => {
    const before = (await itemsOf()).length;
    const told: [string, unknown][] = [];
    for (const [caller, by] of callers()) {
      const name = `w${world.owner}-${by.type}`.toLowerCase();
      const call = async (method: string, path: string, body?: object, ...kinds: string[]) => {
        const answer = await ask(api, method, path, { ...caller, ...(body && { body }) });
        expect([path, answer.status]).toEqual([path, answer.status < 300 ? answer.status : 200]);
        told.push(...kinds.map((kind): [string, unknown] => [kind, by]));
        return answer.body;
      };
      const { bot } = await call("POST", "/v1/bot-api/bots", { username: name }, "bot.created");
      const botPath = `/v1/bot-api/bots/${bot.id}`;
      const channel = await call("POST", "/v1/channels", { slug: name, title: "Room" }, "channel.created");
      const channelPath = `/v1/channels/${channel.id}`;
      const external = { title: "Room" };
      await call("PUT", `/v1/channels/external/${name}`, external, "channel.created");
      await call("PUT", `/v1/channels/external/${name}`, { title: "Renamed" }, "channel.updated");
      await call("PATCH", channelPath, { title: "Renamed" }, "channel.updated");
      await call("POST", `${botPath}/channels/${channel.id}`, undefined, "bot.attached");
      const role = { role: "member" };
      await call("POST", `${botPath}/channels/${channel.id}`, role, "bot.role_changed");
      await call("POST", `${botPath}/channels/${channel.id}`, role);
      await call("DELETE", `${botPath}/channels/${channel.id}`, undefined, "bot.detached");
      await call("PATCH", botPath, { display_name: "Another" }, "bot.updated");
      await call("PATCH", botPath, { display_name: "Another" });
      await call("PUT", `${botPath}/subscription`, { event_types: ["*"] }, "bot.subscribed");
      await call("DELETE", `${botPath}/subscription`, undefined, "bot.subscribed");
      await call("POST", `${botPath}/token`, undefined, "bot.token_rotated");
      await call("PUT", `${channelPath}/bots`, { bot_ids: [bot.id] }, "bot.attached");
      await call("PUT", `${channelPath}/bots`, { bot_ids: [] }, "bot.detached");
      await call("PUT", `${botPath}/webhook`, { url: "https://example.com/" }, "webhook.set");
      await call("POST", `${botPath}/webhook/pause`, undefined, "webhook.paused");
      await call("POST", `${botPath}/webhook/resume`, undefined, "webhook.resumed");
      await call("DELETE", `${botPath}/webhook`, undefined, "webhook.deleted");
      await call("POST", `${botPath}/disable`, undefined, "bot.disabled");
      await call("POST", `${botPath}/enable`, undefined, "bot.enabled");
      await call("DELETE", botPath, undefined, "bot.deleted");
    }
    const all = await itemsOf();
    expect(all.slice(before).map(({ event_type, by }) => [event_type, by])).toEqual(told);
    expectContract("readFeed", await asPlatform("GET", `${FEED}?limit=500`));
    for (const [caller] of callers()) {
      const listed = await ask(api, "GET", "/v1/channels", { token: world.ownerToken });
      await ask(api, "DELETE", `/v1/channels/${listed.body.items[0].id}`, caller);
    }
    expect(await byOf("channel.deleted")).toEqual(callers().map(([, by]) => by));

    const ids = new Set(all.map(({ id }) => id));
    const eraseOwner = async () =>
      (await ask(api, "DELETE", "/v1/owner", { token: world.ownerToken, body: { confirm: world.owner } }))
        .body;
    while ((await eraseOwner()).status !== "deleted");
    const page = await asPlatform("GET", `${FEED}?limit=500`);
    const erased = page.body.items.filter(({ id }: Item) => ids.has(id));
    expect(erased).not.toEqual([]);
    expect(JSON.stringify(erased)).not.toContain(world.owner);
  });

  it("is told of posts and events in batches", async () => {
    const target = { channel_id: world.channelId };
    for (const [caller] of callers()) {
      await ask(api, "POST", "/v1/posts/batch", { ...caller, body: { posts: [{ ...target, body: "hi" }] } });
      const events = [{ ...target, event_type: "ticket.opened", payload: {} }];
      await ask(api, "POST", "/v1/events/batch", { ...caller, body: { events } });
    }
    const posts = [
      { ...target, body: "@mentioned", idempotency_key: "once" },
      { ...target, body: "hi" },
    ];
    await asPlatform("POST", "/v1/posts/batch", { body: { posts } });
    const all = callers().map(([, by]) => by);
    const platform = { type: "platform" };
    expect(await byOf("channel.post_created")).toEqual([...all, platform, platform]);
    expect(await byOf("ticket.opened")).toEqual(all);
  });

  it("is nobody's once its channel is deleted, also that of a bot of another owner", async () => {
    const maker = await makeWorld(api);
    const { botId, botToken } = maker;
    await ask(api, "PATCH", `/v1/bot-api/bots/${botId}`, {
      token: maker.ownerToken,
      body: { visibility: "listed" },
    });
    const token = world.ownerToken;
    await ask(api, "POST", `/v1/bot-api/bots/${botId}/channels/${world.channelId}`, { token });
    const { body } = await post(api, { ...world, botToken }, "by the bot of another owner");
    const find = async () => (await everything()).find(({ id }) => id === body.id);
    expect(await find()).toMatchObject({ owner_user_id: world.owner });
    await ask(api, "DELETE", `/v1/channels/${world.channelId}`, { token });
    await eventually("it is erased", async () => (await find())?.payload.body === "");
    expect(await find()).not.toHaveProperty("owner_user_id");
    expect(await find()).not.toHaveProperty("channel");
  });

  it("names nobody who deletes the posts of a bot in a channel of another owner, when its own is erased", async () => {
    const maker = await makeWorld(api);
    const token = maker.ownerToken;
    const bot = `/v1/bot-api/bots/${maker.botId}`;
    await ask(api, "PATCH", bot, { token, body: { visibility: "listed" } });
    await ask(api, "POST", `${bot}/channels/${world.channelId}`, { token: world.ownerToken });
    const { id } = (await post(api, { ...maker, channelId: world.channelId }, "a guest's")).body;
    const erased = await ask(api, "DELETE", "/v1/owner", { token, body: { confirm: maker.owner } });
    expect(erased.body).toEqual({ status: "deleted" });
    const items = await itemsOf();
    const deletion = items.find(({ event_type: kind }) => kind === "channel.post_deleted");
    expect(deletion).toMatchObject({ payload: { channel_id: world.channelId, post_id: id } });
    expect(items.filter(({ by }) => by === undefined)).toEqual([deletion]);
  });

  it("names nobody any more once the bot is deleted, or the owner erased", async () => {
    const { body } = await post(api, world, "by a bot");
    const token = world.ownerToken;
    await ask(api, "POST", `/v1/channels/${world.channelId}/posts`, {
      token,
      body: { body: "by the owner" },
    });
    await ask(api, "DELETE", `/v1/bot-api/bots/${world.botId}`, { token });
    const ofBot = (await everything()).find(({ id }) => id === body.id);
    expect(ofBot?.by).toEqual({ type: "bot" });
    expect(await byOf("channel.post_created")).toContainEqual({ type: "owner", id: world.owner });
    await ask(api, "DELETE", `/v1/channels/${world.channelId}`, { token });
    const page = await asPlatform("GET", `${FEED}?limit=500`);
    const owners = page.body.items.filter(({ by, payload }: Item) => {
      return by?.id === world.owner && payload.owner_user_id !== world.owner;
    });
    expect(owners).toEqual([]);
    expect(page.body.items.map(({ by }: Item) => by)).toContainEqual({ type: "owner" });

    // The same at once, by erasing an owner who still has both.
    world = await makeWorld(api);
    const ids = new Set((await everything()).map(({ id }) => id));
    await post(api, world, "by a bot");
    for (const [caller] of callers()) {
      const path = `/v1/channels/${world.channelId}`;
      const { body: made } = await ask(api, "POST", `${path}/posts`, { ...caller, body: { body: "hi" } });
      await ask(api, "PATCH", `${path}/posts/${made.id}`, { ...caller, body: { body: "again" } });
      await ask(api, "POST", `${path}/events`, { ...caller, body: { event_type: "a.b", payload: {} } });
    }
    const told = (await everything()).filter(({ id }) => !ids.has(id));
    expect(told.map(({ by }) => by)).toContainEqual({ type: "owner", id: world.owner });
    await eventually("the owner is erased", async () => {
      const what = { token: world.ownerToken, body: { confirm: world.owner } };
      return (await ask(api, "DELETE", "/v1/owner", what)).body.status === "deleted";
    });
    const left = await everything();
    expect(JSON.stringify(left)).not.toContain(world.owner);
    const named = left.filter((item) => told.some(({ id }) => id === item.id) && item.by !== undefined);
    expect(named.length).toBeGreaterThan(0);
    for (const { by } of named) expect(Object.keys(by ?? {})).toEqual(["type"]);
  });
});
