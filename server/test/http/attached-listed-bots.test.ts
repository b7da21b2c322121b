import { describe, expect, it } from "vitest";
import type { RunningApi } from "../support/api.js";
import { ask } from "../support/api-client.js";
import { expectContract, expectFailure, operations } from "../support/contract.js";
import { engine } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { PLATFORM_TOKEN } from "../support/every-operation.js";
import { onListingWorld, place } from "../support/listing-world.js";
import { bodyFor } from "../support/tenant-operations.js";

let api: RunningApi;
let maker: string;
let holder: string;
let stranger: string;
const { call, makeListed, makeRoom, next } = onListingWorld((world) => {
  ({ api, maker, holder, stranger } = world);
});

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
    const own = (await call(holder, "POST", "/v1/bot-api/bots", { username: `own_${next()}` })).body.bot.id;
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
});
