import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decodeCause, encodeCause } from "#botyard/domain/events/cause.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { environmentOf } from "../support/program.js";
import { type Receiver, refuse, startReceiver } from "../support/receiver.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const traceparent = (span: number, flags = "01") =>
  `00-${TRACE}-${span.toString(16).padStart(16, "0")}-${flags}`;

describe(`what a request said of itself, on ${engine.name}`, () => {
  let home: StoreHome;
  let service: InProcessService;
  let receiver: Receiver;
  let world: World;

  beforeEach(async () => {
    home = await engine.createHome();
    receiver = await startReceiver();
    service = await startInProcessService(home.dataDir, {
      ...home.environment,
      RATE_LIMIT_BURST: "1000000",
      WEBHOOK_RETRY_SCHEDULE: "10ms,10ms,10ms,10ms,10ms",
    });
    const { BOTYARD_TOKEN = "" } = await environmentOf("owner", service, home.dataDir);
    world = await makeWorld({ url: service.url, ownerToken: async () => BOTYARD_TOKEN });
  });
  afterEach(async () => {
    await service.stop();
    await receiver.close();
    await home.remove();
  });

  const asOwner = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(service, method, path, { token: world.ownerToken, body, headers });
  const setWebhook = () => asOwner("PUT", `/v1/bot-api/bots/${world.botId}/webhook`, { url: receiver.url });
  const saidTo = (updateId: number) => {
    const { headers } = receiver.requests.findLast((request) => request.updateId === updateId) ?? {};
    return { traceparent: headers?.["traceparent"], id: headers?.["x-request-id"] };
  };

  it("goes with the webhooks of its event, and nothing is made up", async () => {
    await asOwner("PUT", `/v1/bot-api/bots/${world.botId}/subscription`, { event_types: ["*"] });
    await setWebhook();
    const posts = `/v1/channels/${world.channelId}/posts`;
    const headers = (n: number) => ({ traceparent: traceparent(n), "x-request-id": `request-${n}` });
    const { body: post } = await asOwner("POST", posts, { body: "one" }, headers(1));
    await asOwner("PATCH", `${posts}/${post.id}`, { body: "two" }, headers(2));
    await asOwner("DELETE", `${posts}/${post.id}`, undefined, headers(3));
    const event = { event_type: "ticket.opened", payload: {} };
    await asOwner("POST", `/v1/channels/${world.channelId}/events`, event, headers(4));
    await asOwner("POST", `/v1/bot-api/bots/${world.botId}/events`, event, headers(5));
    const item = { channel_id: world.channelId };
    await asOwner("POST", "/v1/posts/batch", { posts: [{ ...item, body: "three" }] }, headers(6));
    await asOwner("POST", "/v1/events/batch", { events: [{ ...item, ...event }] }, headers(7));
    await asOwner("POST", posts, { body: "four" });
    await asOwner("POST", posts, { body: "five" }, { traceparent: "00-nothing", "x-request-id": "my id" });
    await eventually(
      "all are delivered",
      () => new Set(receiver.requests.map(({ updateId }) => updateId)).size === 9,
    );
    for (const n of [1, 2, 3, 4, 5, 6, 7])
      expect(saidTo(n), `update ${n}`).toEqual({ traceparent: traceparent(n), id: `request-${n}` });
    for (const n of [8, 9]) expect(saidTo(n)).toEqual({ traceparent: undefined, id: undefined });
  });

  it("is kept with the event, for later attempts and of a webhook that is set later", async () => {
    const path = `/v1/bot-api/channels/${world.channelId}/posts`;
    const said = { traceparent: traceparent(1, "00") };
    await ask(service, "POST", path, { token: world.botToken, body: { body: "x" }, headers: said });
    receiver.answerWith(refuse(500));
    await setWebhook();
    await eventually("it is tried again", () => receiver.requests.length >= 2);
    expect(receiver.requests.map(({ headers }) => headers["traceparent"])).toEqual(
      receiver.requests.map(() => said.traceparent),
    );
    const polled = await ask(service, "GET", "/v1/bot-api/updates", { token: world.botToken });
    expect(Object.keys(polled.body.items[0]).sort()).toEqual([
      "created_at",
      "event_type",
      "payload",
      "update_id",
    ]);
  });
});

describe("a cause", () => {
  it.each([
    [undefined, undefined, undefined],
    [traceparent(1), undefined, `${traceparent(1)} -`],
    [undefined, "a.b-c_1", "- a.b-c_1"],
    [`cc${traceparent(1).slice(2)}`, undefined, `cc${traceparent(1).slice(2)} -`],
    [`ff${traceparent(1).slice(2)}`, undefined, undefined],
    [traceparent(0), undefined, undefined],
    [traceparent(1).toUpperCase(), undefined, undefined],
    [`${traceparent(1)}-more`, "x".repeat(129), undefined],
    [traceparent(1), "a b", `${traceparent(1)} -`],
  ])("of %s and %s is %s", (trace, id, cause) => {
    expect(encodeCause(trace, id)).toBe(cause);
    if (cause === undefined) return;
    expect(encodeCause(decodeCause(cause).traceparent, decodeCause(cause).requestId)).toBe(cause);
  });
});
