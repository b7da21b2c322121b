import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { PLATFORM_TOKEN, startApiForAll } from "../support/every-operation.js";
import { eraseUsers } from "../support/upkeep.js";

let api: RunningApi;
let world: World;
let other: World;
beforeAll(async () => {
  api = await startApiForAll();
  world = await makeWorld(api);
  other = await makeWorld(api);
});
afterAll(() => api.close());

const as = (token: string, method: string, path: string, body?: unknown) =>
  ask(api, method, path, { token, ...(body === undefined ? {} : { body }) });
/** The app of these tests runs no upkeep of its own. */
async function erase(path: string) {
  const answer = as(PLATFORM_TOKEN, "DELETE", path);
  let isDone = false;
  void answer.then(() => (isDone = true));
  while (!isDone) await eraseUsers(api.store);
  expectContract("eraseUser", await answer);
  return (await answer).body;
}

describe("erasing a user of the product", () => {
  it("erases what every owner has in their name, and says when it is done", async () => {
    const user = { id: "user/7 Ω", username: "Zoë" };
    const ada = { id: "user-8", username: "Ada" };
    for (const { ownerToken, channelId } of [world, other])
      for (const author of [user, ada])
        await as(ownerToken, "POST", `/v1/channels/${channelId}/posts`, {
          body: `by ${author.username}`,
          author,
        });
    const direct = await as(world.ownerToken, "PUT", `/v1/channels/direct/${world.botId}`, { user });
    expect(direct.status).toBe(201);
    expect(await erase(`/v1/platform/users/${encodeURIComponent(user.id)}`)).toEqual({ status: "deleted" });
    for (const { ownerToken, channelId, botToken } of [world, other]) {
      const { body } = await as(ownerToken, "GET", `/v1/channels/${channelId}/posts`);
      expect(body.items.map((post: { body: string }) => post.body)).toEqual(["by Ada"]);
      const updates = await as(botToken, "GET", "/v1/bot-api/updates");
      const texts = updates.body.items.map(({ payload }: { payload: { body: string } }) => payload.body);
      expect(texts.slice(0, 2)).toEqual(["", "by Ada"]);
      expect(JSON.stringify(updates.body)).not.toMatch(/Zoë|user\/7/);
    }
    expect((await as(world.ownerToken, "GET", `/v1/channels/${direct.body.id}`)).status).toBe(404);
    // An unknown user is nobody, whatever the case of their id.
    expect(await erase("/v1/platform/users/USER-8")).toEqual({ status: "deleted" });
    expect(
      (await as(other.ownerToken, "GET", `/v1/channels/${other.channelId}/posts`)).body.items,
    ).toHaveLength(1);
  });

  it("is the platform's alone", async () => {
    for (const token of [world.ownerToken, world.botToken])
      expectFailure("eraseUser", await as(token, "DELETE", "/v1/platform/users/user-8"), 401);
  });

  it("needs an id that a user can have", async () => {
    for (const id of ["x".repeat(300), "%00", "%E0%A4%A", "%01alice", "a%0Ab", "a%7F"])
      expectFailure("eraseUser", await as(PLATFORM_TOKEN, "DELETE", `/v1/platform/users/${id}`), 400);
    const author = { id: "a\nb", username: "Ada" };
    const post = { body: "hello", author };
    const answer = await as(world.ownerToken, "POST", `/v1/channels/${world.channelId}/posts`, post);
    expectFailure("createChannelPost", answer, 400, "author.id must not contain control characters");
  });
});
