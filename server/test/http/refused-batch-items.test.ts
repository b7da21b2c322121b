import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract } from "../support/contract.js";

const PLATFORM = "a-token-of-the-platform-0123456789";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi({ platform: { tokens: [PLATFORM], rateLimit: { burst: 1e6, perSecond: 1e6 } } });
});
afterAll(() => api.close());
beforeEach(async () => {
  world = await makeWorld(api);
  await ask(api, "PUT", "/v1/channels/external/room", { token: world.ownerToken, body: { title: "Room" } });
});

const toChannel = () => ({ channel_id: world.channelId });
const toRoom = () => ({ external_id: "room" });
const toBot = () => ({ bot_id: world.botId });
const EVENT = { event_type: "ticket.opened", payload: { ticket: 42 } };
const batches = [
  {
    operation: "createPosts",
    path: "/v1/posts/batch",
    list: "posts",
    created: "post",
    targets: [toChannel, toRoom],
    valid: { body: "first" },
    invalid: [{}, { body: " " }, { body: 7 }, { body: "x".repeat(5_000) }],
  },
  {
    operation: "emitEvents",
    path: "/v1/events/batch",
    list: "events",
    created: "event",
    targets: [toChannel, toRoom, toBot],
    valid: EVENT,
    invalid: [{}, { ...EVENT, event_type: "bot.x" }, { ...EVENT, payload: "text" }],
  },
];

describe.each(batches)(
  "an invalid item of $operation",
  ({ operation, path, list, created, targets, valid, invalid }) => {
    const send = async (items: readonly object[], token = world.ownerToken) => {
      const answer = await ask(api, "POST", path, { token, body: { [list]: items } });
      expectContract(operation, answer);
      return answer.body.items;
    };

    it("has its first result when its key was used before, whatever its target", async () => {
      for (const target of targets) {
        const named = { ...target(), idempotency_key: "once" };
        const [first] = await send([{ ...named, ...valid }]);
        expect(first.status).toBe(201);
        const again = await send(invalid.map((body) => ({ ...named, ...body })));
        const replayed = { status: 201, replayed: true, [created]: first[created] };
        expect(again).toEqual(invalid.map(() => replayed));
        if (target !== toRoom)
          expect(await send([{ ...named, ...invalid[1] }], PLATFORM)).toEqual([replayed]);
      }
    });

    it("has the result of an earlier item with its key, and leaves the others as they are", async () => {
      const target = toChannel();
      const results = await send([
        { ...target, ...invalid[1] },
        { ...target, ...valid, idempotency_key: "once" },
        { ...target, ...invalid[1], idempotency_key: "once" },
        { ...target, ...invalid[1], idempotency_key: "another" },
        { ...target, ...valid, refusal: {} },
      ]);
      expect(results.map(({ status }: { status: number }) => status)).toEqual([400, 201, 201, 400, 201]);
      expect(results[2]).toEqual({ ...results[1], replayed: true });
    });

    it("stays refused without a first result of its owner, at its target", async () => {
      const named = { ...toChannel(), idempotency_key: "once" };
      await send([{ ...named, ...valid }]);
      const other = await makeWorld(api);
      expect(await send([{ ...named, ...invalid[1] }], other.ownerToken)).toMatchObject([{ status: 400 }]);
      const unreadable = [
        { ...named, channel_id: 7 },
        { ...named, ...toRoom() },
        { ...named, channel_id: undefined, external_id: "a\0" },
        { ...named, idempotency_key: "not visible" },
        { ...named, channel_id: undefined },
        { ...named, channel_id: "unknown" },
        { ...named, ...toRoom(), channel_id: undefined },
      ];
      for (const result of await send(unreadable.map((item) => ({ ...item, ...invalid[1] })))) {
        expect(result.status).toBe(400);
      }
    });
  },
);
