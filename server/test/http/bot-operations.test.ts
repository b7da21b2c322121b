import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { eventually } from "../support/eventually.js";

let api: RunningApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe("a bot", () => {
  it("reads its identity", async () => {
    const { botToken: token, botId, username } = await makeWorld(api);
    const answer = await ask(api, "GET", "/v1/bot-api/me", { token });
    expect(answer.status).toBe(200);
    expectContract("getMe", answer);
    expect(answer.body).toMatchObject({ id: botId, username, display_name: username });
  });

  it("lists the channels it is attached to", async () => {
    const { botToken: token, channelId } = await makeWorld(api);
    const answer = await ask(api, "GET", "/v1/bot-api/channels", { token });
    expect(answer.status).toBe(200);
    expectContract("listMyChannels", answer);
    expect(answer.body.items).toMatchObject([{ id: channelId, bot_role: "moderator", title: "A channel" }]);
  });

  it("publishes in an attached channel, in its own name, and only there", async () => {
    const mine = await makeWorld(api);
    const other = await makeWorld(api);
    const answer = await post(api, mine, "hello 🙂");
    expect(answer.status).toBe(201);
    expectContract("createBotPost", answer);
    expect(answer.body).toMatchObject({
      channel_id: mine.channelId,
      author_username: mine.username,
      body: "hello 🙂",
    });
    const channelId = other.channelId;
    expectFailure("createBotPost", await post(api, { ...mine, channelId }, "x"), 403, /not attached/);
    expectFailure(
      "createBotPost",
      await post(api, { ...mine, channelId: "no id" }, "x"),
      403,
      /not attached/,
    );
  });

  it("may send media up to the limits; each attached bot gets them unchanged", async () => {
    const { botToken: token, channelId } = await makeWorld(api);
    const media = Array.from({ length: 10 }, (_, at) => ({
      at,
      nested: { list: [1, null, "é\u0000\ud800"] },
    }));
    const path = `/v1/bot-api/channels/${channelId}/posts`;
    const answer = await ask(api, "POST", path, { token, body: { body: "x".repeat(4096), media } });
    expect(answer.status).toBe(201);
    expectContract("createBotPost", answer);
    const polled = await ask(api, "GET", "/v1/bot-api/updates", { token });
    expectContract("pollUpdates", polled);
    expect(polled.body.items[0].payload.media).toEqual(media);
  });
});

describe("polling", () => {
  it("returns the updates above the offset, ascending, up to the limit, repeatably", async () => {
    const mine = await makeWorld(api);
    for (const body of ["one", "two", "three", "four"]) await post(api, mine, body);
    for (const _ of ["first", "again"]) {
      const answer = await ask(api, "GET", "/v1/bot-api/updates?offset=1&limit=2", { token: mine.botToken });
      expect(answer.status).toBe(200);
      expectContract("pollUpdates", answer);
      expect(answer.body.items).toMatchObject([
        {
          update_id: 2,
          event_type: "channel.post_created",
          payload: { body: "two", channel_id: mine.channelId },
        },
        { update_id: 3, payload: { body: "three" } },
      ]);
    }
  });

  it("answers empty at once without a timeout, at any offset", async () => {
    const { botToken: token } = await makeWorld(api);
    const path = `/v1/bot-api/updates?offset=${Number.MAX_SAFE_INTEGER}&unknown=parameter`;
    const answer = await ask(api, "GET", path, { token });
    expect(answer.body).toEqual({ items: [] });
    expectContract("pollUpdates", answer);
  });

  it("waits until there is something", async () => {
    const mine = await makeWorld(api);
    const poll = ask(api, "GET", "/v1/bot-api/updates?timeout=30", { token: mine.botToken });
    await eventually("the poll waits", () => api.polls.waiting === 1);
    await post(api, mine, "worth waiting for");
    const answer = await poll;
    expectContract("pollUpdates", answer);
    expect(answer.body.items).toMatchObject([{ update_id: 1, payload: { body: "worth waiting for" } }]);
  });

  it("answers empty at the time-out", async () => {
    const { botToken: token } = await makeWorld(api);
    const answer = await ask(api, "GET", "/v1/bot-api/updates?timeout=1", { token });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ items: [] });
  });

  it("returns nothing to a token that ended while its poll waited", async () => {
    const mine = await makeWorld(api);
    const bot = `/v1/bot-api/bots/${mine.botId}`;
    const poll = ask(api, "GET", "/v1/bot-api/updates?timeout=30", { token: mine.botToken });
    await eventually("the poll waits", () => api.polls.waiting === 1);
    const { body } = await ask(api, "POST", `${bot}/token`, { token: mine.ownerToken });
    await post(api, { ...mine, botToken: body.token }, "for the new holder only");
    expectFailure("pollUpdates", await poll, 401, /rotated/);
  });

  it("no longer counts the poll of a client that hangs up", async () => {
    const { botToken: token } = await makeWorld(api);
    const client = new AbortController();
    const path = "/v1/bot-api/updates?timeout=30";
    const poll = ask(api, "GET", path, { token, signal: client.signal });
    await eventually("the poll waits", () => api.polls.waiting === 1);
    client.abort();
    await expect(poll).rejects.toThrow();
    await eventually("nobody waits any more", () => api.polls.waiting === 0);
  });
});
