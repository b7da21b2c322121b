import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { PLATFORM_TOKEN, startApiForAll } from "../support/every-operation.js";
import { switchFeedOn } from "../support/feed-world.js";
import { aPost } from "../support/store-fixtures.js";

const FEED = "/v1/platform/feed";

interface Item {
  cursor: string;
  event_type: string;
  owner_user_id: string;
  payload: { body?: string; author?: { type: string } };
}

let api: RunningApi;
let world: World;
let other: World;
beforeAll(async () => {
  api = await startApiForAll();
  await switchFeedOn(api.store);
  world = await makeWorld(api);
  other = await makeWorld(api);
});
afterAll(() => api.close());

const read = async (query: string): Promise<{ body: { items: Item[]; cursor: string } }> => {
  const answer = await ask(api, "GET", `${FEED}?${query}`, { token: PLATFORM_TOKEN });
  expectContract("readFeed", answer);
  return answer;
};
const post = (by: World, body: string, author?: object) =>
  ask(api, "POST", `/v1/channels/${by.channelId}/posts`, {
    token: by.ownerToken,
    body: { body, ...(author && { author }) },
  });
const byBot = (by: World, body: string) =>
  ask(api, "POST", `/v1/bot-api/channels/${by.channelId}/posts`, { token: by.botToken, body: { body } });

describe("a filter of the feed", () => {
  it("finds what happened with one owner, and what was published by authors of one kind", async () => {
    await post(world, "of the owner");
    const ofUser = await post(world, "of a user", { id: "user-7", username: "Zoë" });
    await ask(api, "PATCH", `/v1/channels/${world.channelId}/posts/${ofUser.body.id}`, {
      token: world.ownerToken,
      body: { body: "edited" },
    });
    await byBot(world, "of a bot");
    await byBot(other, "of another's bot");
    const mine = (await read(`owner=${world.owner}`)).body.items;
    expect(new Set(mine.map((item) => item.owner_user_id))).toEqual(new Set([world.owner]));
    expect(mine.map((item) => item.event_type)).toContain("bot.attached");
    expect(mine.map(({ payload }) => payload.body).filter(Boolean)).toEqual([
      "of the owner",
      "of a user",
      "edited",
      "of a bot",
    ]);
    const users = (await read("author_type=user")).body.items;
    expect(users.map((item) => [item.event_type, item.payload.body])).toEqual([
      ["channel.post_created", "of a user"],
      ["channel.post_edited", "edited"],
    ]);
    const both = (await read(`author_type=bot&owner=${other.owner}`)).body.items;
    expect(both.map(({ payload }) => payload.body)).toEqual(["of another's bot"]);
    expect((await read("owner=nobody")).body.items).toEqual([]);
    const bad = await ask(api, "GET", `${FEED}?author_type=cat`, { token: PLATFORM_TOKEN });
    expectFailure("readFeed", bad, 400, /author_type must be one of bot, owner, user/);
    expect((await read("owner=nobody&consumer=filtered")).body.items).toEqual([]);
  });

  it("pages by its own cursors, and leaves nothing out", async () => {
    const bodies = ["one", "two", "three"];
    const start = (await read("limit=500")).body.cursor;
    for (const body of bodies) {
      await byBot(world, body);
      await post(world, "between");
    }
    let after = start;
    const found: (string | undefined)[] = [];
    for (;;) {
      const { body } = await read(`author_type=bot&limit=1&after=${after}`);
      if (body.items.length === 0) break;
      expect(body.items).toHaveLength(1);
      found.push(body.items[0]?.payload.body);
      after = body.cursor;
    }
    expect(found).toEqual(bodies);
  });

  it("answers at once where it has left out very much, and waits at the end", async () => {
    const start = (await read("limit=500")).body.cursor;
    const many = () =>
      Array.from({ length: 1_000 }, () => aPost(world.channelId, "x", { ownerUserId: world.owner }));
    for (let n = 0; n < 11; n += 1) await api.store.appendPosts(many());
    await byBot(world, "behind all of them");
    const first = await read(`author_type=bot&after=${start}&timeout=30`);
    expect(first.body.items).toEqual([]);
    expect(first.body.cursor).not.toBe(start);
    const second = await read(`author_type=bot&after=${first.body.cursor}&timeout=30`);
    expect(second.body.items.map(({ payload }) => payload.body)).toEqual(["behind all of them"]);
    const waiting = read(`author_type=bot&after=${second.body.cursor}&timeout=30`);
    await post(world, "not this one");
    await byBot(world, "but this one");
    expect((await waiting).body.items.map(({ payload }) => payload.body)).toEqual(["but this one"]);
  });

  it("is a filter of the stream too", async () => {
    const start = (await read("owner=nobody")).body.cursor;
    await post(world, "left out");
    await byBot(world, "sent");
    const response = await fetch(`${api.url}${FEED}/stream?author_type=bot&after=${start}`, {
      headers: { authorization: `Bearer ${PLATFORM_TOKEN}` },
    });
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes("live")) break;
      if (text.includes('"sent"') && !text.includes("posted")) {
        text += "posted";
        await byBot(world, "live");
      }
    }
    expect(text).not.toContain("left out");
  });
});
