import { setTimeout as sleep } from "node:timers/promises";
import { Bot, memoryStore } from "@botyard/sdk";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import {
  hangUp,
  inTurn,
  type Script,
  type ScriptedServer,
  sayJson,
  sayNothing,
  sayText,
  startScripted,
} from "../support/scripted-server.js";

const ME = { id: "1", bot_user_id: "2", username: "echo", display_name: "Echo" };
const update = { update_id: 1, event_type: "channel.post_created", payload: { body: "x" }, created_at: "" };
let server: ScriptedServer;
afterEach(() => server.close());

describe("bot.start() at something that is not the service", () => {
  it.each<[string, Script, string]>([
    ["answers HTML", sayText(200, "<html>"), "AnswerError"],
    ["knows no such path", sayJson(404, { error: "not here" }), "ServiceError"],
    ["refuses the token", sayJson(401, { error: "no" }), "ServiceError"],
    ["hangs up", hangUp, "NetworkError"],
    ["says nothing", sayNothing, "NetworkError"],
    ["sends half of everything", sayText(200, '{"id":"1","user'), "AnswerError"],
  ])("ends with a typed error when it %s", async (_, script, name) => {
    server = await startScripted(script);
    const timeoutMs = script === sayNothing ? 100 : 30_000;
    const bot = new Bot("bot_x", { url: server.url, retries: 1, timeoutMs });
    await expect(bot.start({ store: memoryStore() })).rejects.toMatchObject({ name });
  });
});

describe("bot.start() while running", () => {
  it.each<[string, Script]>([
    ["half an answer", sayText(200, '{"items":[{"upd')],
    ["a proxy's page", sayText(502, "<html>")],
    ["a page that says it is well", sayText(200, "<html>")],
    ["a list of something else", sayJson(200, { items: [{ id: 1 }] })],
    ["a cut connection", hangUp],
    ["an error of the service", sayJson(500, { error: "internal error" })],
  ])("waits out %s", async (_, script) => {
    server = await startScripted(
      inTurn(sayJson(200, ME), script, sayJson(200, { items: [update] }), sayNothing),
    );
    const bot = new Bot("bot_x", { url: server.url });
    const heard: number[] = [];
    const failures: { error: unknown; waitMs: number }[] = [];
    bot.on("channel.post_created", (ctx) => void heard.push(ctx.update.update_id));
    const running = bot.start({ store: memoryStore(), onPollFailure: (failure) => failures.push(failure) });
    await eventually("the update is handled", () => heard.length === 1);
    expect(failures).toHaveLength(1);
    expect(failures[0]?.waitMs).toBeGreaterThanOrEqual(250);
    // The poll in flight ends with the stop.
    await eventually("the next poll waits", () => server.requests.length === 4);
    await bot.stop();
    await running;
  });

  it("waits as long as Retry-After says", async () => {
    const limit = sayJson(429, { error: "slow down" }, { "retry-after": "1" });
    server = await startScripted(inTurn(sayJson(200, ME), limit, sayNothing));
    const bot = new Bot("bot_x", { url: server.url });
    const waits: number[] = [];
    const running = bot.start({ store: memoryStore(), onPollFailure: ({ waitMs }) => waits.push(waitMs) });
    await eventually("it polls again", () => server.requests.length === 3);
    expect(waits).toEqual([1_000]);
    await bot.stop();
    await running;
  });

  it("waits even longer than a timer can hold", async () => {
    const limit = sayJson(429, { error: "slow down" }, { "retry-after": "99999999999" });
    server = await startScripted(inTurn(sayJson(200, ME), limit));
    const bot = new Bot("bot_x", { url: server.url });
    const waits: number[] = [];
    const running = bot.start({ store: memoryStore(), onPollFailure: ({ waitMs }) => waits.push(waitMs) });
    await eventually("it waits", () => waits.length === 1);
    await sleep(50);
    expect(server.requests).toHaveLength(2);
    await bot.stop();
    await running;
  });

  it("slows down when empty answers come at once", async () => {
    const polledAt: number[] = [];
    server = await startScripted((response, number) => {
      // The first poll only finds the end of the log, and does not wait.
      if (number > 2) polledAt.push(Date.now());
      const script = inTurn(sayJson(200, ME), sayJson(200, { items: [] }));
      script(response, number);
    });
    const bot = new Bot("bot_x", { url: server.url });
    const running = bot.start({ store: memoryStore() });
    await eventually("it has polled twice", () => polledAt.length === 2);
    await bot.stop();
    await running;
    const [first = 0, second = 0] = polledAt;
    expect(second - first).toBeGreaterThan(900);
  });

  it("starts no further handler after bot.catch has thrown", async () => {
    const items = [1, 2, 3].map((id) => ({ ...update, update_id: id, payload: { channel_id: String(id) } }));
    server = await startScripted(inTurn(sayJson(200, ME), sayJson(200, { items }), sayNothing));
    const begun: number[] = [];
    const bot = new Bot("bot_x", { url: server.url }).use(({ update: { update_id: id } }) => {
      begun.push(id);
      throw new Error("boom");
    });
    bot.catch((error) => {
      throw error;
    });
    const ended = bot.start({ concurrency: 1, store: memoryStore() });
    await expect(ended).rejects.toMatchObject({ name: "BotError" });
    expect(begun).toEqual([1]);
  });

  it("reports the updates that expired before they were read", async () => {
    const later = { ...update, update_id: 9 };
    server = await startScripted(inTurn(sayJson(200, ME), sayJson(200, { items: [later] }), sayNothing));
    const bot = new Bot("bot_x", { url: server.url });
    const store = memoryStore();
    await store.save({ bot_id: ME.id, offset: 5, handled: [7] });
    const expired: object[] = [];
    const running = bot.start({ store, onExpired: (range) => expired.push(range) });
    await eventually("it polls on", () => server.requests.length === 3);
    await bot.stop();
    await running;
    expect(expired).toEqual([{ first: 6, last: 8 }]);
    expect(await store.load()).toEqual({ bot_id: ME.id, offset: 9, handled: [] });
  });

  it("stops at once while it waits to retry", async () => {
    server = await startScripted(
      inTurn(sayJson(200, ME), sayJson(503, { error: "later" }, { "retry-after": "3600" })),
    );
    const bot = new Bot("bot_x", { url: server.url });
    const waits: number[] = [];
    const running = bot.start({ store: memoryStore(), onPollFailure: ({ waitMs }) => waits.push(waitMs) });
    await eventually("it waits", () => waits.length === 1);
    await bot.stop();
    await running;
    expect(waits).toEqual([300_000]);
  });

  it("reads at most 1,000 updates beyond an unhandled one", async () => {
    server = await startScripted((response, number) => {
      if (number === 1) return sayJson(200, ME)(response, number);
      const first = (number - 2) * 100;
      const items = Array.from({ length: 100 }, (_, index) => ({
        ...update,
        update_id: first + index + 1,
        payload: { channel_id: first + index === 0 ? "stuck" : "free", body: "x" },
      }));
      sayJson(200, { items })(response, number);
    });
    const bot = new Bot("bot_x", { url: server.url });
    let handled = 0;
    let letGo = () => {};
    bot.use((ctx) => {
      handled += 1;
      if (ctx.update.update_id > 1) return;
      return new Promise<void>((resolve) => {
        letGo = resolve;
      });
    });
    const running = bot.start({ store: memoryStore() });
    await eventually("it has read to the limit", () => handled === 1_000);
    expect(server.requests).toHaveLength(11);
    letGo();
    await eventually("it reads on", () => server.requests.length > 11);
    await bot.stop();
    await running;
  });
});
