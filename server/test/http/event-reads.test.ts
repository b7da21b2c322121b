import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract } from "../support/contract.js";
import { switchFeedOn } from "../support/feed-world.js";

const PLATFORM = "a-token-of-the-platform-0123456789";

type Fields = Record<string, unknown>;

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi({ platform: { tokens: [PLATFORM], rateLimit: { burst: 1e6, perSecond: 1e6 } } });
  await switchFeedOn(api.store);
});
afterAll(() => api.close());
beforeEach(async () => {
  world = await makeWorld(api);
});

const asOwner = (method: string, path: string, body?: object): Promise<Answer> =>
  ask(api, method, path, { token: world.ownerToken, ...(body && { body }) });
const inChannel = () => `/v1/channels/${world.channelId}/events`;
const toBot = () => `/v1/bot-api/bots/${world.botId}/events`;
const EVENT = {
  event_type: "ticket.opened",
  payload: { ticket: 42, tags: ["a", "🙂"], nothing: null },
  author: { id: "u-1", username: "ann" },
};

const OF_DELIVERY = [
  "update_id",
  "state",
  "reading",
  "webhook_attempt_count",
  "last_delivery_error",
  "next_retry_at",
];

/** What each read says of the only event, without what belongs to the reader: its number, its delivery, its place in a list. */
async function everyRead(): Promise<Record<string, Fields | undefined>> {
  const { body: polled } = await ask(api, "GET", "/v1/bot-api/updates", { token: world.botToken });
  const { body: history } = await asOwner("GET", `/v1/bot-api/bots/${world.botId}/updates`);
  const { text } = await asOwner("GET", "/v1/owner/export");
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line): Fields => JSON.parse(line) as Fields);
  const exported = lines.find(({ type }) => type === "event");
  const { body: preview } = await asOwner("POST", `/v1/bot-api/bots/${world.botId}/subscription/preview`, {
    channel_id: world.channelId,
    event_types: ["*"],
  });
  const { body: feed } = await ask(api, "GET", "/v1/platform/feed?limit=500", { token: PLATFORM });
  const told = feed.items.find(
    (item: Fields) => item.event_type === EVENT.event_type && item.owner_user_id === world.owner,
  );
  const without = (names: readonly string[], fields: Fields | undefined) =>
    fields && Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
  const { channel, ...item } = without(["cursor", "owner_user_id", "by"], told) ?? {};
  const { event, ...place } = without(["type", "cursor"], exported) ?? {};
  return {
    polled: without(["update_id"], polled.items[0]),
    history: without(OF_DELIVERY, history.items[0]),
    exported: { ...place, ...(event as Fields) },
    preview: without(["heard"], preview.items[0]),
    feed: { ...item, ...(channel ? { channel_id: (channel as Fields).id } : {}) },
  };
}

describe("what the call that emits an event answers", () => {
  const emit = {
    alone: async (path: string) => await asOwner("POST", path, EVENT),
    "in a batch": async (path: string) => {
      const target = path === toBot() ? { bot_id: world.botId } : { channel_id: world.channelId };
      const answer = await asOwner("POST", "/v1/events/batch", { events: [{ ...EVENT, ...target }] });
      return { ...answer, status: answer.body.items[0].status, body: answer.body.items[0].event };
    },
  };

  it.each(["alone", "in a batch"] as const)("has all that later reads give, %s in a channel", async (how) => {
    const { status, body } = await emit[how](inChannel());
    expect([status, body.channel_id, body.bot_id]).toEqual([201, world.channelId, undefined]);
    for (const [name, fields] of Object.entries(await everyRead())) {
      expect({ [name]: body }).toMatchObject({ [name]: fields });
      expect([name, fields?.payload]).toEqual([name, body.payload]);
    }
  });

  it.each(["alone", "in a batch"] as const)("has all that later reads give, %s to a bot", async (how) => {
    const { status, body } = await emit[how](toBot());
    expect([status, body.bot_id, body.channel_id]).toEqual([201, world.botId, undefined]);
    // The preview and the feed show what happened in channels.
    const { preview, feed, ...reads } = await everyRead();
    expect([preview, feed]).not.toContainEqual(expect.objectContaining({ event_type: EVENT.event_type }));
    for (const [name, fields] of Object.entries(reads)) {
      expect({ [name]: body }).toMatchObject({ [name]: fields });
      expect([name, fields?.payload]).toEqual([name, body.payload]);
    }
  });

  it.each([
    ["emitChannelEvent", inChannel],
    ["emitBotEvent", toBot],
  ] as const)("is the same again for the same key, of %s", async (operation, path) => {
    const call = () =>
      ask(api, "POST", path(), {
        token: world.ownerToken,
        body: EVENT,
        headers: { "Idempotency-Key": "once" },
      });
    const first = await call();
    expectContract(operation, first);
    expect((await call()).body).toEqual(first.body);
  });
});
