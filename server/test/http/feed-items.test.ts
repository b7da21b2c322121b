import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, type Ask, ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract } from "../support/contract.js";
import { switchFeedOn } from "../support/feed-world.js";

const TOKEN = "a-token-of-the-platform-0123456789";
const FEED = "/v1/platform/feed";

interface Item {
  id: string;
  event_type: string;
  payload: Record<string, unknown>;
}

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi({
    platform: { tokens: [TOKEN], rateLimit: { burst: 10_000, perSecond: 10_000 } },
  });
  await switchFeedOn(api.store);
});
afterAll(() => api.close());
beforeEach(async () => {
  world = await makeWorld(api);
});

const asPlatform = (method: string, path: string, what: Ask = {}): Promise<Answer> =>
  ask(api, method, path, { token: TOKEN, ...what });

/** Everything in the feed that is about the world's owner. */
async function itemsOf(query = ""): Promise<Item[]> {
  const all: Item[] = [];
  let page = await asPlatform("GET", `${FEED}?limit=500${query}`);
  while (page.body.items.length > 0) {
    all.push(...page.body.items);
    page = await asPlatform("GET", `${FEED}?limit=500&after=${page.body.cursor}`);
  }
  return all.filter((item) => (item as { owner_user_id?: string }).owner_user_id === world.owner);
}

describe("the id of an item", () => {
  it("is the same for every reader, also after an edit and a deletion", async () => {
    await post(api, world, "first");
    const path = `/v1/channels/${world.channelId}/posts`;
    const token = world.ownerToken;
    const { body: other } = await ask(api, "POST", path, { token, body: { body: "second" } });
    await ask(api, "PATCH", `${path}/${other.id}`, { token, body: { body: "third" } });
    const before = await itemsOf();
    expectContract("readFeed", await asPlatform("GET", FEED));
    const ids = before.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const posts = before.filter(({ event_type: kind }) => kind === "channel.post_created");
    expect(posts.map(({ id, payload }) => id === payload.post_id)).toEqual([true, true]);

    await ask(api, "DELETE", `${path}/${other.id}`, { token });
    const consumed = await itemsOf("&consumer=another");
    expect(consumed.map(({ id }) => id).slice(0, ids.length)).toEqual(ids);
    const [deletion] = consumed.slice(ids.length);
    expect(deletion?.event_type).toBe("channel.post_deleted");
    expect(ids).not.toContain(deletion?.id);

    const stream = await fetch(`${api.url}${FEED}/stream`, { headers: { authorization: `Bearer ${TOKEN}` } });
    let text = "";
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString("utf8");
      if (text.includes(`"id":"${deletion?.id}"`)) break;
    }
    const streamed = text
      .split("\n")
      .filter((line) => line.startsWith("data: {") && line.endsWith("}"))
      .map((line) => (JSON.parse(line.slice("data: ".length)) as Item).id);
    expect(streamed.filter((id) => ids.includes(id))).toEqual(ids);
  });
});
