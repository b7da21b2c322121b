import { once } from "node:events";
import { connect } from "node:net";
import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAnswerMemory } from "#botyard/fairness/answer-memory.js";
import { eventsOf, readAsSent } from "#botyard/http/event-stream.js";
import { type ApiChanges, type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { eventually } from "../support/eventually.js";
import { aPost } from "../support/store-fixtures.js";

/** A stream that is read continuously. */
interface Reading {
  status: number;
  headers: Headers;
  text(): string;
  ids(): number[];
  /** Resolves when the service has ended it cleanly, rejects when it broke off. */
  ended: Promise<void>;
  hangUp(): void;
}

let api: RunningApi;
let world: World;
const start = async (changes: ApiChanges = {}) => {
  api = await startApi(changes);
  world = await makeWorld(api);
};
beforeEach(() => start());
afterEach(() => api.close());

async function read(path: string, token: string, headers: Record<string, string> = {}): Promise<Reading> {
  const hangUp = new AbortController();
  const response = await fetch(api.url + path, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: hangUp.signal,
  });
  let text = "";
  const ended = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString("utf8");
  })();
  ended.catch(() => {});
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    ids: () => [...text.matchAll(/^id: (\d+)\nevent: update\n/gm)].map(([, id]) => Number(id)),
    ended,
    hangUp: () => hangUp.abort(),
  };
}

const asBot = (query = "", headers = {}) =>
  read(`/v1/bot-api/updates/stream${query}`, world.botToken, headers);
const asOwner = (query = "", headers = {}) =>
  read(`/v1/bot-api/bots/${world.botId}/updates/stream${query}`, world.ownerToken, headers);
const streams = [
  ["a bot's stream", asBot],
  ["an owner's stream", asOwner],
] as const;
const act = (method: string, path: string) =>
  ask(api, method, `/v1/bot-api/bots/${world.botId}${path}`, { token: world.ownerToken });
const shows = (stream: Reading, ids: number[]) =>
  eventually(`the stream shows ${ids.join()}`, () => stream.ids().join() === ids.join());

describe.each(streams)("%s", (_, open) => {
  it("begins with the next update, in the same form as polling", async () => {
    await post(api, world, "before");
    const stream = await open();
    expect(stream.status).toBe(200);
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    expect(stream.headers.get("cache-control")).toContain("no-cache");
    expect(stream.headers.get("ratelimit")).toMatch(/^"default"/);
    await eventually("it begins", () => stream.text() === "retry: 2000\nid: 1\n\n");
    await post(api, world, "two\r\nlines \u2028 🙂");
    await post(api, world, "after");
    await shows(stream, [2, 3]);
    const polled = await ask(api, "GET", "/v1/bot-api/updates?offset=1", { token: world.botToken });
    const data = [...stream.text().matchAll(/^data: ([^\n]*)$/gm)].map(([, json]) => JSON.parse(json ?? ""));
    expect(data).toEqual(polled.body.items);
    stream.hangUp();
  });

  it("begins after Last-Event-ID, else after the offset", async () => {
    for (const body of ["one", "two", "three"]) await post(api, world, body);
    const both = await open("?offset=0", { "last-event-id": "2" });
    const offset = await open("?offset=1", { "last-event-id": "" });
    await shows(both, [3]);
    await shows(offset, [2, 3]);
    for (const stream of [both, offset]) stream.hangUp();
    await eventually("both have given their places back", () => api.polls.waiting === 0);
  });

  it("shows thousands of updates, each once and in order, while they are posted", async () => {
    const stream = await open("?offset=0");
    const author = { ownerUserId: world.owner };
    for (let batch = 0; batch < 30; batch++) {
      const posts = Array.from({ length: 100 }, () => aPost(world.channelId, "x", author, Date.now()));
      await api.store.appendPosts(posts);
    }
    await eventually("all have come", () => stream.ids().length === 3_000);
    expect(stream.ids()).toEqual(Array.from({ length: 3_000 }, (__, i) => i + 1));
    stream.hangUp();
  });

  it("ends cleanly when the bot is deleted or the service stops", async () => {
    const before = await open();
    await act("DELETE", "");
    await before.ended;
    world = await makeWorld(api);
    const stream = await open();
    api.polls.close();
    await stream.ended;
    await (await open()).ended;
    expect(api.polls.waiting).toBe(0);
  });
});

describe("streams", () => {
  it("refuse invalid update numbers, and polls beyond the limit", async () => {
    await api.close();
    await start({ maxPollsPerBot: 2 });
    const { botToken: token } = world;
    const path = "/v1/bot-api/updates/stream";
    for (const id of ["x", "-1", "01", "1.5", "9007199254740992", "1,2"]) {
      const answer = await ask(api, "GET", path, { token, headers: { "last-event-id": id } });
      expectFailure("streamUpdates", answer, 400, "Last-Event-ID must be the id of an event");
    }
    expectFailure(
      "streamUpdates",
      await ask(api, "GET", `${path}?offset=-1`, { token }),
      400,
      "offset must be",
    );
    const open = [await asBot(), await asOwner()];
    const refused = await ask(api, "GET", path, { token });
    expectFailure("streamUpdates", refused, 429, "2 polls of this bot wait already");
    expect((await ask(api, "GET", "/v1/bot-api/updates?timeout=30", { token })).status).toBe(429);
    open[0]?.hangUp();
    await eventually("its place is free", () => api.polls.waiting === 1);
    expectContract("streamUpdates", await ask(api, "GET", path, { token }));
    open[1]?.hangUp();
  });

  it("send keep-alives while there are no updates", async () => {
    await api.close();
    await start({ heartbeatMs: 20 });
    const stream = await asBot();
    await eventually("heartbeats", () => stream.text().includes("\n\n:\n\n:\n\n"));
    await post(api, world, "now");
    await shows(stream, [1]);
    stream.hangUp();
  });

  it("of a bot end with its token, and send it no later update", async () => {
    const [rotated, disabled] = [await asBot(), await makeWorld(api)];
    await act("POST", "/token");
    await ask(api, "POST", `/v1/channels/${world.channelId}/posts`, {
      token: world.ownerToken,
      body: { body: "not for the old holder" },
    });
    await rotated.ended;
    expect(rotated.ids()).toEqual([]);
    world = disabled;
    const [bots, owners] = [await asBot(), await asOwner()];
    await act("POST", "/disable");
    await bots.ended;
    // The owner still sees the updates of a disabled bot.
    await ask(api, "POST", `/v1/channels/${world.channelId}/posts`, {
      token: world.ownerToken,
      body: { body: "recorded" },
    });
    await shows(owners, [1]);
    expect(bots.ids()).toEqual([]);
    owners.hangUp();
  });

  it("of an owner end when the token expires, before any further update", async () => {
    const expiring = await api.ownerToken(world.owner, { exp: Math.ceil(Date.now() / 1000) + 1 });
    const stream = await read(`/v1/bot-api/bots/${world.botId}/updates/stream`, expiring);
    await eventually("the token has expired", async () => {
      const { status } = await ask(api, "GET", "/v1/bot-api/bots", { token: expiring });
      return status === 401;
    });
    await post(api, world, "too late");
    await stream.ended;
    expect(stream.ids()).toEqual([]);
  });

  it("and polls no longer count when a client with several of them hangs up", async () => {
    const socket = connect(api.port, "127.0.0.1");
    await once(socket, "connect");
    for (const path of ["/stream", "?timeout=30", "/stream"]) {
      socket.write(
        `GET /v1/bot-api/updates${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.botToken}\r\n\r\n`,
      );
    }
    await eventually("all three wait", () => api.polls.waiting === 3);
    socket.destroy();
    await eventually("nobody waits", () => api.polls.waiting === 0);
  });

  it("read nothing ahead of a client that does not read", async () => {
    for (let batch = 0; batch < 5; batch++) {
      const author = { ownerUserId: world.owner };
      await api.store.appendPosts(
        Array.from({ length: 100 }, () => aPost(world.channelId, "x", author, Date.now())),
      );
    }
    const feed = api.polls.follow(world.botId, 0);
    let batches = 0;
    const counted = {
      end: feed.end,
      next: (...parameters: Parameters<typeof feed.next>) => {
        batches += 1;
        return feed.next(...parameters);
      },
    };
    const source = { follower: counted, offset: 0, isAuthorized: async () => true };
    const events = readAsSent(eventsOf(source, 60_000, createAnswerMemory()));
    let release = () => {};
    const slow = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => {
        release = done;
      },
    });
    events.pipe(slow);
    await eventually("the beginning is being sent", () => slow.writableLength > 0);
    expect(batches).toBe(0);
    for (let batch = 1; batch <= 3; batch++) {
      release();
      await eventually("the next batch is read", () => batches === batch && slow.writableLength > 0);
    }
    events.destroy();
    feed.end();
    await eventually("its place is free", () => api.polls.waiting === 0);
  });
});
