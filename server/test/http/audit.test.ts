import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RunningApi } from "../support/api.js";
import { type Answer, ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure, operations } from "../support/contract.js";
import { engine } from "../support/engines.js";
import { PLATFORM_TOKEN, startApiForAll } from "../support/every-operation.js";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApiForAll();
  await api.store.switchFeed(true);
});
afterAll(() => api.close());
beforeEach(async () => {
  world = await makeWorld(api);
});

const call = (token: string, method: string, path: string, body?: unknown, headers = {}) =>
  ask(api, method, path, { token, headers, ...(body !== undefined && { body }) });
const asOwner = (method: string, path: string, body?: unknown, headers = {}) =>
  call(world.ownerToken, method, path, body, headers);
const asBot = (method: string, path: string, body?: unknown) => call(world.botToken, method, path, body);
const asPlatform = (method: string, path: string, body?: unknown, headers = {}) =>
  call(PLATFORM_TOKEN, method, path, body, headers);
const ofBot = (path = "") => `/v1/bot-api/bots/${world.botId}${path}`;
const ofChannel = (path = "") => `/v1/channels/${world.channelId}${path}`;
const audit = async (query = "", token = world.ownerToken): Promise<Entry[]> => {
  const answer = await call(token, "GET", `/v1/owner/audit${query}`);
  expectContract("listOwnerAudit", answer);
  return answer.body.items;
};
const all = async (query = ""): Promise<Entry[]> => {
  const answer = await asPlatform("GET", `/v1/platform/audit${query}`);
  expectContract("listAudit", answer);
  return answer.body.items;
};

interface Entry {
  id: string;
  at: string;
  owner_user_id?: string;
  by: { type: string; id: string; token_id: string };
  operation: string;
  target: { type: string; id: string; channel_id?: string; name?: string };
  request_id: string;
  changes: Record<string, { before?: unknown; after?: unknown }>;
}

const URL_OF_WEBHOOK = "https://hooks.example.com/in?key=url-secret";
const setWebhook = (path = "/webhook") =>
  asOwner("PUT", ofBot(path), {
    url: URL_OF_WEBHOOK,
    secret_token: "header-secret",
    headers: { "X-Key": "hidden-header" },
  });
const newPost = async (): Promise<string> => (await post(api, world, "said in confidence")).body.id;
/** The number of an update of the bot that waits for its webhook. */
const waitingUpdate = async (path = "/webhook"): Promise<number> => {
  await setWebhook(path);
  await newPost();
  return (await asOwner("GET", ofBot("/updates?limit=1"))).body.items[0].update_id;
};
const skip = async (path = "/webhook") =>
  asOwner("POST", ofBot(`${path}/updates/${await waitingUpdate(path)}/skip`));
const NAMED = "/webhooks/other";

const change = (operation: string): Promise<Answer> => CHANGES[operation]?.[1]() ?? expect.fail();

/** For each operation that is audited, a call of it that changes something, and the type of what it changes. */
const CHANGES: Record<string, readonly [target: string, change: () => Promise<Answer>]> = {
  createBot: ["bot", () => asOwner("POST", "/v1/bot-api/bots", { username: `${world.username}_2` })],
  editBot: ["bot", () => asOwner("PATCH", ofBot(), { display_name: "Weather" })],
  deleteBot: ["bot", () => asOwner("DELETE", ofBot())],
  disableBot: ["bot", () => asOwner("POST", ofBot("/disable"))],
  enableBot: [
    "bot",
    async () => (await asOwner("POST", ofBot("/disable"))) && asOwner("POST", ofBot("/enable")),
  ],
  rotateBotToken: ["bot", () => asOwner("POST", ofBot("/token"))],
  attachBot: ["attachment", () => asOwner("POST", ofBot(`/channels/${world.channelId}`), { role: "member" })],
  detachBot: ["attachment", () => asOwner("DELETE", ofBot(`/channels/${world.channelId}`))],
  putSubscription: ["bot", () => asOwner("PUT", ofBot("/subscription"), { event_types: ["*"] })],
  deleteSubscription: [
    "bot",
    async () => {
      await asOwner("PUT", ofBot("/subscription"), { event_types: ["*"] });
      return asOwner("DELETE", ofBot("/subscription"));
    },
  ],
  putMySubscription: ["bot", () => asBot("PUT", "/v1/bot-api/subscription", { event_types: ["custom"] })],
  putMyCommands: [
    "bot",
    () => asBot("PUT", "/v1/bot-api/commands", { commands: [{ name: "help", description: "Help" }] }),
  ],
  handInGivenUp: [
    "bot",
    async () => {
      await newPost();
      await asBot("GET", "/v1/bot-api/updates?consumer=main");
      await asBot("PUT", "/v1/bot-api/consumers/main/given-up/1", { error: "broken" });
      return asOwner("POST", ofBot("/given-up/hand-in"), { all: true });
    },
  ],
  deleteConsumer: [
    "consumer",
    async () => {
      await asBot("GET", "/v1/bot-api/updates?consumer=main");
      return asBot("DELETE", "/v1/bot-api/consumers/main");
    },
  ],
  putWebhook: ["webhook", () => setWebhook()],
  putNamedWebhook: ["webhook", () => setWebhook(NAMED)],
  deleteWebhook: ["webhook", async () => (await setWebhook()) && asOwner("DELETE", ofBot("/webhook"))],
  deleteNamedWebhook: ["webhook", async () => (await setWebhook(NAMED)) && asOwner("DELETE", ofBot(NAMED))],
  pauseWebhook: ["webhook", async () => (await setWebhook()) && asOwner("POST", ofBot("/webhook/pause"))],
  pauseNamedWebhook: [
    "webhook",
    async () => (await setWebhook(NAMED)) && asOwner("POST", ofBot(`${NAMED}/pause`)),
  ],
  resumeWebhook: [
    "webhook",
    async () => (await change("pauseWebhook")) && asOwner("POST", ofBot("/webhook/resume")),
  ],
  resumeNamedWebhook: [
    "webhook",
    async () => (await change("pauseNamedWebhook")) && asOwner("POST", ofBot(`${NAMED}/resume`)),
  ],
  rotateWebhookSecret: [
    "webhook",
    async () => (await setWebhook()) && asOwner("POST", ofBot("/webhook/secret")),
  ],
  rotateNamedWebhookSecret: [
    "webhook",
    async () => (await setWebhook(NAMED)) && asOwner("POST", ofBot(`${NAMED}/secret`)),
  ],
  skipUpdate: ["webhook", () => skip()],
  skipNamedWebhookUpdate: ["webhook", () => skip(NAMED)],
  replayWebhook: ["webhook", async () => (await skip()) && asOwner("POST", ofBot("/webhook/replay"))],
  replayNamedWebhook: [
    "webhook",
    async () => (await skip(NAMED)) && asOwner("POST", ofBot(`${NAMED}/replay`)),
  ],
  createChannel: ["channel", () => asOwner("POST", "/v1/channels", { slug: `${world.owner}-2`, title: "x" })],
  editChannel: ["channel", () => asOwner("PATCH", ofChannel(), { title: "Weather" })],
  deleteChannel: ["channel", () => asOwner("DELETE", ofChannel())],
  putExternalChannel: ["channel", () => asOwner("PUT", "/v1/channels/external/room-1", { title: "x" })],
  putDirectChannel: ["channel", () => asOwner("PUT", `/v1/channels/direct/${world.botId}`, {})],
  putExternalChannels: [
    "channel",
    () =>
      asOwner("PUT", "/v1/channels/external", {
        channels: [{ external_id: "bulk-1", title: "x", bots: [{ id: world.botId }] }],
      }),
  ],
  putBotReview: [
    "bot",
    () => asPlatform("PUT", `/v1/platform/bots/${world.botId}/review`, { status: "approved", note: "Fine" }),
  ],
  putOwner: [
    "owner",
    () =>
      asPlatform("PUT", `/v1/platform/owners/${world.owner}`, {
        limits: { bots: 7 },
        metadata: { plan: "x" },
      }),
  ],
  eraseUser: ["user", () => asPlatform("DELETE", "/v1/platform/users/user-7")],
  putChannelBots: ["attachment", () => asOwner("PUT", ofChannel("/bots"), { bot_ids: [] })],
  deleteChannelPost: ["post", async () => asOwner("DELETE", ofChannel(`/posts/${await newPost()}`))],
  deleteBotPost: [
    "post",
    async () => {
      const { body } = await asOwner("POST", ofChannel("/posts"), { body: "x" });
      return asBot("DELETE", `/v1/bot-api/channels/${world.channelId}/posts/${body.id}`);
    },
  ],
  putAlerts: ["alerts", () => asOwner("PUT", "/v1/owner/alerts", { url: URL_OF_WEBHOOK })],
  deleteAlerts: ["alerts", async () => (await change("putAlerts")) && asOwner("DELETE", "/v1/owner/alerts")],
  eraseOwner: ["owner", () => asOwner("DELETE", "/v1/owner", { confirm: world.owner })],
  putFeedWebhook: [
    "feed_webhook",
    () => asPlatform("PUT", "/v1/platform/feed/webhook", { url: URL_OF_WEBHOOK }),
  ],
  deleteFeedWebhook: [
    "feed_webhook",
    async () => (await change("putFeedWebhook")) && asPlatform("DELETE", "/v1/platform/feed/webhook"),
  ],
  deleteFeedConsumer: [
    "consumer",
    async () => {
      await asPlatform("GET", "/v1/platform/feed?consumer=main");
      return asPlatform("DELETE", "/v1/platform/consumers/main");
    },
  ],
};

const IN_EVENTS = "the log of events has it";
const IS_READING = "says how far a reader has come";
const IS_NO_CHANGE = "changes nothing that is kept";
/** Operations that are not audited, and why. */
const EXCEPTIONS: Record<string, string> = {
  createChannelPost: IN_EVENTS,
  editChannelPost: IN_EVENTS,
  createBotPost: IN_EVENTS,
  editBotPost: IN_EVENTS,
  createPosts: IN_EVENTS,
  emitChannelEvent: IN_EVENTS,
  emitBotEvent: IN_EVENTS,
  emitMyEvent: IN_EVENTS,
  emitEvents: IN_EVENTS,
  createInteraction: IN_EVENTS,
  respondToInteraction: IN_EVENTS,
  moveConsumer: IS_READING,
  moveFeedConsumer: IS_READING,
  giveUpUpdate: IS_READING,
  forgetGivenUp: IS_READING,
  sendUpdateAgain: IS_NO_CHANGE,
  sendNamedWebhookUpdateAgain: IS_NO_CHANGE,
  testWebhook: IS_NO_CHANGE,
  testNamedWebhook: IS_NO_CHANGE,
  previewSubscription: IS_NO_CHANGE,
};

describe(`the audit log on ${engine.name}`, () => {
  it("has each operation that changes something, but for some with a reason", () => {
    const changing = operations
      .filter(({ method }) => method !== "GET")
      .map(({ operationId }) => operationId);
    expect([...Object.keys(CHANGES), ...Object.keys(EXCEPTIONS)].sort()).toEqual(changing.sort());
  });

  it.each(Object.entries(CHANGES))("has an entry of %s", async (operation, [type, make]) => {
    const answer = await make();
    expect([answer.status, answer.text]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()]);
    const [entry] = await all(`?operation=${operation}`);
    const isOfFeed = entry?.owner_user_id === undefined;
    expect(entry).toMatchObject({
      operation,
      target: { type },
      request_id: answer.headers.get("x-request-id"),
      by: { token_id: expect.stringMatching(/^sha256:[0-9a-f]{12}$/) },
    });
    expect(Math.abs(Date.now() - Date.parse(entry?.at ?? ""))).toBeLessThan(60_000);
    if (isOfFeed) expect(entry?.by).toMatchObject({ type: "platform", id: "platform" });
    else expect((await audit(`?operation=${operation}`))[0]).toEqual(entry);
    expect(JSON.stringify(await all())).not.toMatch(
      /url-secret|header-secret|hidden-header|in confidence|bot_[A-Za-z0-9_-]{43}|whsec_/,
    );
  });

  it("says by which token: the id that an owner's has, else the beginning of its hash", async () => {
    const owner = `${world.owner}-jti`;
    let rooms = 0;
    const create = async (token: string, headers = {}) => {
      const answer = await call(token, "PUT", `/v1/channels/external/${++rooms}`, { title: "x" }, headers);
      return (await all(`?target=${answer.body.id}`))[0];
    };
    const named = await create(await api.ownerToken(owner, { jti: "laptop-7" }), { "x-request-id": "req-1" });
    expect(named).toMatchObject({
      owner_user_id: owner,
      by: { type: "owner", id: owner, token_id: "laptop-7" },
      request_id: "req-1",
    });
    const odd = await create(await api.ownerToken(owner, { jti: "two words" }));
    expect(odd?.by.token_id).toMatch(/^sha256:/);
    const token = { "botyard-owner": owner };
    const byPlatform = await create(PLATFORM_TOKEN, token);
    const mark = createHash("sha256").update(PLATFORM_TOKEN).digest("hex").slice(0, 12);
    expect(byPlatform).toMatchObject({
      owner_user_id: owner,
      by: { type: "platform", id: "platform", token_id: `sha256:${mark}` },
    });
    await asBot("PUT", "/v1/bot-api/commands", { commands: [{ name: "x", description: "x" }] });
    const botMark = createHash("sha256").update(world.botToken).digest("hex").slice(0, 12);
    expect((await audit())[0]).toMatchObject({
      by: { type: "bot", id: world.botId, token_id: `sha256:${botMark}` },
    });
  });

  it("has an entry for each bot that one call attaches or detaches", async () => {
    const made = await asOwner("POST", "/v1/bot-api/bots", { username: `${world.username}_2` });
    const { id } = made.body.bot;
    const answer = await asOwner("PUT", ofChannel("/bots"), { bots: [{ id, role: "reader" }] });
    const entries = await audit(`?operation=putChannelBots&target=${world.channelId}`);
    expect(entries.map(({ target, changes }) => [target.id, changes.role])).toEqual([
      [world.botId, { before: "moderator" }],
      [id, { after: "reader" }],
    ]);
    expect(new Set(entries.map((entry) => entry.request_id)).size).toBe(1);
    expect(entries[0]?.request_id).toBe(answer.headers.get("x-request-id"));
  });

  it("does not name a user of the product, who may be erased", async () => {
    const user = { id: "user-of-audit", username: "Zoe" };
    const said = await asOwner("POST", ofChannel("/posts"), { body: "x", author: user });
    const { id } = said.body;
    await asBot("DELETE", `/v1/bot-api/channels/${world.channelId}/posts/${id}`);
    const direct = await asOwner("PUT", `/v1/channels/direct/${world.botId}`, { user });
    await asOwner("PATCH", `/v1/channels/${direct.body.id}`, { title: "Chat with Zoe" });
    await asPlatform("DELETE", `/v1/platform/users/${user.id}`);
    const entries = await audit();
    expect(entries.slice(0, 4).map(({ operation, target }) => [operation, target.id])).toEqual([
      ["eraseUser", direct.body.id],
      ["editChannel", direct.body.id],
      ["putDirectChannel", direct.body.id],
      ["deleteBotPost", id],
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/Zoe|user-of-audit/);
  });

  it("has nothing of a call that is repeated or refused, of own posts, and of polls", async () => {
    await asOwner("POST", ofBot("/disable"));
    await asOwner("POST", ofBot("/enable"));
    await setWebhook();
    const before = await audit();
    await setWebhook();
    await asOwner("POST", ofBot(`/channels/${world.channelId}`));
    await asOwner("POST", ofBot("/enable"));
    await asOwner("POST", "/v1/bot-api/bots", { username: world.username });
    await asOwner("PATCH", ofBot(), { display_name: world.username });
    const id = await newPost();
    await asBot("PATCH", `/v1/bot-api/channels/${world.channelId}/posts/${id}`, { body: "y" });
    await asBot("DELETE", `/v1/bot-api/channels/${world.channelId}/posts/${id}`);
    const own = (await asOwner("POST", ofChannel("/posts"), { body: "x" })).body.id;
    await asOwner("DELETE", ofChannel(`/posts/${own}`));
    await asBot("GET", "/v1/bot-api/updates");
    const stranger = await makeWorld(api);
    expect((await call(stranger.ownerToken, "DELETE", ofBot())).status).toBe(404);
    expect(await audit()).toEqual(before);
  });

  it("is an owner's own: no other owner and no bot sees it, and the platform all", async () => {
    const stranger = await makeWorld(api);
    await asOwner("PATCH", ofBot(), { display_name: "Weather" });
    expect(await audit(`?target=${world.botId}`, stranger.ownerToken)).toEqual([]);
    expect(await audit(`?target=${world.channelId}`, stranger.ownerToken)).toEqual([]);
    expect((await audit("", stranger.ownerToken)).map((entry) => entry.owner_user_id)).toEqual(
      Array(3).fill(stranger.owner),
    );
    expect((await all(`?owner=${world.owner}&target=${world.botId}`))[0]?.operation).toBe("editBot");
    expect(await all(`?owner=${stranger.owner}&target=${world.botId}`)).toEqual([]);
    const acting = await asPlatform("GET", "/v1/owner/audit", undefined, { "botyard-owner": world.owner });
    expect(acting.body.items).toEqual(await audit());
    expectFailure("listOwnerAudit", await asBot("GET", "/v1/owner/audit"), 401);
    expectFailure("listAudit", await asBot("GET", "/v1/platform/audit"), 401);
    expectFailure("listAudit", await asOwner("GET", "/v1/platform/audit"), 401);
    expectFailure("listAudit", await ask(api, "GET", "/v1/platform/audit"), 401);
  });

  it("is read page by page, and by time", async () => {
    const whole = await audit();
    expect(whole.map(({ operation }) => operation)).toEqual(["attachBot", "createChannel", "createBot"]);
    const pages = [await audit("?limit=2"), await audit(`?limit=2&before=${whole[1]?.id}`)];
    expect(pages.flat()).toEqual(whole);
    expect(await audit(`?before=${whole[2]?.id}`)).toEqual([]);
    const at = encodeURIComponent(whole[2]?.at ?? "");
    expect(await audit(`?to=${at}`)).toEqual([]);
    expect(await audit(`?from=${at}`)).toEqual(whole);
    expect(await audit("?from=2026-01-01T00:00:00%2B02:00&operation=createBot")).toEqual([whole[2]]);
  });

  it.each([
    ["before=x", /before must be the id of an entry/],
    ["from=yesterday", /from/],
    ["to=2026-13-01T00:00:00Z", /to/],
    ["from=2026-06-30T23:59:60Z", /from must be a time that exists/],
    ["operation=%00", /operation must not contain NUL/],
    ["target=%00", /target must not contain NUL/],
    ["limit=0", /limit/],
    ["operation=" + "x".repeat(65), /operation/],
    ["owner=", /owner/],
  ])("answers %s with what is wrong", async (query, message) => {
    expectFailure("listAudit", await asPlatform("GET", `/v1/platform/audit?${query}`), 400, message);
  });
});
