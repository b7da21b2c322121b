import { describe, expect, it } from "vitest";
import type { RunningApi } from "../support/api.js";
import { ask } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { PLATFORM_TOKEN } from "../support/every-operation.js";
import { onListingWorld, place } from "../support/listing-world.js";

let api: RunningApi;
let maker: string;
let holder: string;
const { call, makeListed, makeRoom, next, review } = onListingWorld((world) => {
  ({ api, maker, holder } = world);
});

type FeedItem = { event_type: string; payload: { bot_id?: string } };

describe("a listed bot", () => {
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
    const username = `listed_${next()}`;
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
