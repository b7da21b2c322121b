import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningApi } from "../support/api.js";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { PLATFORM_TOKEN, startApiForAll } from "../support/every-operation.js";

let api: RunningApi;
let world: World;
let other: World;
beforeAll(async () => {
  api = await startApiForAll();
  world = await makeWorld(api);
  other = await makeWorld(api);
});
afterAll(() => api.close());

const own = (method: string, path: string, body?: unknown): Promise<Answer> =>
  ask(api, method, path, { token: world.ownerToken, ...(body === undefined ? {} : { body }) });
const put = async (channels: readonly unknown[]) => {
  const answer = await own("PUT", "/v1/channels/external", { channels });
  expectContract("putExternalChannels", answer);
  expect(answer.status).toBe(200);
  return answer.body.items as { status: number; code?: string; channel?: { id: string } }[];
};
const rolesIn = async (channelId: string | undefined) =>
  (await own("GET", `/v1/channels/${channelId}/bots`)).body.items.map((one: { role: string }) => one.role);
let count = 0;
const roomId = () => `many-${(count += 1)}`;

describe("many channels in one call", () => {
  it("are created with their bots, and a repeat changes nothing", async () => {
    const wished = Array.from({ length: 1_000 }, (_, n) => ({
      external_id: `bulk-${n}`,
      title: `Room ${n}`,
      metadata: { n },
      ...(n % 2 === 0 && { bots: [{ id: world.botId, role: "member" }] }),
    }));
    const first = await put(wished);
    expect(first.map(({ status }) => status)).toEqual(wished.map(() => 201));
    expect(first[7]?.channel).toMatchObject({ external_id: "bulk-7", title: "Room 7", metadata: { n: 7 } });
    expect(await rolesIn(first[8]?.channel?.id)).toEqual(["member"]);
    expect(await rolesIn(first[7]?.channel?.id)).toEqual([]);
    const again = await put(wished);
    expect(again).toEqual(first.map((one) => ({ ...one, status: 200 })));
    const { body } = await own("GET", "/v1/channels/external/bulk-999");
    expect(body).toEqual(first[999]?.channel);
  });

  it("are changed as single calls change them", async () => {
    const id = roomId();
    const [made] = await put([{ external_id: id, title: "One", bot_ids: [world.botId] }]);
    const channelId = made?.channel?.id;
    expect(await rolesIn(channelId)).toEqual(["moderator"]);
    const changed = await put([
      { external_id: id, title: "Two", description: "x" },
      { external_id: id, title: "Three", bots: [{ id: world.botId, role: "reader" }] },
    ]);
    expect(changed.map(({ status }) => status)).toEqual([200, 200]);
    expect(changed[1]?.channel).toMatchObject({ id: channelId, title: "Three", description: "x" });
    expect(await rolesIn(channelId)).toEqual(["reader"]);
    await put([{ external_id: id, title: "Three" }]);
    expect(await rolesIn(channelId)).toEqual(["reader"]);
    await put([{ external_id: id, title: "Three", bots: [] }]);
    expect(await rolesIn(channelId)).toEqual([]);
  });

  it("fail alone, with what a call for each alone would say", async () => {
    const taken = (await own("GET", `/v1/channels/${world.channelId}`)).body.slug;
    const there = roomId();
    await put([{ external_id: there, title: "x" }]);
    const items = await put([
      { external_id: roomId(), title: "fine" },
      { external_id: roomId() },
      { title: "no id" },
      "nothing",
      { external_id: roomId(), title: "x", slug: taken },
      { external_id: there, title: "x", slug: "another-slug" },
      { external_id: roomId(), title: "x", bot_ids: [other.botId] },
      { external_id: roomId(), title: "x", bot_ids: ["no id"] },
      { external_id: roomId(), title: "x", bot_ids: [], bots: [] },
      { external_id: roomId(), title: "x", metadata: { text: "x".repeat(5_000) } },
      JSON.parse('{"external_id": "p", "title": "x", "metadata": {"__proto__": {}}}'),
      { external_id: roomId(), title: "fine too" },
    ]);
    expect(items.map(({ status, code }) => [status, code])).toEqual([
      [201, undefined],
      [400, "invalid_input"],
      [400, "invalid_input"],
      [400, "invalid_input"],
      [400, "slug_taken"],
      [400, "slug_fixed"],
      [400, "unknown_bot"],
      [400, "unknown_bot"],
      [400, "conflicting_parameters"],
      [400, "too_large"],
      [400, "invalid_json"],
      [201, undefined],
    ]);
    // A channel whose bots are refused is not made.
    expect((await own("GET", `/v1/channels/external/many-${count - 4}`)).status).toBe(404);
  });

  it("change nothing of a channel when one of its bots is unknown", async () => {
    const [id, unlisted] = [roomId(), other.botId];
    const [made] = await put([{ external_id: id, title: "One", bot_ids: [world.botId] }]);
    const [refused] = await put([{ external_id: id, title: "Two", bot_ids: [unlisted] }]);
    expect(refused).toEqual({
      status: 400,
      code: "unknown_bot",
      error: `${unlisted} is neither one of your bots nor a listed one`,
    });
    expect((await own("GET", `/v1/channels/external/${id}`)).body).toEqual(made?.channel);
    expect(await rolesIn(made?.channel?.id)).toEqual(["moderator"]);
  });

  it("tell a bot that hears of it that it is attached", async () => {
    const bot = (await own("POST", "/v1/bot-api/bots", { username: `told-${Date.now()}` })).body;
    await own("PUT", `/v1/bot-api/bots/${bot.bot.id}/subscription`, { event_types: ["bot.attached"] });
    const [made] = await put([{ external_id: roomId(), title: "Told", bot_ids: [bot.bot.id] }]);
    expect(made?.status).toBe(201);
    const updates = await ask(api, "GET", "/v1/bot-api/updates", { token: bot.token.token });
    expect(updates.body.items).toMatchObject([
      { event_type: "bot.attached", payload: { channel: { title: "Told" } } },
    ]);
  });

  it("need a list, and an owner", async () => {
    const call = (body: unknown, headers = {}, token = world.ownerToken) =>
      ask(api, "PUT", "/v1/channels/external", { token, body, headers });
    for (const body of [{}, { channels: [] }, { channels: {} }])
      expectFailure("putExternalChannels", await call(body), 400, /channels must be an array/);
    const channels = [{ external_id: "of-platform", title: "x" }];
    const bare = await call({ channels }, {}, PLATFORM_TOKEN);
    expectFailure("putExternalChannels", bare, 400, /Botyard-Owner/);
    const acting = await call({ channels }, { "botyard-owner": "carol" }, PLATFORM_TOKEN);
    expect(acting.body.items[0]).toMatchObject({ status: 201, channel: { owner_user_id: "carol" } });
    expectFailure("putExternalChannels", await call({ channels }, {}, world.botToken), 401);
  });
});
