import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningApi } from "../support/api.js";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { PLATFORM_TOKEN, startApiForAll } from "../support/every-operation.js";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApiForAll();
  world = await makeWorld(api);
});
afterAll(() => api.close());

const posts = () => `/v1/channels/${world.channelId}/posts`;
const own = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
  ask(api, method, path, { token: world.ownerToken, headers, ...(body === undefined ? {} : { body }) });
const asBot = (path: string) => ask(api, "GET", path, { token: world.botToken });
const ZOE = { id: "user-7", username: "Zoë" };
const OLD = "2019-05-04T03:02:01.000Z";

describe("a silent post", () => {
  it("is listed at its time, and no bot gets it", async () => {
    const told = await own("POST", posts(), { body: "told" });
    const old = { body: "@all old", silent: true, created_at: "2019-05-04T05:02:01+02:00", author: ZOE };
    const made = await own("POST", posts(), old);
    expectContract("createChannelPost", made);
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({ body: "@all old", created_at: OLD, author: { type: "user", ...ZOE } }),
    ]);
    const now = await own("POST", posts(), { body: "quiet", silent: true });
    expect(now.status).toBe(201);
    const listed = (await own("GET", posts())).body.items as { body: string }[];
    expect(listed.map(({ body }) => body)).toEqual(["quiet", "told", "@all old"]);
    expect((await own("GET", `${posts()}?before=${told.body.id}`)).body.items).toEqual([made.body]);
    const updates = (await asBot("/v1/bot-api/updates")).body.items as { payload: { body: string } }[];
    expect(updates.map(({ payload }) => payload.body)).toEqual(["told"]);
    // A moderator reads it in the channel, and it can be edited and answered like any other.
    const read = await asBot(`/v1/bot-api/channels/${world.channelId}/posts/${made.body.id}`);
    expect(read.body).toEqual(made.body);
    const answer = await own("POST", posts(), { body: "answer", reply_to: made.body.id });
    expect(answer.body.reply_to.post_id).toBe(made.body.id);
    expect((await own("PATCH", `${posts()}/${made.body.id}`, { body: "edited" })).body.revision).toBe(2);
    expect((await own("DELETE", `${posts()}/${made.body.id}`)).status).toBe(200);
  });

  it("needs a time of the past, and a time needs a silent post", async () => {
    const refused = async (more: object, message: RegExp) =>
      expectFailure("createChannelPost", await own("POST", posts(), { body: "x", ...more }), 400, message);
    await refused({ created_at: OLD }, /needs silent: true/);
    await refused({ created_at: OLD, silent: false }, /needs silent: true/);
    const future = new Date(Date.now() + 60_000).toISOString();
    for (const time of ["1999-12-31T23:59:59Z", future, "2016-12-31T23:59:60Z"])
      await refused(
        { silent: true, created_at: time },
        /year 2000 on, and not in the future or a leap second/,
      );
    await refused({ silent: true, created_at: "2019-05-04" }, /created_at must be a time with its zone/);
    await refused({ silent: true, created_at: 7 }, /created_at/);
    await refused({ silent: "yes" }, /silent must be true or false/);
    const first = await own("POST", posts(), { body: "x" });
    const answer = await own("POST", posts(), { body: "x", created_at: OLD });
    expect(answer.headers.get("botyard-error")).toBe("invalid_created_at");
    expect(first.status).toBe(201);
  });

  it("is published once for a key", async () => {
    const key = { "idempotency-key": "import-1" };
    const post = { body: "x", silent: true, created_at: OLD };
    const first = await own("POST", posts(), post, key);
    const again = await own("POST", posts(), { ...post, created_at: "soon" }, key);
    expect([again.status, again.body, again.headers.get("idempotency-replayed")]).toEqual([
      201,
      first.body,
      "true",
    ]);
  });

  it("may be one of a batch", async () => {
    const item = { channel_id: world.channelId, body: "batched" };
    const at = (second: number) => `2018-01-01T00:00:0${second}Z`;
    const answer = await ask(api, "POST", "/v1/posts/batch", {
      token: PLATFORM_TOKEN,
      body: {
        posts: [
          { ...item, body: "told in a batch" },
          { ...item, silent: true, created_at: at(2), idempotency_key: "b-2" },
          { ...item, created_at: at(3) },
          { ...item, silent: true, created_at: at(1), body: "batched before" },
          { ...item, silent: true, created_at: at(2), idempotency_key: "b-2", body: "twin" },
        ],
      },
    });
    expectContract("createPosts", answer);
    const items = answer.body.items as {
      status: number;
      code?: string;
      replayed?: true;
      post?: { id: string };
    }[];
    expect(items.map(({ status, code, replayed }) => code ?? replayed ?? status)).toEqual([
      201,
      201,
      "invalid_created_at",
      201,
      true,
    ]);
    expect(items[4]?.post).toEqual(items[1]?.post);
    const all = (await own("GET", posts())).body.items as { body: string }[];
    expect(all.slice(-2).map(({ body }) => body)).toEqual(["batched", "batched before"]);
    const updates = (await asBot("/v1/bot-api/updates")).body.items as { payload: { body: string } }[];
    expect(updates.map(({ payload }) => payload.body)).not.toContain("batched");
  });

  it("is in its place among the others of a batch, and the first one with a key wins", async () => {
    const publish = async (...items: object[]) => {
      const body = { posts: items.map((item) => ({ channel_id: world.channelId, ...item })) };
      const answer = await ask(api, "POST", "/v1/posts/batch", { token: PLATFORM_TOKEN, body });
      return answer.body.items as { replayed?: true; post: { body: string } }[];
    };
    const bodies = Array.from({ length: 8 }, (_, index) => `mixed ${index}`);
    await publish(...bodies.map((body, index) => ({ body, silent: index % 3 !== 1 })));
    const { items } = (await own("GET", `${posts()}?order=oldest&limit=100`)).body;
    const listed = (items as { body: string }[]).map(({ body }) => body);
    expect(listed.filter((body) => body.startsWith("mixed"))).toEqual(bodies);
    for (const silent of [true, false]) {
      const key = { idempotency_key: `first-${silent}` };
      const twins = await publish(
        { body: "first", silent, ...key },
        { body: "second", silent: !silent, ...key },
      );
      expect(twins.map(({ post, replayed }) => [post.body, replayed])).toEqual([
        ["first", undefined],
        ["first", true],
      ]);
    }
  });

  it("is not for bots", async () => {
    const path = `/v1/bot-api/channels/${world.channelId}/posts`;
    const body = { body: "by a bot", silent: true, created_at: OLD };
    const answer = await ask(api, "POST", path, { token: world.botToken, body });
    // Unknown fields are ignored.
    expect(answer.body.created_at > OLD).toBe(true);
  });
});
