import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask } from "../support/api-client.js";
import { expectContract, expectFailure, operations } from "../support/contract.js";
import { engine } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { PLATFORM_TOKEN } from "../support/every-operation.js";
import { switchFeedOn } from "../support/feed-world.js";
import { bodyFor } from "../support/tenant-operations.js";

let api: RunningApi;
let maker: string;
let holder: string;
let stranger: string;
beforeAll(async () => {
  api = await startApi({
    platform: { tokens: [PLATFORM_TOKEN], rateLimit: { burst: 10_000, perSecond: 10_000 } },
    caps: {
      botsPerOwner: 100,
      channelsPerOwner: 100,
      attaching: { perHolder: 100, review: "required" },
      botLoopPosts: 0,
      connections: 1_000,
    },
  });
  await switchFeedOn(api.store);
  maker = await api.ownerToken("maker");
  holder = await api.ownerToken("holder");
  stranger = await api.ownerToken("stranger");
});
afterAll(() => api.close());

const call = (token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  ask(api, method, path, { token, ...(body === undefined ? {} : { body }) });
const review = (id: string, status = "approved", note?: string) =>
  call(PLATFORM_TOKEN, "PUT", `/v1/platform/bots/${id}/review`, { status, ...(note && { note }) });
let count = 0;
const makeListed = async (isApproved = true) => {
  const { bot, token } = (await call(maker, "POST", "/v1/bot-api/bots", { username: `listed_${count++}` }))
    .body;
  await call(maker, "PATCH", `/v1/bot-api/bots/${bot.id}`, {
    visibility: "listed",
    metadata: { plan: "secret" },
  });
  if (isApproved) await review(bot.id);
  return { id: bot.id as string, username: bot.username as string, token: token.token as string };
};
const makeRoom = async (token = holder) =>
  (
    await call(token, "POST", "/v1/channels", {
      slug: `room-${count++}`,
      title: "A room",
      external_id: `ext-${count++}`,
      metadata: { tier: "gold" },
    })
  ).body.id as string;
type FeedItem = { event_type: string; payload: { bot_id?: string } };
const place = (botId: string, channelId: string) => `/v1/bot-api/bots/${botId}/channels/${channelId}`;

describe("a listed bot", () => {
  it("is found by nobody new for a direct channel once it is private, also where they have it in a room", async () => {
    const bot = await makeListed();
    await call(holder, "POST", place(bot.id, await makeRoom()));
    const direct = () => call(holder, "PUT", `/v1/channels/direct/${bot.id}`);
    const there = await direct();
    expect(there.status).toBe(201);
    await call(maker, "PATCH", `/v1/bot-api/bots/${bot.id}`, { visibility: "private" });
    expect((await direct()).body).toEqual(there.body);
    await call(maker, "DELETE", place(bot.id, there.body.id));
    expectFailure("putDirectChannel", await direct(), 404, "bot not found");
    await call(holder, "DELETE", `/v1/channels/${there.body.id}`);
    expectFailure("putDirectChannel", await direct(), 404, "bot not found");
  });

  it("gives a direct channel of others no name, which would stay when its owner is erased", async () => {
    const bot = await makeListed();
    const direct = (token: string) => call(token, "PUT", `/v1/channels/direct/${bot.id}`);
    const { body } = await direct(await api.ownerToken("holder-of-direct"));
    expect(body.title).toBe("Direct channel");
    expect((await direct(maker)).body.title).toBe(bot.username);
  });

  it("is not told how much the holder keeps, nor how much that may be", async () => {
    const bot = await makeListed();
    const full = await api.ownerToken("full-holder");
    const channelId = await makeRoom(full);
    await call(full, "POST", place(bot.id, channelId));
    await call(full, "POST", `/v1/channels/${channelId}/posts`, { body: "fills it" });
    while ((await api.store.runUpkeep({ kind: "count", now: Date.now() }, 100)) !== "done");
    const path = "/v1/platform/owners/full-holder";
    await call(PLATFORM_TOKEN, "PUT", path, { limits: { bytes_kept: 7 } });
    const refused = await call(bot.token, "POST", `/v1/bot-api/channels/${channelId}/posts`, {
      body: "more",
    });
    expectFailure("createBotPost", refused, 400, /holder keep as many bytes as they may/);
    expect(refused.headers.get("botyard-error")).toBe("too_many_bytes");
    expect(refused.body.error).not.toMatch(/\d/);
    const own = await call(full, "POST", `/v1/channels/${channelId}/posts`, { body: "more" });
    expect(own.body.error).toMatch(/keep \d+ bytes, and the platform lets them keep 7/);
  });

  it("is found by every owner once it is approved, and attached by one", async () => {
    const bot = await makeListed(false);
    const found = () => call(holder, "GET", `/v1/bots?q=${bot.username.toUpperCase()}`);
    expect((await found()).body).toEqual({ items: [] });
    expectFailure("getBotProfile", await call(holder, "GET", `/v1/bots/${bot.id}`), 404, "bot not found");
    const decided = await review(bot.id, "approved", "Welcome");
    expectContract("putBotReview", decided);
    expect(decided.body).toMatchObject({
      visibility: "listed",
      review: { status: "approved", note: "Welcome" },
    });
    const page = await found();
    expectContract("listListedBots", page);
    expect(page.body.items).toEqual([
      {
        id: bot.id,
        username: bot.username,
        display_name: bot.username,
        description: "",
        may_attach: true,
        is_attached_by_you: false,
      },
    ]);
    const channelId = await makeRoom();
    const attached = await call(holder, "POST", place(bot.id, channelId), { role: "member" });
    expectContract("attachBot", attached);
    expect(attached.body).toEqual({
      bot_id: bot.id,
      channel_id: channelId,
      role: "member",
      attached_by: "holder",
    });
    await ask(api, "PUT", "/v1/bot-api/commands", {
      token: bot.token,
      body: { commands: [{ name: "weather", description: "Tell it" }] },
    });
    const profile = await call(holder, "GET", `/v1/bots/${bot.id}`);
    expectContract("getBotProfile", profile);
    expect(profile.body).toMatchObject({ is_attached_by_you: true, commands: [{ name: "weather" }] });
    expect((await call(holder, "GET", `/v1/channels/${channelId}/commands`)).body.items).toHaveLength(1);
  });

  it("may be listed from its creation, which the feed tells beside", async () => {
    const username = `listed_${count++}`;
    const create = (visibility: string, name = username) =>
      call(maker, "POST", "/v1/bot-api/bots", { username: name, visibility });
    expectFailure("createBot", await create("everybody"), 400);
    const created = await create("listed");
    expectContract("createBot", created);
    const { body } = created;
    const { id } = body.bot;
    expect(body.bot.visibility).toBe("listed");
    expect((await call(maker, "GET", `/v1/bot-api/bots/${id}`)).body).toEqual(body.bot);
    await review(id);
    expect((await call(holder, "GET", `/v1/bots/${id}`)).status).toBe(200);
    expect((await create("private", `${username}_private`)).body.bot).not.toHaveProperty("visibility");
    const feed = (await call(PLATFORM_TOKEN, "GET", "/v1/platform/feed?limit=500")).body.items as FeedItem[];
    const kinds = feed.filter(({ payload }) => payload.bot_id === id).map(({ event_type }) => event_type);
    expect(kinds).toEqual(["bot.created", "bot.listed", "bot.reviewed"]);
  });

  it("shows its holder a profile and its owner a channel, and each nothing of the other", async () => {
    const bot = await makeListed();
    const channelId = await makeRoom();
    await call(holder, "POST", place(bot.id, channelId));
    await call(maker, "PUT", `/v1/bot-api/bots/${bot.id}/webhook`, { url: "https://example.com/" });
    const listed = await call(holder, "GET", `/v1/channels/${channelId}/bots`);
    expectContract("listChannelBots", listed);
    expect(listed.body.items).toEqual([
      {
        bot: expect.objectContaining({ id: bot.id, username: bot.username, display_name: bot.username }),
        role: "moderator",
        attached_by: "holder",
      },
    ]);
    expect(JSON.stringify(listed.body)).not.toMatch(/maker|example\.com|secret|created_at/);
    const { items } = (await call(maker, "GET", `/v1/bot-api/bots/${bot.id}/channels`)).body;
    expect(items).toMatchObject([{ id: channelId, title: "A room", of_another_owner: true }]);
    expect(JSON.stringify(items)).not.toMatch(/ext-|gold|holder/);
    const post = (await call(holder, "POST", `/v1/channels/${channelId}/posts`, { body: "Hello" })).body;
    const heard = async () => (await call(maker, "GET", `/v1/bot-api/bots/${bot.id}/updates`)).body.items;
    // From another cell it is carried after the answer.
    if (engine.name === "cells") await eventually("it is carried", async () => (await heard()).length > 0);
    expect((await heard())[0].payload).toMatchObject({ body: "Hello", channel_id: channelId });
    const reached = await call(holder, "GET", `/v1/channels/${channelId}/posts/${post.id}/updates`);
    expect(reached.body).toEqual({ items: [] });
  });

  it("is nobody's but its owner's to manage, and the channel its holder's", async () => {
    const bot = await makeListed();
    const channelId = await makeRoom();
    await call(holder, "POST", place(bot.id, channelId));
    const answers: string[] = [];
    for (const { operationId, method, path, tags } of operations) {
      const isOfBot = path.startsWith("/v1/bot-api/bots/{id}");
      const isOfChannel = path.startsWith("/v1/channels/{id}");
      if (tags.includes("bot-runtime") || !(isOfBot || isOfChannel)) continue;
      const url = path
        .replace("{channelId}", channelId)
        .replace("{id}", isOfBot ? bot.id : channelId)
        .replace(/\{(postId|interactionId)\}/, channelId)
        .replace("{updateId}", "1")
        .replace("{name}", "main");
      const body = bodyFor(operationId, "a-text", channelId);
      const isShared = operationId === "attachBot" || operationId === "detachBot";
      const callers = isShared ? { stranger } : { stranger, ...(isOfBot ? { holder } : { maker }) };
      for (const [who, token] of Object.entries(callers))
        answers.push(`${operationId} by the ${who}: ${(await call(token, method, url, body)).status}`);
    }
    expect(answers.filter((answer) => !answer.endsWith(": 404"))).toEqual([]);
    expect(answers.length).toBeGreaterThan(100);
    expect((await call(maker, "POST", place(bot.id, channelId), { role: "moderator" })).status).toBe(404);
  });

  it("goes when its holder or its owner says so, and the owner's name is told to nobody", async () => {
    const bot = await makeListed();
    const [first, second] = [await makeRoom(), await makeRoom()];
    for (const channelId of [first, second]) await call(holder, "POST", place(bot.id, channelId));
    await ask(api, "PUT", "/v1/bot-api/subscription", { token: bot.token, body: { event_types: ["*"] } });
    expect((await call(maker, "DELETE", place(bot.id, first))).body).toEqual({ status: "detached" });
    expect((await call(holder, "DELETE", place(bot.id, second))).body).toEqual({ status: "detached" });
    const { items } = (await ask(api, "GET", "/v1/bot-api/updates", { token: bot.token })).body;
    expect(items.map(({ payload }: { payload: { by: string } }) => payload.by)).toEqual([bot.id, "holder"]);
    expect((await call(maker, "POST", place(bot.id, first))).status).toBe(404);
  });

  it("is set with the others of a channel, and talked to alone", async () => {
    const bot = await makeListed();
    const unlisted = await makeListed(false);
    const channelId = await makeRoom();
    const own = (await call(holder, "POST", "/v1/bot-api/bots", { username: `own_${count++}` })).body.bot.id;
    const set = (ids: string[]) => call(holder, "PUT", `/v1/channels/${channelId}/bots`, { bot_ids: ids });
    const refused = await set([own, unlisted.id]);
    expectFailure("putChannelBots", refused, 400);
    expect(refused.headers.get("botyard-error")).toBe("unknown_bot");
    expect((await call(holder, "GET", `/v1/channels/${channelId}/bots`)).body.items).toEqual([]);
    expect((await set([own, bot.id])).body.attached).toEqual(
      [own, bot.id].toSorted((one, other) => (one < other ? -1 : 1)),
    );
    const page = async (after = "") => {
      const { body } = await call(holder, "GET", `/v1/channels/${channelId}/bots?limit=1${after}`);
      return body.items.map((item: { bot: { id: string } }) => item.bot.id);
    };
    // Over cells, in the order in which the cell of the channel got to know them.
    const order = engine.name === "cells" ? [own, bot.id] : [bot.id, own];
    expect([await page(), await page(`&after=${order[0]}`)]).toEqual([[order[0]], [order[1]]]);
    expect((await set([own])).body.detached).toEqual([bot.id]);
    const direct = (id: string) =>
      call(holder, "PUT", `/v1/channels/direct/${id}`, { user: { id: "u", username: "U" } });
    expect((await direct(bot.id)).status).toBe(201);
    expect((await direct(unlisted.id)).status).toBe(404);
    await call(maker, "PATCH", `/v1/bot-api/bots/${bot.id}`, { visibility: "private" });
    expect((await direct(bot.id)).status).toBe(200);
  });

  it("is pressed and answers as any other", async () => {
    const bot = await makeListed();
    const channelId = await makeRoom();
    await call(holder, "POST", place(bot.id, channelId));
    await ask(api, "PUT", "/v1/bot-api/commands", {
      token: bot.token,
      body: { commands: [{ name: "hi", description: "Greet" }] },
    });
    const pressed = await call(holder, "POST", `/v1/channels/${channelId}/interactions`, {
      user: { id: "u", username: "U" },
      kind: "command",
      bot_id: bot.id,
      command: { name: "hi" },
    });
    expect(pressed.status).toBe(201);
    const answered = await ask(api, "POST", `/v1/bot-api/interactions/${pressed.body.id}/responses`, {
      token: bot.token,
      body: { type: "post", body: "Hello" },
    });
    expect(answered.status).toBe(201);
    expect((await call(holder, "GET", `/v1/channels/${channelId}/posts`)).body.items[0].body).toBe("Hello");
  });

  it("is listed for the platform, by what it decided", async () => {
    const bot = await makeListed(false);
    const of = (state: string) =>
      call(PLATFORM_TOKEN, "GET", `/v1/platform/bots?state=${state}&q=${bot.username}`);
    const waiting = await of("waiting");
    expectContract("listReviews", waiting);
    expect(waiting.body.items).toMatchObject([{ id: bot.id, owner_user_id: "maker" }]);
    await review(bot.id, "rejected", "Says nothing");
    expect((await of("rejected")).body.items).toMatchObject([{ review: { note: "Says nothing" } }]);
    expect((await call(maker, "GET", `/v1/bot-api/bots/${bot.id}`)).body.review.note).toBe("Says nothing");
    expect((await of("waiting")).body.items).toEqual([]);
  });

  it("is found by names in any script, by the case of ASCII letters whatever that is", async () => {
    const bot = await makeListed();
    const name = "Погода ÄRGER";
    await call(maker, "PATCH", `/v1/bot-api/bots/${bot.id}`, { display_name: name });
    for (const asked of [name, "Погода", "ÄrGeR"]) {
      const { body } = await call(holder, "GET", `/v1/bots?q=${encodeURIComponent(asked)}`);
      expect(body.items).toMatchObject([{ id: bot.id }]);
      const own = await call(maker, "GET", `/v1/bot-api/bots?search=${encodeURIComponent(asked)}`);
      expect(own.body.items).toMatchObject([{ id: bot.id }]);
    }
  });

  it("says what is wrong with a request", async () => {
    const bot = await makeListed();
    const edit = (visibility: unknown) => call(maker, "PATCH", `/v1/bot-api/bots/${bot.id}`, { visibility });
    expectFailure("editBot", await edit("everybody"), 400);
    const fixed = await call(maker, "PATCH", `/v1/bot-api/bots/${bot.id}`, {
      review: { status: "approved" },
    });
    expect(fixed.headers.get("botyard-error")).toBe("field_fixed");
    for (const query of ["cursor=nothing", "q=", "limit=0", "limit=101", "q=%00"])
      expectFailure("listListedBots", await call(holder, "GET", `/v1/bots?${query}`), 400);
    const states = await call(PLATFORM_TOKEN, "GET", "/v1/platform/bots?state=maybe");
    expectFailure("listReviews", states, 400);
    expectFailure("putBotReview", await review(bot.id, "perhaps"), 400);
    expectFailure("putBotReview", await review("none"), 404);
    expectFailure(
      "putBotReview",
      await call(maker, "PUT", `/v1/platform/bots/${bot.id}/review`, { status: "approved" }),
      401,
    );
    expectFailure("listListedBots", await call(bot.token, "GET", "/v1/bots"), 401);
  });
});

describe("what a listed bot does in the channel of another owner", () => {
  const audit = async (token: string, target: string) =>
    (await call(token, "GET", `/v1/owner/audit?target=${target}`)).body.items as {
      operation: string;
      by: { type: string; id: string; token_id: string };
      request_id: string;
    }[];

  it("is in the holder's audit log, without a word of its owner", async () => {
    const bot = await makeListed();
    const room = await makeRoom();
    await call(holder, "POST", place(bot.id, room), { role: "moderator" });
    const posted = await call(holder, "POST", `/v1/channels/${room}/posts`, { body: "to be moderated" });
    const path = `/v1/bot-api/channels/${room}/posts/${posted.body.id}`;
    expect((await call(bot.token, "DELETE", path)).status).toBe(200);
    expect((await call(maker, "DELETE", place(bot.id, room))).status).toBe(200);

    const seen = (await audit(holder, room)).slice(0, 2);
    expect(seen.map(({ operation, by }) => [operation, by.type, by.id])).toEqual([
      ["detachBot", "bot", bot.id],
      ["deleteBotPost", "bot", bot.id],
    ]);
    expect(JSON.stringify(seen)).not.toContain("maker");
    expect(seen.map(({ by }) => by.token_id)).toEqual(["", ""]);
    expect((await audit(maker, room)).map(({ operation, by }) => [operation, by.id])).toEqual([
      ["detachBot", "maker"],
      // What it deletes in a channel of another cell is in the log of the channel's holder only.
      ...(engine.name === "cells" ? [] : [["deleteBotPost", bot.id]]),
    ]);
    expect(await audit(stranger, room)).toEqual([]);
  });

  it("also that it has left, because its owner deleted it, and not in a channel of that owner", async () => {
    const bot = await makeListed();
    const rooms = [await makeRoom(), await makeRoom(), await makeRoom(maker)] as const;
    for (const room of rooms)
      await call(room === rooms[2] ? maker : holder, "POST", place(bot.id, room), { role: "moderator" });
    const deleted = await call(maker, "DELETE", `/v1/bot-api/bots/${bot.id}`);
    for (const room of rooms.slice(0, 2)) {
      const [seen] = await audit(holder, room);
      expect(seen).toMatchObject({
        operation: "deleteBot",
        by: { type: "bot", id: bot.id, token_id: "" },
        target: { type: "attachment", id: bot.id, channel_id: room },
        changes: { role: { before: "moderator" } },
      });
      expect(seen?.request_id).not.toBe(deleted.headers.get("x-request-id"));
    }
    expect((await audit(maker, bot.id)).map(({ operation }) => operation).slice(0, 2)).toEqual([
      "deleteBot",
      "attachBot",
    ]);
  });

  it("does not tell that bots are of one owner, who is erased", async () => {
    const [room, bots] = [await makeRoom(), [await makeListed(), await makeListed()]];
    for (const { id } of bots) await call(holder, "POST", place(id, room));
    const erased: Answer[] = [];
    while (erased.at(-1)?.body.status !== "deleted")
      erased.push(await call(maker, "DELETE", "/v1/owner", { confirm: "maker" }));
    const seen = (await audit(holder, room)).slice(0, 2);
    expect(seen.map(({ operation }) => operation)).toEqual(["detachBot", "detachBot"]);
    expect(new Set(seen.map(({ by }) => by.id))).toEqual(new Set(bots.map(({ id }) => id)));
    const ids = [
      ...seen.map(({ request_id: id }) => id),
      ...erased.map(({ headers }) => headers.get("x-request-id")),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
