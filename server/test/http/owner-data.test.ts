import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BEFORE_ALL_IDS, newId } from "#botyard/domain/ids.js";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { eventually } from "../support/eventually.js";
import { countRows } from "../support/stored-rows.js";

interface Line {
  type: string;
  cursor: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies whose shape they check
  [field: string]: any;
}

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** Tries again while another export of the owner, which a test has left, is ending. */
async function exportOf(token: string, after?: string): Promise<Line[]> {
  const query = after === undefined ? "" : `?after=${after}`;
  const answer = await eventually("an export", async () => {
    const tried = await ask(api, "GET", `/v1/owner/export${query}`, { token });
    return tried.status === 429 ? undefined : tried;
  });
  expect(answer.status).toBe(200);
  expectContract("exportOwner", answer);
  return answer.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

const emit = (world: World, path: string, payload: object) =>
  ask(api, "POST", `${path}/events`, {
    token: world.ownerToken,
    body: { event_type: "ticket.opened", payload },
  });

/** Two posts, one of which is edited, an event in the channel and one to the bot, and one to the bot that it does not hear. */
async function fill(world: World): Promise<void> {
  await post(api, world, "first");
  const second = await post(api, world, "second");
  await ask(api, "PATCH", `/v1/channels/${world.channelId}/posts/${second.body.id}`, {
    token: world.ownerToken,
    body: { body: "revised" },
  });
  await emit(world, `/v1/channels/${world.channelId}`, { to: "channel" });
  const bot = `/v1/bot-api/bots/${world.botId}`;
  await emit(world, bot, { to: "bot" });
  await ask(api, "PUT", `${bot}/subscription`, { token: world.ownerToken, body: { event_types: ["a.b"] } });
  await emit(world, bot, { to: "nobody" });
  await ask(api, "DELETE", `${bot}/subscription`, { token: world.ownerToken });
}

describe("exporting what an owner has", () => {
  it("gives everything of the owner, and nothing of others", async () => {
    const [world, other] = [await makeWorld(api), await makeWorld(api)];
    await fill(world);
    await fill(other);
    const lines = await exportOf(world.ownerToken);
    expect(lines.map(({ type }) => type)).toEqual([
      "bot",
      "channel",
      "post",
      "post",
      "event",
      "attachment",
      "event",
      "event",
      "update",
      "update",
      "update",
      "update",
      ...Array.from({ length: 5 }, () => "audit"),
      "end",
    ]);
    expect(lines[0]).toMatchObject({
      bot: { id: world.botId, username: world.username },
      subscription: null,
    });
    expect(lines[1]).toMatchObject({ channel: { id: world.channelId } });
    expect(lines[2]).toMatchObject({ channel_id: world.channelId, post: { body: "revised", revision: 2 } });
    expect(lines[4]).toMatchObject({ event: { event_type: "ticket.opened", payload: { to: "channel" } } });
    expect(lines[5]?.attachment).toEqual({
      bot_id: world.botId,
      channel_id: world.channelId,
      role: "moderator",
    });
    expect(lines[6]).toMatchObject({ bot_id: world.botId, event: { payload: { to: "nobody" } } });
    expect(lines[7]).toMatchObject({
      bot_id: world.botId,
      event: { event_type: "ticket.opened", payload: { to: "bot" } },
    });
    expect(lines[8]).toMatchObject({
      bot_id: world.botId,
      update: { update_id: 4, state: "pending", payload: { to: "bot" } },
    });
    const text = JSON.stringify(lines);
    for (const foreign of [other.botId, other.channelId, other.owner, world.botToken]) {
      expect(text).not.toContain(foreign);
    }
  });

  it("goes on behind any line", async () => {
    const world = await makeWorld(api);
    await fill(world);
    const lines = await exportOf(world.ownerToken);
    // At most 10 exports within a minute.
    for (const index of [0, 2, 4, 5, 6, 7, 8, lines.length - 1]) {
      const rest = await exportOf(world.ownerToken, lines[index]?.cursor);
      const expected = lines.slice(index + 1);
      expect(rest).toEqual(expected.length > 0 ? expected : lines.slice(-1));
    }
  });

  it("goes on behind what was deleted meanwhile", async () => {
    const world = await makeWorld(api);
    for (const body of ["one", "two", "three"]) await post(api, world, body);
    const lines = await exportOf(world.ownerToken);
    const two = lines.find(({ post: found }) => found?.body === "two");
    await ask(api, "DELETE", `/v1/channels/${world.channelId}/posts/${two?.post.id}`, {
      token: world.ownerToken,
    });
    const bodies = (rest: Line[]) => rest.flatMap((line) => line.post?.body ?? []);
    expect(bodies(await exportOf(world.ownerToken, two?.cursor))).toEqual(["one"]);
    await ask(api, "DELETE", `/v1/channels/${world.channelId}`, { token: world.ownerToken });
    const rest = await exportOf(world.ownerToken, two?.cursor);
    expect(rest.map(({ type }) => type)).toEqual(
      ["update", "audit", "end"].flatMap((type, at) => Array<string>([3, 5, 1][at] ?? 0).fill(type)),
    );
    expect(rest[3]).toMatchObject({ entry: { operation: "deleteChannel", target: { id: world.channelId } } });
    const [, ...older] = rest.slice(3);
    expect(await exportOf(world.ownerToken, rest[3]?.cursor)).toEqual(older);
  });

  it("goes on behind an event to a bot that is there no more", async () => {
    const world = await makeWorld(api);
    await fill(world);
    const lines = await exportOf(world.ownerToken);
    const [newest, older] = lines.filter(({ bot_id, event }) => bot_id && event);
    const gone = newest?.cursor.replace(newest.event.id, newId());
    const rest = await exportOf(world.ownerToken, gone);
    expect(rest).toEqual(lines.slice(lines.indexOf(newest as Line)));
    const below = older?.cursor.replace(older.event.id, BEFORE_ALL_IDS);
    expect((await exportOf(world.ownerToken, below))[0]?.type).toBe("update");
  });

  it("reads page by page, and only while the client reads", { timeout: 60_000 }, async () => {
    const world = await makeWorld(api);
    const large = "x".repeat(3_000);
    const posts = Array.from({ length: 1_000 }, () => ({ channel_id: world.channelId, body: large }));
    for (let batches = 0; batches < 4; batches += 1) {
      await ask(api, "POST", "/v1/posts/batch", { token: world.ownerToken, body: { posts } });
    }
    const { listRecentUpdates } = api.store;
    let pages = 0;
    api.store.listRecentUpdates = (...parameters) => {
      pages += 1;
      return listRecentUpdates(...parameters);
    };
    try {
      const headers = { authorization: `Bearer ${world.ownerToken}` };
      const answer = await new Promise<import("node:http").IncomingMessage>((resolve) => {
        request(`${api.url}/v1/owner/export`, { headers }, resolve).end();
      });
      answer.pause();
      const second = await ask(api, "GET", "/v1/owner/export", { token: world.ownerToken });
      expect(second.status).toBe(429);
      expect(second.headers.get("retry-after")).toBe("5");
      expectContract("exportOwner", second);
      expect(pages).toBe(0);
      // A hang-up ends it, and another may begin.
      answer.destroy();
      const lines = await exportOf(world.ownerToken);
      expect(lines.filter(({ type }) => type === "post")).toHaveLength(4_000);
      expect(lines.filter(({ type }) => type === "update")).toHaveLength(4_000);
      expect(pages).toBeGreaterThan(40);
    } finally {
      api.store.listRecentUpdates = listRecentUpdates;
    }
  });

  it.each([
    "",
    "x",
    "bot.1",
    `post.${randomUUID()}`,
    `update.${randomUUID()}.0`,
    "update.1.1",
    `bot-event.${randomUUID()}.1`,
    "a".repeat(300),
  ])("refuses the cursor %j", async (after) => {
    const token = await api.ownerToken("cursors");
    const answer = await ask(api, "GET", `/v1/owner/export?after=${after}`, { token });
    expect(answer.status).toBe(400);
    expectContract("exportOwner", answer);
  });

  it("continues nobody else's export", async () => {
    const [world, other] = [await makeWorld(api), await makeWorld(api)];
    const [line] = await exportOf(world.ownerToken);
    const path = `/v1/owner/export?after=${line?.cursor}`;
    const answer = await ask(api, "GET", path, { token: other.ownerToken });
    expectFailure("exportOwner", answer, 400, "after is the cursor of another owner's export");
    expect((await ask(api, "GET", path, { token: world.ownerToken })).status).toBe(200);
  });

  it("is refused without an owner token, and more than 10 times within a minute", async () => {
    const world = await makeWorld(api);
    expect((await ask(api, "GET", "/v1/owner/export")).status).toBe(401);
    expect((await ask(api, "GET", "/v1/owner/export", { token: world.botToken })).status).toBe(401);
    const token = await api.ownerToken("often");
    for (let i = 0; i < 10; i += 1) await exportOf(token);
    const answer = await ask(api, "GET", "/v1/owner/export", { token });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(1);
  });
});

describe("erasing an owner", () => {
  const erase = (token: string, body: unknown) => ask(api, "DELETE", "/v1/owner", { token, body });

  it.each([undefined, {}, { confirm: "" }, { confirm: "somebody" }, { confirm: 1 }, [], "alice"])(
    "erases nothing with the body %j",
    async (body) => {
      const world = await makeWorld(api);
      const answer = await erase(world.ownerToken, body);
      expect(answer.status).toBe(400);
      expectContract("eraseOwner", answer);
      expect((await exportOf(world.ownerToken)).map(({ type }) => type)).toContain("channel");
    },
  );

  it("erases everything of the owner, and nothing of others", async () => {
    const [world, other] = [await makeWorld(api), await makeWorld(api)];
    const mark = `mark-${randomUUID()}`;
    await post(api, world, mark);
    await emit(world, `/v1/channels/${world.channelId}`, { mark });
    await emit(world, `/v1/bot-api/bots/${world.botId}`, { mark });
    await ask(api, "PUT", `/v1/bot-api/bots/${world.botId}/subscription`, {
      token: world.ownerToken,
      body: { event_types: [] },
    });
    await emit(world, `/v1/bot-api/bots/${world.botId}`, { mark, isHeard: false });
    expect(await countRows(api.home, "events", `payload LIKE '%${mark}%'`)).toBe(4);
    await ask(api, "POST", `/v1/channels/${world.channelId}/posts`, {
      token: world.ownerToken,
      body: { body: mark },
      headers: { "idempotency-key": mark },
    });
    await fill(other);
    const before = await exportOf(other.ownerToken);
    await eventually("the erasure", async () => {
      const answer = await erase(world.ownerToken, { confirm: world.owner });
      expectContract("eraseOwner", answer);
      return answer.body.status === "deleted";
    });
    expectErased(await exportOf(world.ownerToken), world);
    expect(await countRows(api.home, "events", `payload LIKE '%${mark}%'`)).toBe(0);
    expect(await countRows(api.home, "edited_posts", `payload LIKE '%${mark}%'`)).toBe(0);
    expect(await countRows(api.home, "idempotency_keys", `key = '${mark}'`)).toBe(0);
    expect(await countRows(api.home, "bots", `owner_user_id = '${world.owner}'`)).toBe(0);
    expect((await ask(api, "GET", "/v1/bot-api/me", { token: world.botToken })).status).toBe(401);
    expect(await exportOf(other.ownerToken)).toEqual(before);
    expect((await erase(world.ownerToken, { confirm: world.owner })).body).toEqual({ status: "deleted" });
  });

  it("answers a second call while the first is under way, and both erase", async () => {
    const world = await makeWorld(api);
    await fill(world);
    const { deleteBot } = api.store;
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let begun = 0;
    api.store.deleteBot = async (ref) => {
      begun += 1;
      if (begun === 1) await held;
      return deleteBot(ref);
    };
    try {
      const first = erase(world.ownerToken, { confirm: world.owner });
      await eventually("the first is under way", () => begun === 1);
      const second = await erase(world.ownerToken, { confirm: world.owner });
      expectContract("eraseOwner", second);
      expect(second.body).toEqual({ status: "deleted" });
      expectErased(await exportOf(world.ownerToken), world);
      goOn();
      const answer = await first;
      expectContract("eraseOwner", answer);
      expect(answer.body).toEqual({ status: "deleted" });
    } finally {
      goOn();
      api.store.deleteBot = deleteBot;
    }
  });
});

/** That is all that is left. */
function expectErased(lines: Line[], { owner }: World): void {
  expect(lines.map(({ type }) => type)).toEqual(["audit", "end"]);
  expect(lines[0]?.entry).toMatchObject({
    operation: "eraseOwner",
    target: { type: "owner", id: owner },
    changes: {},
  });
}
