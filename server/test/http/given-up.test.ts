import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { expireUpdates } from "../support/upkeep.js";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  world = await makeWorld(api);
});

const publish = async (count: number) => {
  for (let n = 1; n <= count; n++) await post(api, world, `post ${n}`);
};
const asBot = (method: string, path: string, body?: object) =>
  ask(api, method, `/v1/bot-api/consumers/${path}`, { token: world.botToken, ...(body ? { body } : {}) });
const giveUp = (updateId: number | string, error = "TypeError: no", name = "main") =>
  asBot("PUT", `${name}/given-up/${updateId}`, { error });
const asOwner = (method = "GET", path = "", body?: object) =>
  ask(api, method, `/v1/bot-api/bots/${world.botId}/given-up${path}`, {
    token: world.ownerToken,
    ...(body ? { body } : {}),
  });
const listed = async () => (await asOwner()).body.items;

describe("updates that a bot gave up", () => {
  it("are listed for their owner and for the bot, the highest numbers first", async () => {
    await publish(3);
    expect(await listed()).toEqual([]);
    const answer = await giveUp(2, "TypeError: two", "Main");
    expectContract("giveUpUpdate", answer);
    expect(answer.body).toEqual({ status: "given_up" });
    await giveUp(3, "TypeError: three", "other");
    const list = await asOwner();
    expectContract("listGivenUp", list);
    expect(list.body.items).toMatchObject([
      { update_id: 3, consumer: "other", error: "TypeError: three" },
      { update_id: 2, consumer: "main", error: "TypeError: two" },
    ]);
    const own = await asBot("GET", "MAIN/given-up");
    expectContract("listMyGivenUp", own);
    expect(own.body.items).toEqual([list.body.items[1]]);
  });

  it("are handed in again, and leave the list when they are handled", async () => {
    await publish(3);
    for (const id of [1, 2, 3]) await giveUp(id);
    const handed = await asOwner("POST", "/hand-in", { update_ids: [1, 3, 99] });
    expectContract("handInGivenUp", handed);
    expect(handed.body).toEqual({ handed_in: 2 });
    const waiting = (await asBot("GET", "main/given-up")).body.items.filter(
      (item: { handed_in_at?: string }) => item.handed_in_at,
    );
    expect(waiting.map(({ update_id: id }: { update_id: number }) => id)).toEqual([3, 1]);
    const handled = await asBot("DELETE", "main/given-up/1");
    expectContract("forgetGivenUp", handled);
    expect(handled.body).toEqual({ status: "handled" });
    expectFailure("forgetGivenUp", await asBot("DELETE", "main/given-up/1"), 404);
    // Given up again, it waits for its owner again.
    await giveUp(3, "TypeError: still");
    const [third] = await listed();
    expect(third).toMatchObject({ update_id: 3, error: "TypeError: still" });
    expect(third).not.toHaveProperty("handed_in_at");
    expect((await asOwner("POST", "/hand-in", { all: true })).body).toEqual({ handed_in: 2 });
  });

  it("may be said to be given up twice at once", async () => {
    await publish(1);
    const answers = await Promise.all(Array.from({ length: 5 }, () => giveUp(1)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await listed()).toHaveLength(1);
  });

  it("are the 200 with the highest numbers", async () => {
    await publish(203);
    for (let id = 1; id <= 203; id++) await giveUp(id);
    const items = await listed();
    expect(items).toHaveLength(200);
    expect([items[0].update_id, items.at(-1).update_id]).toEqual([203, 4]);
  });

  it("leave the list when they expire", async () => {
    await publish(2);
    await giveUp(1);
    while (await expireUpdates(api.store, Date.now() + 1, 100));
    expect(await listed()).toEqual([]);
    expectFailure("giveUpUpdate", await giveUp(1), 404);
  });

  it("are refused when there is no such update, name or text", async () => {
    await publish(1);
    for (const id of [0, 2, "x", "1.5", "-1"]) expectFailure("giveUpUpdate", await giveUp(id), 404);
    expectFailure("giveUpUpdate", await giveUp(1, "x".repeat(301)), 400);
    expectFailure("giveUpUpdate", await giveUp(1, "a\0b"), 400);
    expectFailure("giveUpUpdate", await giveUp(1, "x", "a%20b"), 404);
    expectFailure("giveUpUpdate", await asBot("PUT", "main/given-up/1", {}), 400);
    for (const body of [
      {},
      { all: false },
      { update_ids: [1], all: true },
      { update_ids: [] },
      { update_ids: "all" },
    ])
      expectFailure("handInGivenUp", await asOwner("POST", "/hand-in", body), 400);
    expect(await listed()).toEqual([]);
  });

  it("are nobody else's", async () => {
    await publish(1);
    await giveUp(1);
    const other = await makeWorld(api);
    const path = `/v1/bot-api/bots/${world.botId}/given-up`;
    expectFailure("listGivenUp", await ask(api, "GET", path, { token: other.ownerToken }), 404);
    const stolen = await ask(api, "POST", `${path}/hand-in`, {
      token: other.ownerToken,
      body: { all: true },
    });
    expectFailure("handInGivenUp", stolen, 404);
    expectFailure("listGivenUp", await ask(api, "GET", path, { token: world.botToken }), 401);
    expectFailure("listGivenUp", await ask(api, "GET", path, {}), 401);
  });
});
