import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask, makeWorld, post } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";

const PLATFORM = "a-token-of-the-platform-0123456789";

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({
    platform: { tokens: [PLATFORM], rateLimit: { burst: 100_000, perSecond: 100_000 } },
  });
});
afterAll(() => api.close());

const put = (userId: string, body: unknown) =>
  ask(api, "PUT", `/v1/platform/owners/${encodeURIComponent(userId)}`, { token: PLATFORM, body });
const codeOf = ({ headers }: Answer) => headers.get("botyard-error");

describe("a limit", () => {
  it("counts at once, names itself, its value and who set it, and refuses new ones only", async () => {
    const { owner, ownerToken: token, botId } = await makeWorld(api);
    const before = await ask(api, "GET", "/v1/owner/limits", { token });
    expectContract("getLimits", before);
    expect(before.body).toEqual({
      bots: { limit: 10_000, set_by: "service" },
      channels: { limit: 10_000, set_by: "service" },
      posts_per_second: { limit: null, set_by: "service" },
      destinations: { limit: null, set_by: "service" },
      bytes_kept: { limit: null, set_by: "service", used: 0 },
    });
    await put(owner, { limits: { bots: 0, channels: 1, posts_per_second: 5, destinations: 1 } });
    expect((await ask(api, "GET", "/v1/owner/limits", { token })).body).toEqual({
      bots: { limit: 0, set_by: "platform" },
      channels: { limit: 1, set_by: "platform" },
      posts_per_second: { limit: 5, set_by: "platform" },
      destinations: { limit: 1, set_by: "platform" },
      bytes_kept: { limit: null, set_by: "service", used: 0 },
    });
    const bot = await ask(api, "POST", "/v1/bot-api/bots", { token, body: { username: `more-of-${owner}` } });
    expectFailure("createBot", bot, 400, /the platform lets you have 0 bots/);
    expect(codeOf(bot)).toBe("too_many_bots");
    for (const [method, path, body] of [
      ["POST", "/v1/channels", { slug: `more-of-${owner}`, title: "More" }],
      ["PUT", "/v1/channels/external/more", { title: "More" }],
      ["PUT", `/v1/channels/direct/${botId}`, {}],
    ] as const) {
      const answer = await ask(api, method, path, { token, body });
      expect([answer.status, codeOf(answer)]).toEqual([400, "too_many_channels"]);
      expect(answer.body.error).toContain("the platform lets you have 1 channel, and you have no fewer");
    }
    expect((await ask(api, "GET", `/v1/bot-api/bots/${botId}`, { token })).status).toBe(200);
    await put(owner, { limits: { bots: null, channels: 2 } });
    const body = { username: `more-of-${owner}` };
    expect((await ask(api, "POST", "/v1/bot-api/bots", { token, body })).status).toBe(201);
  });

  it("of webhooks counts those of all bots, and refuses new ones only", async () => {
    const { owner, ownerToken: token, botId } = await makeWorld(api);
    await put(owner, { limits: { destinations: 1 } });
    const set = (name: string, url = "https://example.com/") =>
      ask(api, "PUT", `/v1/bot-api/bots/${botId}/webhooks/${name}`, { token, body: { url } });
    expect((await set("default")).status).toBe(200);
    const refused = await set("other");
    expectFailure("putNamedWebhook", refused, 400, /the platform lets you have 1 webhook, and/);
    expect(codeOf(refused)).toBe("too_many_webhooks");
    expect((await set("default", "https://example.com/moved")).status).toBe(200);
    await put(owner, { limits: { destinations: null } });
    expect((await set("other")).status).toBe(200);
  });

  it("of webhooks holds when all bots get theirs at once", async () => {
    const { owner, ownerToken: token } = await makeWorld(api);
    await put(owner, { limits: { destinations: 2 } });
    const made = Array.from({ length: 6 }, (_, n) =>
      ask(api, "POST", "/v1/bot-api/bots", { token, body: { username: `${owner}-${n}` } }),
    );
    const set = (await Promise.all(made)).map(({ body }) =>
      ask(api, "PUT", `/v1/bot-api/bots/${body.bot.id}/webhook`, {
        token,
        body: { url: "https://example.com/" },
      }),
    );
    const answers = await Promise.all(set);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(answers.filter((answer) => codeOf(answer) === "too_many_webhooks")).toHaveLength(4);
  });

  it("of posts counts those of the owner, of their bots and of batches together", async () => {
    const world = await makeWorld(api);
    const { owner, ownerToken: token, channelId } = world;
    await put(owner, { limits: { posts_per_second: 3 } });
    const path = `/v1/channels/${channelId}/posts`;
    const own = () => ask(api, "POST", path, { token, body: { body: "hello" } });
    expect((await own()).status).toBe(201);
    const posts = Array.from({ length: 50 }, () => ({ channel_id: channelId, body: "hello" }));
    const batch = await ask(api, "POST", "/v1/posts/batch", { token: PLATFORM, body: { posts } });
    expect(batch.body.items.map(({ status }: { status: number }) => status)).toContain(429);
    const posted = await Promise.all(Array.from({ length: 20 }, () => post(api, world, "hello")));
    const refused = posted.find(({ status }) => status === 429) as Answer;
    expect(codeOf(refused)).toBe("owner_post_limit");
    expect(refused.body.error).toContain("3 posts a second");
    expect(refused.headers.get("retry-after")).toBe("1");
    await put(owner, { limits: { posts_per_second: null } });
    expect((await own()).status).toBe(201);
    expect((await post(api, world, "hello")).status).toBe(201);
  });

  it("of posts does not count what is refused for its own content", async () => {
    const world = await makeWorld(api);
    const { owner, ownerToken: token, channelId } = world;
    await put(owner, { limits: { posts_per_second: 2 } });
    const own = (body: string) =>
      ask(api, "POST", `/v1/channels/${channelId}/posts`, { token, body: { body } });
    const batch = { posts: [" ", " ", " "].map((body) => ({ channel_id: channelId, body })) };
    for (const { status } of await Promise.all([own(" "), own(" "), post(api, world, " "), own(" ")]))
      expect(status).toBe(400);
    await ask(api, "POST", "/v1/posts/batch", { token, body: batch });
    expect([(await own("one")).status, (await post(api, world, "two")).status]).toEqual([201, 201]);
  });

  it("of posts counts edits, events and responses too", async () => {
    const world = await makeWorld(api);
    const { owner, ownerToken: token, botId, botToken, channelId } = world;
    const at = `/v1/channels/${channelId}`;
    const { body: mine } = await post(api, world, "mine");
    const { body: command } = await ask(api, "POST", `${at}/posts`, {
      token,
      body: { body: "of the owner" },
    });
    await ask(api, "PUT", "/v1/bot-api/commands", {
      token: botToken,
      body: { commands: [{ name: "go", description: "Goes" }] },
    });
    const user = { id: "ada", username: "Ada" };
    const pressed = await ask(api, "POST", `${at}/interactions`, {
      token,
      body: { kind: "command", bot_id: botId, command: { name: "go" }, user },
    });
    expect(pressed.status).toBe(201);
    const event = { event_type: "a.b", payload: {} };
    const calls = [
      () => ask(api, "PATCH", `${at}/posts/${command.id}`, { token, body: { body: "edited" } }),
      () =>
        ask(api, "PATCH", `/v1/bot-api${at.slice(3)}/posts/${mine.id}`, {
          token: botToken,
          body: { body: "x" },
        }),
      () => ask(api, "POST", `${at}/events`, { token, body: event }),
      () => ask(api, "POST", `/v1/bot-api/bots/${botId}/events`, { token, body: event }),
      () => ask(api, "POST", `/v1/bot-api${at.slice(3)}/events`, { token: botToken, body: event }),
      () =>
        ask(api, "POST", `/v1/bot-api/interactions/${pressed.body.id}/responses`, {
          token: botToken,
          body: { type: "private", body: "for one" },
        }),
      async () => {
        const body = { events: [{ channel_id: channelId, ...event }] };
        const { body: batch } = await ask(api, "POST", "/v1/events/batch", { token, body });
        return { ...batch.items[0], headers: new Headers() } as Answer;
      },
    ];
    for (const [n, call] of calls.entries()) {
      // A limit of its own has a bucket of its own, which one call empties.
      await put(owner, { limits: { posts_per_second: 1 } });
      let answers = await Promise.all([call(), call(), call()]);
      if (!answers.some(({ status }) => status === 429))
        answers = await Promise.all([call(), call(), call()]);
      expect([n, answers.some(({ status }) => status === 429)]).toEqual([n, true]);
    }
  });

  it("of bytes refuses posts, edits and events in the owner's channels, of whomever, until there are fewer", async () => {
    const world = await makeWorld(api);
    const { owner, ownerToken: token, botToken, channelId } = world;
    const at = `/v1/channels/${channelId}`;
    const count = async () => {
      while ((await api.store.runUpkeep({ kind: "count", now: Date.now() }, 100)) !== "done");
    };
    const { body: first } = await post(api, world, "first");
    await count();
    await put(owner, { limits: { bytes_kept: 50 } });
    const limits = (await ask(api, "GET", "/v1/owner/limits", { token })).body;
    expect(limits.bytes_kept).toEqual({ limit: 50, set_by: "platform", used: expect.any(Number) });
    expect(limits.bytes_kept.used).toBeGreaterThan(50);

    const refused = await post(api, world, "more");
    expectFailure("createBotPost", refused, 400, /the platform lets them keep 50: delete posts/);
    expect(codeOf(refused)).toBe("too_many_bytes");
    const event = { event_type: "a.b", payload: {} };
    for (const answer of [
      await ask(api, "POST", `${at}/posts`, { token, body: { body: "more" } }),
      await ask(api, "PATCH", `${at}/posts/${first.id}`, { token, body: { body: "more" } }),
      await ask(api, "POST", `${at}/events`, { token, body: event }),
      await ask(api, "POST", `/v1/bot-api${at.slice(3)}/events`, { token: botToken, body: event }),
    ])
      expect([answer.status, codeOf(answer)]).toEqual([400, "too_many_bytes"]);
    const batch = await ask(api, "POST", "/v1/posts/batch", {
      token: PLATFORM,
      body: { posts: [{ channel_id: channelId, body: "more" }] },
    });
    expect(batch.body.items[0]).toMatchObject({ status: 400 });

    await ask(api, "DELETE", at, { token });
    await count();
    const title = { slug: `next-of-${owner}`, title: "Next" };
    const { body: next } = await ask(api, "POST", "/v1/channels", { token, body: title });
    await put(owner, { limits: { bytes_kept: 60 } });
    expect((await ask(api, "GET", "/v1/owner/limits", { token })).body.bytes_kept.used).toBe(0);
    const posted = await ask(api, "POST", `/v1/channels/${next.id}/posts`, {
      token,
      body: { body: "again" },
    });
    expect(posted.status).toBe(201);
  });
});
