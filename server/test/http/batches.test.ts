import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";

const PLATFORM = "a-token-of-the-platform-0123456789";
const POSTS = "/v1/posts/batch";
const EVENTS = "/v1/events/batch";

let api: RunningApi;
let world: World;
let other: World;
beforeAll(async () => {
  api = await startApi({ platform: { tokens: [PLATFORM], rateLimit: { burst: 1e6, perSecond: 1e6 } } });
  [world, other] = [await makeWorld(api), await makeWorld(api)];
});
afterAll(() => api.close());

const send = (path: string, body: unknown, token = world.ownerToken, owner?: string): Promise<Answer> =>
  ask(api, "POST", path, { token, body, headers: owner === undefined ? {} : { "Botyard-Owner": owner } });
const post = (body: string, more: object = {}) => ({ channel_id: world.channelId, body, ...more });
const bodiesIn = async (channelId: string, token: string): Promise<string[]> => {
  const { body } = await ask(api, "GET", `/v1/channels/${channelId}/posts?limit=100`, { token });
  return body.items.map((item: { body: string }) => item.body).toReversed();
};
const logOf = async ({ botToken }: World) =>
  (await ask(api, "GET", "/v1/bot-api/updates?limit=100", { token: botToken })).body.items;

describe("a batch of posts", () => {
  it("is published in its order, and answered item by item", async () => {
    const texts = Array.from({ length: 120 }, (_, index) => `post ${index}`);
    const { status, body } = await send(POSTS, { posts: texts.map((text) => post(text)) });
    expect(status).toBe(200);
    expect(body.items.map((item: { status: number }) => item.status)).toEqual(texts.map(() => 201));
    expect(body.items[7].post).toMatchObject({ body: "post 7", channel_id: world.channelId, revision: 1 });
    expect(await bodiesIn(world.channelId, world.ownerToken)).toEqual(texts.slice(20));
    const updates = await logOf(world);
    expect(updates.map((update: { payload: { body: string } }) => update.payload.body)).toEqual(
      texts.slice(0, 100),
    );
  });

  it("has items that fail alone, as each would by itself", async () => {
    const { body } = await send(POSTS, {
      posts: [
        post("good"),
        post(" "),
        post("x".repeat(4097)),
        { body: "nowhere" },
        { channel_id: other.channelId, body: "not mine" },
        { channel_id: "x", body: "no id" },
        post("both", { external_id: "x" }),
        { external_id: "unknown", body: "x" },
        post("no key", { idempotency_key: "a b" }),
        post("bad media", { media: "x" }),
        "no object",
        null,
        post("too deep", { media: [JSON.parse('{"a":'.repeat(70) + "1" + "}".repeat(70))] }),
        post("last"),
      ],
    });
    const outcomes = body.items.map(({ status, code }: { status: number; code?: string }) => [status, code]);
    expect(outcomes).toEqual([
      [201, undefined],
      [400, "blank_body"],
      [400, "invalid_input"],
      [400, "invalid_input"],
      [404, "channel_not_found"],
      [404, "channel_not_found"],
      [400, "invalid_input"],
      [404, "channel_not_found"],
      [400, "invalid_idempotency_key"],
      [400, "invalid_input"],
      [400, "invalid_input"],
      [400, "invalid_input"],
      [400, "too_deep"],
      [201, undefined],
    ]);
    for (const item of body.items.slice(1, -1)) expect(item.error).toMatch(/\w/);
    expect((await bodiesIn(world.channelId, world.ownerToken)).slice(-2)).toEqual(["good", "last"]);
    expect(await bodiesIn(other.channelId, other.ownerToken)).toEqual([]);
  });

  it("is answered the same when it is sent again with its keys", async () => {
    const batch = {
      posts: [post("once", { idempotency_key: "k1" }), post("twice", { idempotency_key: "k2" })],
    };
    const [first, second] = await Promise.all([send(POSTS, batch), send(POSTS, batch)]);
    const again = await send(POSTS, batch);
    const postsOf = ({ body }: Answer) => body.items.map((item: { post: object }) => item.post);
    expect(postsOf(second)).toEqual(postsOf(first));
    expect(postsOf(again)).toEqual(postsOf(first));
    expect(again.body.items).toMatchObject([{ replayed: true }, { replayed: true }]);
    const bodies = await bodiesIn(world.channelId, world.ownerToken);
    expect(bodies.filter((text) => text === "once")).toEqual(["once"]);
    const twins = await send(POSTS, {
      posts: [post("same", { idempotency_key: "k3" }), post("other", { idempotency_key: "k3" })],
    });
    expect(postsOf(twins)[1]).toEqual(postsOf(twins)[0]);
  });

  it("names channels by external ids, and users as authors", async () => {
    await ask(api, "PUT", "/v1/channels/external/room", { token: world.ownerToken, body: { title: "Room" } });
    const author = { id: "user-7", username: "Zoë" };
    const { body } = await send(POSTS, { posts: [{ external_id: "room", body: "Hello", author }] });
    expect(body.items[0]).toMatchObject({
      status: 201,
      post: { author_username: "Zoë", author: { type: "user", ...author } },
    });
    const alone = await ask(api, "POST", `/v1/channels/${world.channelId}/posts`, {
      token: world.ownerToken,
      body: { body: "By myself", author },
    });
    expect(alone.body.author).toEqual({ type: "user", ...author });
    for (const bad of [{ id: "", username: "x" }, { id: "x" }, "x", { id: "x", username: "a\0" }]) {
      expect((await send(POSTS, { posts: [post("x", { author: bad })] })).body.items[0].status).toBe(400);
    }
  });

  it("of the platform goes to channels of any owner, or of the one it acts as", async () => {
    const posts = [post("to one"), { channel_id: other.channelId, body: "to the other" }];
    const { body } = await send(POSTS, { posts }, PLATFORM);
    expect(body.items).toMatchObject([
      { status: 201, post: { author_username: world.owner, author: { type: "owner", id: world.owner } } },
      { status: 201, post: { author_username: other.owner } },
    ]);
    const acting = await send(POSTS, { posts }, PLATFORM, other.owner);
    expect(acting.body.items).toMatchObject([{ status: 404 }, { status: 201 }]);
    const external = await send(POSTS, { posts: [{ external_id: "room", body: "x" }] }, PLATFORM);
    expect(external.body.items).toMatchObject([{ status: 400, code: "owner_needed" }]);
    const { body: alone } = await send(
      POSTS,
      { posts: [{ external_id: "room", body: "x" }] },
      PLATFORM,
      world.owner,
    );
    expect(alone.items).toMatchObject([{ status: 201 }]);
  });

  it("is refused as a whole when it is no list, too long or too large", async () => {
    const bodies = [
      {},
      { posts: [] },
      { posts: "x" },
      { posts: Array(1001).fill(post("x")) },
      [],
      { events: [] },
    ];
    for (const body of bodies) {
      const answer = await send(POSTS, body);
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining("posts")]);
    }
    const media = [{ text: "x".repeat(15_000) }];
    const large = { posts: Array.from({ length: 290 }, () => post("large", { media })) };
    const answer = await send(POSTS, large);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining("4096 KiB")]);
    const fitting = { posts: Array.from({ length: 250 }, () => post("fits", { media })) };
    expect((await send(POSTS, fitting)).body.items).toHaveLength(250);
    const rawBody = '{"posts":[{"body":"x"}],"__proto__":{}}';
    expect((await ask(api, "POST", POSTS, { token: world.ownerToken, rawBody })).status).toBe(400);
  });

  it("refuses an item with keys that change prototypes, and that item alone", async () => {
    const target = `"channel_id":"${world.channelId}"`;
    for (const key of ['"__proto__":{}', '"\\u005f_proto__":{}', '"constructor":{"prototype":{}}']) {
      const payload = (content: string) => `{${target},"event_type":"ticket.opened","payload":${content}}`;
      const rawBody = `{"events":[${payload(`{"a":[{${key}}]}`)},${payload("{}")}]}`;
      const { status, body } = await ask(api, "POST", EVENTS, { token: world.ownerToken, rawBody });
      expect([status, body.items]).toMatchObject([
        200,
        [{ status: 400, code: "invalid_json" }, { status: 201 }],
      ]);
      expect(body.items[0].error).toContain("prototypes");
    }
  });

  it("takes keys with its items, and none for them all", async () => {
    for (const path of [POSTS, EVENTS]) {
      const body = { [path === POSTS ? "posts" : "events"]: [post("x")] };
      const headers = { "Idempotency-Key": "of all" };
      const answer = await ask(api, "POST", path, { token: world.ownerToken, body, headers });
      expect([answer.status, answer.headers.get("botyard-error")]).toEqual([400, "invalid_idempotency_key"]);
    }
  });

  it("is no business of bots or strangers", async () => {
    for (const token of [world.botToken, "x"]) {
      expect((await send(POSTS, { posts: [post("x")] }, token)).status).toBe(401);
    }
  });
});

describe("a batch of events", () => {
  it("goes to channels and bots, each event by itself", async () => {
    const event = (more: object) => ({ event_type: "ticket.opened", payload: { n: 1 }, ...more });
    const { status, body } = await send(
      EVENTS,
      {
        events: [
          event({ channel_id: other.channelId, idempotency_key: "e1" }),
          event({ bot_id: other.botId }),
          event({ bot_id: world.botId }),
          event({ channel_id: other.channelId, event_type: "bot.made" }),
          event({ channel_id: other.channelId, payload: [] }),
          event({}),
          event({ channel_id: other.channelId, idempotency_key: "e1" }),
        ],
      },
      other.ownerToken,
    );
    expect(status).toBe(200);
    expect(body.items.map((item: { status: number }) => item.status)).toEqual([
      201, 201, 404, 400, 400, 400, 201,
    ]);
    expect(body.items[6]).toMatchObject({ replayed: true, event: { id: body.items[0].event.id } });
    const kinds = (await logOf(other)).map((update: { event_type: string }) => update.event_type);
    expect(kinds.filter((kind: string) => kind === "ticket.opened")).toHaveLength(2);
    const any = await send(
      EVENTS,
      { events: [event({ bot_id: world.botId }), event({ bot_id: other.botId })] },
      PLATFORM,
    );
    expect(any.body.items).toMatchObject([{ status: 201 }, { status: 201 }]);
  });
});
