import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { recordOutcomes } from "../support/store-fixtures.js";

let api: RunningApi;
let world: World;

beforeAll(async () => {
  api = await startApi();
  world = await makeWorld(api);
});
afterAll(() => api.close());

const asOwner = (method: string, path: string, body?: unknown) =>
  ask(api, method, path, { token: world.ownerToken, ...(body === undefined ? {} : { body }) });
const channel = (path: string) => `/v1/channels/${world.channelId}${path}`;
const publish = async (body: string): Promise<string> =>
  (await asOwner("POST", channel("/posts"), { body })).body.id;
const addBot = async (username: string): Promise<string> => {
  const { id } = (await asOwner("POST", "/v1/bot-api/bots", { username })).body.bot;
  expect((await asOwner("POST", `/v1/bot-api/bots/${id}/channels/${world.channelId}`)).status).toBe(200);
  return id;
};

describe("what became of a post", () => {
  it("is told for each bot of its channel: its update, or that it did not hear it", async () => {
    const postId = await publish("for the first bot");
    const picky = await addBot("picky");
    const subscription = { event_types: ["channel.post_created"], posts: "mentions" };
    expect((await asOwner("PUT", `/v1/bot-api/bots/${picky}/subscription`, subscription)).status).toBe(200);
    const late = await addBot("late");
    const second = await publish("for the first and the last");
    await asOwner("PUT", `/v1/bot-api/bots/${world.botId}/webhook`, { url: "https://example.com/hook" });
    const failed = { failureCount: 0, attemptedAt: Date.now(), failure: { error: "502 Bad Gateway" } };
    const attempts = [{ updateId: 2, ...failed }];
    await recordOutcomes(api.store, [{ destinationId: world.botId, nextFreshId: 3, attempts }]);

    const first = await asOwner("GET", channel(`/posts/${postId}/updates`));
    expectContract("listPostUpdates", first);
    expect(first.body.items).toMatchObject([
      { bot: { id: world.botId, username: world.username }, update: { update_id: 1, state: "pending" } },
      { bot: { id: picky } },
      { bot: { id: late } },
    ]);
    expect(first.body.items[1]).not.toHaveProperty("update");
    expect(first.body.items[2]).not.toHaveProperty("update");

    const { items } = (await asOwner("GET", channel(`/posts/${second}/updates`))).body;
    const failure = { update_id: 2, state: "failed", last_delivery_error: "502 Bad Gateway" };
    expect(items[0].update).toMatchObject({ ...failure, channel_id: world.channelId });
    expect(items[0].update).not.toHaveProperty("payload");
    expect(items[2].update).toMatchObject({ update_id: 1, state: "pending" });
    expect([first.body.items[0].reading, items[0].reading, items[2].reading]).toEqual([
      undefined,
      undefined,
      "unknown",
    ]);

    const page = await asOwner("GET", channel(`/posts/${second}/updates?limit=1&after=${picky}`));
    expect(page.body.items).toEqual([items[2]]);
  });

  it("is told to the holder of the channel alone, of a post that is there", async () => {
    const postId = await publish("to be deleted");
    const path = channel(`/posts/${postId}/updates`);
    const token = (await makeWorld(api)).ownerToken;
    expectFailure("listPostUpdates", await ask(api, "GET", path, { token }), 404, "channel not found");
    expectFailure("listPostUpdates", await asOwner("GET", `${path}?after=nobody`), 400, "after");
    await asOwner("DELETE", channel(`/posts/${postId}`));
    expectFailure("listPostUpdates", await asOwner("GET", path), 404, "post not found");
    expectFailure(
      "listPostUpdates",
      await asOwner("GET", channel("/posts/x/updates")),
      404,
      "post not found",
    );
  });
});
