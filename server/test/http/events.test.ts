import { pino } from "pino";
import { Errors } from "typebox/schema";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDispatcher } from "#botyard/delivery/dispatcher.js";
import { MAX_EVENT_PAYLOAD_BYTES } from "#botyard/domain/limits.js";
import { type RunningApi, startApi } from "../support/api.js";
import { type Ask, ask, makeWorld, post, type World } from "../support/api-client.js";
import { componentSchema, contract, expectContract, expectFailure } from "../support/contract.js";
import { eventually } from "../support/eventually.js";
import { hang, type Receiver, startReceiver } from "../support/receiver.js";
import { ANYWHERE } from "../support/senders.js";

let api: RunningApi;
let world: World;
let stopDelivery: () => Promise<void>;

beforeAll(async () => {
  api = await startApi();
  const dispatcher = createDispatcher({
    secretBox: api.secretBox,
    settings: { reach: ANYWHERE, timeoutMs: 60_000, retrySchedule: [20, 20], concurrency: 64 },
    logger: pino({ level: "silent" }),
    userAgent: "Botyard/test",
    takeResponse: async () => undefined,
  });
  dispatcher.serve(api.store);
  dispatcher.start();
  stopDelivery = () => dispatcher.stop(0);
});
afterAll(async () => {
  await stopDelivery();
  await api.close();
});
beforeEach(async () => {
  world = await makeWorld(api);
});

const asOwner = (method: string, path: string, body?: unknown, what: Ask = {}) =>
  ask(api, method, path, { token: world.ownerToken, ...(body === undefined ? {} : { body }), ...what });
const ofChannel = (path = "") => `/v1/channels/${world.channelId}${path}`;
const ofBot = (path = "") => `/v1/bot-api/bots/${world.botId}${path}`;
const subscribe = (subscription: object) => asOwner("PUT", ofBot("/subscription"), subscription);
const poll = (query = "", token = world.botToken) =>
  ask(api, "GET", `/v1/bot-api/updates${query}`, { token });
const opened = {
  event_type: "ticket.opened",
  payload: { ticket: 42, tags: ["a", "\u0001", "\\u0000", "🙂"], "": null },
};

/** The kinds of events in the bot's log. */
async function heard(): Promise<string[]> {
  const { body } = await poll();
  return body.items.map((update: { event_type: string }) => update.event_type);
}

/** Causes one event of each kind, and gives the updates in the log of the bot, which hears them all. */
async function causeAll(): Promise<{ event_type: string; payload: Record<string, unknown> }[]> {
  await asOwner("DELETE", ofBot(`/channels/${world.channelId}`));
  await subscribe({ event_types: ["*"] });
  const before = (await poll()).body.items.length;
  await asOwner("POST", ofBot(`/channels/${world.channelId}`));
  const { body: made } = await asOwner("POST", ofChannel("/posts"), { body: "first", media: [{ a: 1 }] });
  await asOwner("PATCH", ofChannel(`/posts/${made.id}`), { body: "second" });
  const { body: other } = await asOwner("POST", ofChannel("/posts"), { body: "gone" });
  await asOwner("DELETE", ofChannel(`/posts/${other.id}`));
  await asOwner("PATCH", ofChannel(), { title: "New title" });
  await asOwner("POST", ofChannel("/events"), opened);
  await asOwner("POST", ofBot("/events"), { event_type: "command.start", payload: {} });
  await asOwner("DELETE", ofBot(`/channels/${world.channelId}`));
  return (await poll(`?offset=${before}`)).body.items;
}

const ALL_KINDS = [
  "bot.attached",
  "channel.post_created",
  "channel.post_edited",
  "channel.post_created",
  "channel.post_deleted",
  "channel.updated",
  "ticket.opened",
  "command.start",
  "bot.detached",
];

const targets = [
  ["emitChannelEvent", () => ofChannel("/events")],
  ["emitBotEvent", () => ofBot("/events")],
] as const;

describe.each(targets)("%s", (operation, path) => {
  const emit = (body: unknown, what: Ask = {}) => asOwner("POST", path(), body, what);
  const expectNothingHeard = async () => expect(await heard()).toEqual([]);

  it("answers with the event, which is an update of the bot", async () => {
    const answer = await emit(opened);
    expect(answer.status).toBe(201);
    expectContract(operation, answer);
    const to = operation === "emitBotEvent" ? { bot_id: world.botId } : { channel_id: world.channelId };
    const given = { id: expect.any(String), created_at: expect.any(String) };
    expect(answer.body).toEqual({ ...opened, ...to, ...given });
    expect((await poll()).body.items).toEqual([
      { update_id: 1, ...opened, created_at: answer.body.created_at },
    ]);
  });

  it("wakes a waiting poll", async () => {
    const waiting = poll("?timeout=30");
    await eventually("it waits", () => api.polls.waiting > 0);
    await emit(opened);
    expect((await waiting).body.items).toMatchObject([{ update_id: 1, ...opened }]);
  });

  it.each([
    "ticket",
    "ticket.",
    ".opened",
    "Ticket.opened",
    "a.b.c.d.e",
    "ticket..opened",
    "ticket opened",
    "1.x",
    "a-b.c",
    "ticket.opened\n",
    `a.${"x".repeat(63)}`,
    "",
    1,
    null,
    ["a.b"],
  ])("refuses %j as event_type", async (eventType) => {
    expectFailure(operation, await emit({ ...opened, event_type: eventType }), 400, /^event_type/);
    await expectNothingHeard();
  });

  it.each(["channel.post_created", "channel.mine", "bot.attached", "webhook.test", "alert.down"])(
    "leaves %s to the service",
    async (eventType) => {
      const answer = await emit({ ...opened, event_type: eventType });
      expectFailure(
        operation,
        answer,
        400,
        /must not begin with channel\., bot\., interaction\., webhook\., alert\./,
      );
      await expectNothingHeard();
    },
  );

  it("refuses payloads that are no object, too large or too deep", async () => {
    for (const payload of [undefined, null, 1, "x", [], [{}]]) {
      expectFailure(operation, await emit({ ...opened, payload }), 400, /^payload/);
    }
    const frame = JSON.stringify({ x: "" }).length;
    const large = (bytes: number) => ({ ...opened, payload: { x: "é".repeat((bytes - frame) / 2) } });
    expect((await emit(large(MAX_EVENT_PAYLOAD_BYTES))).status).toBe(201);
    const tooLarge = await emit(large(MAX_EVENT_PAYLOAD_BYTES + 2));
    expectFailure(operation, tooLarge, 400, /^payload must be at most 32768 bytes/);
    const deep = `{"event_type":"a.b","payload":{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`;
    const tooDeep = await emit(undefined, { rawBody: deep });
    expectFailure(operation, tooDeep, 400, /^payload must not be nested deeper/);
    const infinite = await emit(undefined, { rawBody: '{"event_type":"a.b","payload":{"a":[-1e400]}}' });
    expectFailure(operation, infinite, 400, /^payload must not have numbers beyond/);
    expect(await heard()).toEqual(["ticket.opened"]);
  });

  it.each(["\\u0000", "\\\\\\u0000", "\\uD800", "\\udc00x", "x\\ud83d\\\\ude00"])(
    "refuses text like %s",
    async (text) => {
      for (const payload of [`{"a":["x${text}"]}`, `{"${text}":1}`]) {
        const answer = await emit(undefined, { rawBody: `{"event_type":"a.b","payload":${payload}}` });
        expectFailure(
          operation,
          answer,
          400,
          /^payload must not contain NUL characters or unpaired surrogates/,
        );
      }
      await expectNothingHeard();
    },
  );

  it("is emitted for a user of the owner's product", async () => {
    const author = { id: "user-7", username: "Zoë" };
    const { status, body } = await emit({ ...opened, author });
    const payload = { ...opened.payload, author: { type: "user", ...author } };
    expect([status, body.payload]).toEqual([201, payload]);
    const twice = await emit({ ...opened, payload: { author: "Zoë" }, author });
    expectFailure(operation, twice, 400, /author/);
    expectFailure(operation, await emit({ ...opened, author: { id: "user-7" } }), 400, /^author/);
  });

  it("emits once with one key", async () => {
    const headers = { "idempotency-key": "!once~" };
    const first = await emit(opened, { headers });
    const again = await emit({ event_type: "other.kind", payload: {} }, { headers });
    expectContract(operation, again);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.text).toBe(first.text);
    expect(await heard()).toEqual(["ticket.opened"]);
    const refused = await emit(opened, { headers: { "idempotency-key": "no key" } });
    expectFailure(operation, refused, 400, /^Idempotency-Key/);
  });

  it("gives 404 to other owners, and tells them nothing", async () => {
    const token = (await makeWorld(api)).ownerToken;
    expectFailure(operation, await emit(opened, { token }), 404, /not found/);
    await expectNothingHeard();
  });
});

describe("every kind of event", () => {
  it("has the payload that the interface describes for it", async () => {
    const updates = await causeAll();
    expect(updates.map(({ event_type }) => event_type)).toEqual(ALL_KINDS);
    for (const { event_type: kind, payload } of updates) {
      const schema = payloadSchema(kind);
      if (schema) expect([kind, Errors(schema, payload)[1]]).toEqual([kind, []]);
      else expect(["ticket.opened", "command.start"]).toContain(kind);
    }
    const channel = { id: world.channelId, slug: expect.any(String), title: "New title" };
    expect(updates.at(-1)?.payload).toEqual({ channel_id: world.channelId, channel, by: world.owner });
    expect(updates[2]?.payload).toMatchObject({ revision: 2, body: "second", media: [{ a: 1 }] });
  });

  it("is delivered to a webhook, and shown by a stream, as it is polled", async () => {
    const receiver = await startReceiver();
    const stream = await fetch(`${api.url}/v1/bot-api/updates/stream?offset=0`, {
      headers: { authorization: `Bearer ${world.botToken}` },
    });
    await asOwner("PUT", ofBot("/webhook"), { url: receiver.url });
    await causeAll();
    await eventually("all are delivered", () => receiver.requests.length === ALL_KINDS.length);
    const { text } = await poll();
    const bodies = receiver.requests.toSorted((a, b) => a.updateId - b.updateId).map(({ body }) => body);
    expect(bodies.map((body) => JSON.parse(body).event_type)).toEqual(ALL_KINDS);
    // A post that was deleted meanwhile may have been delivered before.
    const kept = bodies.filter((body) => !body.includes('"gone"') && !body.includes('"deleted":true'));
    expect(kept.filter((body) => !text.includes(body))).toEqual([]);
    expect(kept.length).toBeGreaterThanOrEqual(ALL_KINDS.length - 1);

    let shown = "";
    for await (const chunk of stream.body ?? []) {
      shown += Buffer.from(chunk).toString("utf8");
      if (shown.includes('"bot.detached"')) break;
    }
    expect(kept.filter((body) => !shown.includes(`data: ${body}\n`))).toEqual([]);
    await asOwner("DELETE", ofBot("/webhook"));
    await receiver.close();
  });

  it("is polled, and in the owner's history, as the interface describes it", async () => {
    await causeAll();
    expectContract("pollUpdates", await poll());
    const history = await asOwner("GET", ofBot("/updates"));
    expectContract("listBotUpdates", history);
    const { body } = history;
    expect(body.items.map(({ event_type }: { event_type: string }) => event_type)).toEqual(
      ALL_KINDS.toReversed(),
    );
  });
});

describe("a deleted post", () => {
  let receiver: Receiver;
  afterEach(() => receiver.close());

  it("is not sent with its content by a webhook that was busy when it was deleted", async () => {
    receiver = await startReceiver(hang);
    await asOwner("PUT", ofBot("/webhook"), { url: receiver.url });
    await post(api, world, "first");
    await eventually("the first one hangs", () => receiver.underWay() > 0);
    const sent: string[] = [];
    for (let count = 0; count < 40; count++) sent.push((await post(api, world, `secret ${count}`)).body.id);
    const begun = new Set(receiver.requests.map(({ updateId }) => updateId));
    const queued = sent.filter((_, index) => !begun.has(index + 2));
    expect(queued.length).toBeGreaterThan(0);
    for (const id of queued) await asOwner("DELETE", ofChannel(`/posts/${id}`));
    const before = receiver.requests.length;
    // What hangs is repeated when the receiver goes away and comes back.
    receiver.answerWith((response) => response.end());
    await asOwner("PUT", ofBot("/webhook"), { url: `${receiver.url}?again` });
    await eventually("everything is delivered", async () => {
      const { body } = await asOwner("GET", ofBot("/stats"));
      return body.delivered_updates === body.total_updates;
    });
    const later = receiver.requests
      .slice(before)
      .filter(({ body }) => queued.some((id) => body.includes(id)));
    expect(new Set(later.map(({ updateId }) => updateId)).size).toBe(queued.length);
    expect(later.filter(({ body }) => body.includes("secret"))).toEqual([]);
    expect(JSON.parse(later[0]?.body ?? "").payload).toMatchObject({ body: "", deleted: true });
  });
});

/** The payload of a kind of event as the interface describes it, if it does. */
function payloadSchema(kind: string): object | undefined {
  const name = kind
    .split(/[._]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
  const component = `${name}Payload`;
  return component in contract.components.schemas ? componentSchema(component) : undefined;
}
