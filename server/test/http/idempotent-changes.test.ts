import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";
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

const KEY = { "idempotency-key": "change-1" };
const isReplayed = ({ headers }: Answer) => headers.get("idempotency-replayed") === "true";

const callers = [
  {
    who: "an owner",
    path: () => `/v1/channels/${world.channelId}/posts`,
    token: () => world.ownerToken,
    ofWhom: "Channel",
  },
  {
    who: "a bot",
    path: () => `/v1/bot-api/channels/${world.channelId}/posts`,
    token: () => world.botToken,
    ofWhom: "Bot",
  },
];

describe.each(callers)("a change of a post by $who", ({ path, token, ofWhom }) => {
  const call = (method: string, id: string, body?: unknown, headers = {}): Promise<Answer> =>
    ask(api, method, `${path()}${id}`, { token: token(), headers, ...(body === undefined ? {} : { body }) });
  const publish = async () => (await call("POST", "", { body: "first" })).body.id as string;

  it("is made once for a key, and answered the same again, whatever the body says", async () => {
    const id = `/${await publish()}`;
    const first = await call("PATCH", id, { body: "second" }, KEY);
    expectContract(`edit${ofWhom}Post`, first);
    expect([first.status, isReplayed(first), first.body.revision]).toEqual([200, false, 2]);
    await call("PATCH", id, { body: "third" });
    for (const [body, more] of [
      [{ body: "second" }, { "if-match": "1" }],
      [{ body: "other" }, {}],
      [{ body: " " }, {}],
      [{}, {}],
    ] as const) {
      const again = await call("PATCH", id, body, { ...KEY, ...more });
      expect([again.status, isReplayed(again), again.body]).toEqual([200, true, first.body]);
    }
    expect((await call("GET", id)).body).toMatchObject({ body: "third", revision: 3 });
    // Another post, another caller and a deletion have keys of their own.
    const other = await call("PATCH", `/${await publish()}`, { body: "x" }, KEY);
    expect([other.status, isReplayed(other)]).toEqual([200, false]);
    const deleted = await call("DELETE", id, undefined, KEY);
    expectContract(`delete${ofWhom}Post`, deleted);
    expect([deleted.status, isReplayed(deleted)]).toEqual([200, false]);
    const again = await call("DELETE", id, undefined, KEY);
    expect([again.status, isReplayed(again), again.body]).toEqual([200, true, { status: "deleted" }]);
    const unkeyed = await call("DELETE", id);
    expectFailure(`delete${ofWhom}Post`, unkeyed, 404);
    expect((await call("DELETE", id, undefined, { "idempotency-key": "other" })).status).toBe(404);
    expectFailure(`edit${ofWhom}Post`, await call("PATCH", id, { body: "x" }, KEY), 404);
  });

  it("needs a key that can be one", async () => {
    const id = `/${await publish()}`;
    for (const key of ["", "ä", "x".repeat(256)]) {
      const headers = { "idempotency-key": encodeURI(key) === key ? key : "\u00e4" };
      expectFailure(
        `edit${ofWhom}Post`,
        await call("PATCH", id, { body: "x" }, headers),
        400,
        /Idempotency-Key/,
      );
      expectFailure(
        `delete${ofWhom}Post`,
        await call("DELETE", id, undefined, headers),
        400,
        /Idempotency-Key/,
      );
    }
    expect((await call("GET", id)).body.revision).toBe(1);
  });

  it("is made once by twins at the same moment", async () => {
    const id = `/${await publish()}`;
    const edits = await Promise.all([1, 2, 3, 4].map((n) => call("PATCH", id, { body: `twin ${n}` }, KEY)));
    expect(edits.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(edits.filter((one) => !isReplayed(one))).toHaveLength(1);
    expect(new Set(edits.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect((await call("GET", id)).body.revision).toBe(2);
    const deletions = await Promise.all([1, 2, 3].map(() => call("DELETE", id, undefined, KEY)));
    expect(deletions.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(deletions.filter((one) => !isReplayed(one))).toHaveLength(1);
  });
});

describe("keys of changes", () => {
  it("are each caller's own, and of no use to strangers", async () => {
    const { body: post } = await ask(api, "POST", `/v1/bot-api/channels/${world.channelId}/posts`, {
      token: world.botToken,
      body: { body: "first" },
    });
    const own = `/v1/channels/${world.channelId}/posts/${post.id}`;
    const bots = `/v1/bot-api/channels/${world.channelId}/posts/${post.id}`;
    const edit = (path: string, token: string) =>
      ask(api, "PATCH", path, { token, body: { body: "x" }, headers: KEY });
    expect((await edit(bots, world.botToken)).body.revision).toBe(2);
    const byOwner = await edit(own, world.ownerToken);
    expect([isReplayed(byOwner), byOwner.body.revision]).toEqual([false, 3]);
    const stranger = await makeWorld(api);
    expect((await edit(own, stranger.ownerToken)).status).toBe(404);
    expect((await edit(bots, stranger.botToken)).status).toBe(403);
    const gone = await ask(api, "DELETE", own, { token: world.ownerToken, headers: KEY });
    expect(gone.status).toBe(200);
    for (const [path, token] of [
      [own, stranger.ownerToken],
      [bots, stranger.botToken],
    ] as const)
      expect((await ask(api, "DELETE", path, { token, headers: KEY })).status).not.toBe(200);
  });
});
