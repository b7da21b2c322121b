import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { encodeFeedCursor } from "#botyard/domain/events/feed.js";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, type Ask, ask, makeWorld, post, type World } from "../support/api-client.js";
import { engine } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { attachAll, switchFeedOn } from "../support/feed-world.js";
import { expireUpdates } from "../support/upkeep.js";

const TOKEN = "a-token-of-the-platform-0123456789";
const FEED = "/v1/platform/feed";

let api: RunningApi;
let world: World;
/** Where the feed was when the test began. */
let start: string;
beforeAll(async () => {
  api = await startApi({
    platform: { tokens: [TOKEN], rateLimit: { burst: 10_000, perSecond: 10_000 } },
    maxPollsPerBot: 3,
    heartbeatMs: 50,
  });
});
afterAll(() => api.close());

const call = (method: string, path: string, what: Ask = {}): Promise<Answer> =>
  ask(api, method, path, { token: TOKEN, ...what });
const read = (query = ""): Promise<Answer> => call("GET", `${FEED}?after=${start}${query}`);
const endOf = async (): Promise<string> => {
  let { cursor, items } = (await call("GET", FEED)).body;
  while (items.length > 0) ({ cursor, items } = (await call("GET", `${FEED}?after=${cursor}`)).body);
  return cursor;
};
const kinds = ({ body }: Answer): string[] =>
  body.items.map(({ event_type }: { event_type: string }) => event_type);

describe("while the feed is off", () => {
  it("every operation says so, and what to set", async () => {
    const anyCursor = encodeFeedCursor({ feedId: "0".repeat(16), positions: [1] });
    for (const [method, path, body] of [
      ["GET", FEED, undefined],
      ["GET", `${FEED}?after=${anyCursor}`, undefined],
      ["GET", `${FEED}?consumer=main`, undefined],
      ["GET", "/v1/platform/consumers", undefined],
      ["PUT", "/v1/platform/consumers/main", { cursor: anyCursor }],
      ["DELETE", "/v1/platform/consumers/main", undefined],
    ] as const) {
      const answer = await call(method, path, { body });
      expect([path, answer.status, answer.headers.get("botyard-error")]).toEqual([path, 404, "feed_off"]);
      expect(answer.body.error).toContain("PLATFORM_FEED=true");
    }
  });
});

describe("the feed", () => {
  beforeAll(async () => {
    await api.store.switchFeed(true);
    await attachAll(api.store);
  });
  beforeEach(async () => {
    world = await makeWorld(api);
    start = await endOf();
  });

  it("is the platform's alone", async () => {
    const codeOf = async (what: Ask) => {
      const { status, headers } = await ask(api, "GET", FEED, what);
      return [status, headers.get("botyard-error")];
    };
    expect(await codeOf({})).toEqual([401, "credential_missing"]);
    expect(await codeOf({ token: world.ownerToken })).toEqual([401, "credential_wrong_kind"]);
    expect(await codeOf({ token: world.botToken })).toEqual([401, "credential_wrong_kind"]);
    expect(await codeOf({ token: `${TOKEN}x` })).toEqual([401, "token_invalid"]);
    const named = { token: TOKEN, headers: { "Botyard-Owner": world.owner } };
    expect(await codeOf(named)).toEqual([400, "invalid_owner_header"]);
  });

  it("says what happened, where, and whose it is", async () => {
    const headers = { "Botyard-Owner": "Zo%C3%AB" };
    const put = await call("PUT", "/v1/channels/external/room-42", { headers, body: { title: "Room" } });
    const { body: channel } = put;
    await call("POST", `/v1/channels/${channel.id}/posts`, { headers, body: { body: "hi “there”" } });
    await post(api, world, "from a bot");
    const { body } = await read();
    const isPost = ({ event_type }: { event_type: string }) => event_type === "channel.post_created";
    const posts = body.items.filter(isPost);
    // Over cells only each owner's are in their order.
    if (engine.name === "cells" && posts[0].owner_user_id === world.owner) posts.reverse();
    expect(posts).toMatchObject([
      {
        owner_user_id: "Zoë",
        channel: { id: channel.id, external_id: "room-42" },
        payload: { body: "hi “there”" },
      },
      {
        owner_user_id: world.owner,
        channel: { id: world.channelId },
        payload: { body: "from a bot", author: { type: "bot", id: world.botId } },
      },
    ]);
    expect(posts[1].channel).not.toHaveProperty("external_id");
    expect(Date.parse(posts[0].created_at)).toBeGreaterThan(Date.now() - 60_000);
  });

  it("goes on after the cursor of a page, and of any item", async () => {
    for (let n = 0; n < 5; n += 1) await post(api, world, `post ${n}`);
    const first = await read("&limit=3");
    const rest = await call("GET", `${FEED}?after=${first.body.cursor}`);
    const all = await read();
    expect([...first.body.items, ...rest.body.items]).toEqual(all.body.items);
    const afterSecond = await call("GET", `${FEED}?after=${all.body.items[1].cursor}`);
    expect(afterSecond.body.items).toEqual(all.body.items.slice(2));
    const end = await call("GET", `${FEED}?after=${all.body.cursor}`);
    expect(end.body).toEqual({ items: [], cursor: all.body.cursor });
  });

  it("gives up to 500 items at once where they are asked for", async () => {
    const after = await endOf();
    for (let batch = 0; batch < 4; batch += 1) {
      await Promise.all(Array.from({ length: 30 }, (_, n) => post(api, world, `post ${batch} ${n}`)));
    }
    const { body: some } = await call("GET", `${FEED}?after=${after}`);
    const { body: all } = await call("GET", `${FEED}?after=${after}&limit=500`);
    expect([some.items.length, all.items.length]).toEqual([100, 120]);
    expect(all.items.slice(0, 100)).toEqual(some.items);
  });

  it("waits for what happens, and for its time-out", async () => {
    const waiting = read("&timeout=30");
    await eventually("the poll waits", () => api.feedPolls.waiting === 1);
    await post(api, world, "awaited");
    expect((await waiting).body.items).toMatchObject([{ payload: { body: "awaited" } }]);
    expect(api.feedPolls.waiting).toBe(0);
    const end = await endOf();
    const { status, body } = await call("GET", `${FEED}?after=${end}&timeout=1`);
    expect({ status, body }).toEqual({ status: 200, body: { items: [], cursor: end } });
  });

  it("streams what happens, and goes on after the last event", async () => {
    const open = async (what: { query?: string; lastId?: string }) => {
      const hangUp = new AbortController();
      const response = await fetch(`${api.url}${FEED}/stream?${what.query ?? ""}`, {
        headers: { authorization: `Bearer ${TOKEN}`, ...(what.lastId && { "last-event-id": what.lastId }) },
        signal: hangUp.signal,
      });
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
      let text = "";
      const reading = (async () => {
        const decoder = new TextDecoder();
        for await (const chunk of response.body ?? []) text += decoder.decode(chunk);
      })().catch(() => {});
      return {
        bodies: () => [...text.matchAll(/"body":"([^"]*)"/g)].map(([, body]) => body),
        ids: () => [...text.matchAll(/^id: (\S+)$/gm)].map(([, id]) => id),
        text: () => text,
        async close() {
          hangUp.abort();
          await reading;
        },
      };
    };
    await post(api, world, "kept");
    const first = await open({ query: `after=${start}` });
    await eventually("what is kept is sent", () => first.bodies().length === 1);
    expect(first.ids()[0]).toBe(start);
    await post(api, world, "live");
    await eventually("what happens is sent", () => first.bodies().length === 2);
    await eventually("a heartbeat is sent", () => first.text().includes("\n:\n\n"));
    expect(first.bodies()).toEqual(["kept", "live"]);
    const [, afterKept] = first.ids();
    await first.close();
    await eventually("the stream is closed", () => api.feedPolls.waiting === 0);
    const second = await open({ query: `after=${start}`, lastId: afterKept ?? "" });
    await eventually("it goes on", () => second.bodies().length === 1);
    expect(second.bodies()).toEqual(["live"]);
    await second.close();
    const { status, headers } = await call("GET", `${FEED}/stream?after=x`);
    expect([status, headers.get("botyard-error")]).toEqual([400, "invalid_cursor"]);
  });

  it("lets only so many wait, and forgets those that hang up", async () => {
    const hangUp = new AbortController();
    const waiting = [1, 2, 3].map(() =>
      call("GET", `${FEED}?after=${start}&timeout=30`, { signal: hangUp.signal }).catch(() => undefined),
    );
    await eventually("three wait", () => api.feedPolls.waiting === 3);
    const refused = await read("&timeout=30");
    expect([refused.status, refused.headers.get("botyard-error")]).toEqual([429, "too_many_polls"]);
    expect((await read()).status).toBe(200);
    hangUp.abort();
    await Promise.all(waiting);
    await eventually("nobody waits", () => api.feedPolls.waiting === 0);
  });

  it("keeps the positions of consumers", async () => {
    const name = `consumer-${world.owner}`;
    await post(api, world, "one");
    await post(api, world, "two");
    expect((await call("GET", `${FEED}?consumer=${name}`)).status).toBe(200);
    const { body: page } = await read();
    const at = (cursor: string, more = {}) =>
      call("PUT", `/v1/platform/consumers/${name}`, { body: { cursor, ...more } });
    const moved = await at(page.items[0].cursor);
    expect(moved.body).toMatchObject({ name, lag: 1, cursor: page.items[0].cursor });
    const next = await call("GET", `${FEED}?consumer=${name.toUpperCase()}`);
    expect(next.body.items).toEqual(page.items.slice(1));
    const back = await at(start);
    expect([back.status, back.headers.get("botyard-error")]).toEqual([400, "position_backwards"]);
    expect((await at(start, { rewind: true })).body.lag).toBe(2);
    const { body: list } = await call("GET", "/v1/platform/consumers");
    expect(list.items).toMatchObject([{ name, lag: 2 }]);
    expect((await call("DELETE", `/v1/platform/consumers/${name}`)).body).toEqual({ status: "deleted" });
    for (const none of [name, "a%00b"]) {
      const again = await call("DELETE", `/v1/platform/consumers/${none}`);
      expect([again.status, again.headers.get("botyard-error")]).toEqual([404, "consumer_not_found"]);
    }
  });

  it("wakes a consumer's poll when it is rewound", async () => {
    await post(api, world, "again");
    const cursor = await endOf();
    const path = "/v1/platform/consumers/rewound";
    await call("PUT", path, { body: { cursor } });
    const waiting = call("GET", `${FEED}?consumer=rewound&timeout=30`);
    await eventually("the poll waits", () => api.feedPolls.waiting === 1);
    await call("PUT", path, { body: { cursor: start, rewind: true } });
    expect((await waiting).body.items).toMatchObject([{ payload: { body: "again" } }]);
    await call("DELETE", path);
  });

  it("tells a waiting consumer that another feed has begun, and leaves out nothing of it", async () => {
    const { body: all } = await read("&limit=100");
    await call("PUT", "/v1/platform/consumers/waits", { body: { cursor: all.cursor } });
    const reads = vi.spyOn(api.store, "readFeed");
    const again = call("GET", `${FEED}?consumer=waits&timeout=30`);
    // It has begun to wait before: what it has not read yet, it cannot miss.
    await eventually("the poll has read", () => reads.mock.settledResults[0]?.type === "fulfilled");
    reads.mockRestore();
    await api.store.switchFeed(false);
    await switchFeedOn(api.store);
    for (const body of ["one", "two", "three"]) await post(api, world, body);
    const { status, body, headers } = await again;
    // It may have been woken while the feed was off.
    expect(["200 true", "404 false"]).toContain(`${status} ${headers.has("botyard-log-tail")}`);
    const { body: whole } = await call("GET", `${FEED}?limit=100`);
    if (status === 200) expect(body.items).toEqual(whole.items.slice(0, Math.max(1, body.items.length)));
    expect(whole.items).toHaveLength(3);
  });

  it("refuses positions that are none, and says which", async () => {
    const codes = async (method: string, path: string, body?: object) => {
      const { status, headers } = await call(method, path, { body });
      return [status, headers.get("botyard-error")];
    };
    const bytes = Buffer.from(start, "base64url");
    const other = Buffer.from(bytes);
    other[1] = (other[1] ?? 0) ^ 1;
    const ahead = Buffer.from(bytes);
    ahead[9] = 0x7f;
    const cursors = [
      ["x", "invalid_cursor"],
      ["%20", "invalid_cursor"],
      [`${start}%3D`, "invalid_cursor"],
      [bytes.subarray(0, 5).toString("base64url"), "invalid_cursor"],
      [other.toString("base64url"), "feed_changed"],
      [ahead.toString("base64url"), "feed_changed"],
      ["", "invalid_input"],
      ["x".repeat(11_001), "invalid_input"],
    ] as const;
    for (const [cursor, code] of cursors) {
      expect([cursor, ...(await codes("GET", `${FEED}?after=${cursor}`))]).toEqual([cursor, 400, code]);
      const body = { cursor: decodeURIComponent(cursor) };
      expect([cursor, ...(await codes("PUT", "/v1/platform/consumers/c", body))]).toEqual([
        cursor,
        400,
        code,
      ]);
    }
    expect(await codes("GET", `${FEED}?after=${start}&consumer=c`)).toEqual([400, "conflicting_parameters"]);
    expect(await codes("GET", `${FEED}?limit=501`)).toEqual([400, "invalid_input"]);
    expect(await codes("GET", `${FEED}?consumer=a%20b`)).toEqual([400, "invalid_input"]);
    expect(await codes("PUT", "/v1/platform/consumers/c", {})).toEqual([400, "invalid_input"]);
  });

  it("says when what followed a position has expired", async () => {
    await post(api, world, "expires");
    await call("PUT", "/v1/platform/consumers/late", { body: { cursor: start } });
    while (await expireUpdates(api.store, Date.UTC(2100, 0, 1), 100));
    await post(api, world, "kept");
    const refused = await read();
    expect([refused.status, refused.headers.get("botyard-error")]).toEqual([400, "feed_position_expired"]);
    const behind = await call("GET", `${FEED}?consumer=late`);
    expect(behind.body.items).toMatchObject([{ payload: { body: "kept" } }]);
    const oldest = behind.headers.get("botyard-log-tail");
    expect((await call("GET", `${FEED}?after=${oldest}`)).body).toEqual(behind.body);
    expect(kinds(await call("GET", FEED))).toEqual(["channel.post_created"]);
    await call("PUT", "/v1/platform/consumers/late", { body: { cursor: behind.body.cursor } });
    const { headers } = await call("GET", `${FEED}?consumer=late`);
    expect(headers.get("botyard-log-tail")).toBeNull();
    await call("DELETE", "/v1/platform/consumers/late");
  });
});
