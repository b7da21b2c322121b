import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract } from "../support/contract.js";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  world = await makeWorld(api);
});

const asOwner = (method: string, path: string, body?: unknown) =>
  ask(api, method, path, { token: world.ownerToken, ...(body !== undefined && { body }) });
const asBot = (method: string, path: string, body?: unknown, headers = {}, token = world.botToken) =>
  ask(api, method, path, { token, headers, ...(body !== undefined && { body }) });
const codeOf = (answer: Answer) => [answer.status, answer.headers.get("botyard-error")];
const inChannel = (path: string) => `/v1/bot-api/channels/${world.channelId}/${path}`;
const post = async (body: string): Promise<string> =>
  (await asOwner("POST", `/v1/channels/${world.channelId}/posts`, { body })).body.id;
const attach = (role: string, botId = world.botId) =>
  asOwner("POST", `/v1/bot-api/bots/${botId}/channels/${world.channelId}`, { role });
const detach = () => asOwner("DELETE", `/v1/bot-api/bots/${world.botId}/channels/${world.channelId}`);
const bodies = (answer: Answer) => answer.body.items.map(({ body }: { body: string }) => body);
/** Attached anew in the role, after a post that is older. */
const joinAs = async (role: string): Promise<string> => {
  await detach();
  const old = await post("old");
  // Posts and attachments are compared by the millisecond.
  await sleep(2);
  expect((await attach(role)).body.role).toBe(role);
  return old;
};

describe("a moderator", () => {
  it("reads all posts of its channel, and deletes any; it edits its own", async () => {
    const old = await joinAs("moderator");
    const fresh = await post("fresh");
    const own = (await asBot("POST", inChannel("posts"), { body: "own" })).body.id;
    const listed = await asBot("GET", inChannel("posts"));
    expectContract("listBotPosts", listed);
    expect(bodies(listed)).toEqual(["own", "fresh", "old"]);
    expect(bodies(await asBot("GET", inChannel(`posts?limit=1&before=${own}`)))).toEqual(["fresh"]);
    expect(codeOf(await asBot("GET", inChannel("posts?before=x")))).toEqual([400, "invalid_cursor"]);
    expect((await asBot("GET", inChannel(`posts/${old}`))).body.body).toBe("old");
    const edit = await asBot("PATCH", inChannel(`posts/${fresh}`), { body: "mine" });
    expect(codeOf(edit)).toEqual([403, "not_author"]);
    expect((await asBot("DELETE", inChannel(`posts/${fresh}`))).status).toBe(200);
    expect(bodies(await asBot("GET", inChannel("posts")))).toEqual(["own", "old"]);
  });
});

describe("a member", () => {
  it("reads what was posted since it was attached, and deletes its own posts only", async () => {
    const old = await joinAs("member");
    const fresh = await post("fresh");
    const own = (await asBot("POST", inChannel("posts"), { body: "own" })).body.id;
    expect(bodies(await asBot("GET", inChannel("posts")))).toEqual(["own", "fresh"]);
    expect((await asBot("GET", inChannel(`posts/${fresh}`))).body.body).toBe("fresh");
    expect(codeOf(await asBot("GET", inChannel(`posts/${old}`)))).toEqual([403, "not_author"]);
    expect(codeOf(await asBot("DELETE", inChannel(`posts/${fresh}`)))).toEqual([403, "not_author"]);
    const reply = (reply_to: string) => asBot("POST", inChannel("posts"), { body: "x", reply_to });
    expect(codeOf(await reply(old))).toEqual([400, "reply_not_found"]);
    expect((await reply(fresh)).status).toBe(201);
    expect((await asBot("DELETE", inChannel(`posts/${own}`))).status).toBe(200);
  });

  it("is made a moderator, or back, by attaching it again", async () => {
    await joinAs("member");
    await attach("moderator");
    expect(bodies(await asBot("GET", inChannel("posts")))).toEqual(["old"]);
    await attach("member");
    expect(bodies(await asBot("GET", inChannel("posts")))).toEqual([]);
    const { items } = (await asBot("GET", "/v1/bot-api/channels")).body;
    expect(items).toMatchObject([{ bot_role: "member" }]);
  });
});

describe("a reader", () => {
  it("reads nothing but its own posts, and emits nothing", async () => {
    const own = (await asBot("POST", inChannel("posts"), { body: "own" })).body.id;
    await attach("reader");
    expect(codeOf(await asBot("GET", inChannel("posts")))).toEqual([403, "read_only"]);
    expect((await asBot("GET", inChannel(`posts/${own}`))).status).toBe(200);
    expect(codeOf(await asBot("GET", inChannel(`posts/${await post("x")}`)))).toEqual([403, "not_author"]);
    const answer = { body: "x", reply_to: own };
    expect(codeOf(await asBot("POST", inChannel("posts"), answer))).toEqual([403, "read_only"]);
    const event = { event_type: "ticket.closed", payload: {} };
    expect(codeOf(await asBot("POST", inChannel("events"), event))).toEqual([403, "read_only"]);
    await detach();
    expect(codeOf(await asBot("GET", inChannel("posts")))).toEqual([403, "not_attached"]);
    expect(codeOf(await asBot("POST", inChannel("events"), event))).toEqual([403, "not_attached"]);
  });
});

describe("a custom event of a bot", () => {
  it("reaches the other bots of the channel, with the bot as its author, once with a key", async () => {
    const other = await asOwner("POST", "/v1/bot-api/bots", { username: `${world.username}-other` });
    await attach("member", other.body.bot.id);
    const key = { "idempotency-key": "1" };
    const event = { event_type: "ticket.closed", payload: { ticket: 42 } };
    const emitted = await asBot("POST", inChannel("events"), event, key);
    expectContract("emitMyEvent", emitted);
    const author = { type: "bot", id: world.botId, username: world.username };
    expect(emitted.body).toMatchObject({ channel_id: world.channelId, payload: { ticket: 42, author } });
    const again = await asBot("POST", inChannel("events"), event, key);
    expect([again.body, again.headers.get("idempotency-replayed")]).toEqual([emitted.body, "true"]);
    const wrong = await asBot("POST", inChannel("events"), { event_type: 7 }, key);
    expect([wrong.status, wrong.body]).toEqual([201, emitted.body]);
    const updates = (token: string) => ask(api, "GET", "/v1/bot-api/updates", { token });
    expect((await updates(other.body.token.token)).body.items).toMatchObject([
      { event_type: "ticket.closed", payload: { ticket: 42, author } },
    ]);
    expect((await updates(world.botToken)).body.items).toEqual([]);
  });

  it("is refused with a reserved kind, an author, or too much", async () => {
    const emit = (event_type: string, payload: object) =>
      asBot("POST", inChannel("events"), { event_type, payload });
    expect(codeOf(await emit("channel.renamed", {}))).toEqual([400, "reserved_event_type"]);
    expect(codeOf(await emit("a.b", { author: "x" }))).toEqual([400, "conflicting_parameters"]);
    expect(codeOf(await emit("a.b", { a: "x".repeat(40_000) }))).toEqual([400, "too_large"]);
  });
});
