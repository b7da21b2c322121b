import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDeliveryWorld, type DeliveryWorld, type WorldBot } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type Answer, hang, type ReceivedRequest, type Receiver } from "../support/receiver.js";

const RETRY_MS = 50;
const SCHEDULE = [RETRY_MS, RETRY_MS, RETRY_MS];
const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

const idsOf = ({ body }: ReceivedRequest): number[] =>
  (JSON.parse(body) as { items: { update_id: number }[] }).items.map(({ update_id: id }) => id);
const answerOf = (text: string): Answer => {
  return (response) => response.writeHead(200).end(text);
};

describe(`batched webhooks on ${engine.name}`, () => {
  let home: StoreHome;
  let world: DeliveryWorld;
  let bot: WorldBot;
  let receiver: Receiver;
  beforeEach(async () => {
    home = await engine.createHome();
    world = createDeliveryWorld(await home.open());
    bot = await world.createBot();
    receiver = await world.startReceiver();
    await setBatch(20);
  });
  afterEach(async () => {
    await world.close();
    await home.remove();
  });

  const setBatch = async (maxBatch: number) => {
    await world.store.putWebhook(
      bot.ref,
      { url: receiver.url, sealedSecret: null, settings: { maxBatch } },
      Date.now(),
    );
  };
  const sizes = (): number[] => receiver.requests.map((request) => idsOf(request).length);
  const sentWith = (updateId: number): number[][] =>
    receiver.requests.map(idsOf).filter((ids) => ids.includes(updateId));

  it("sends a backlog in full batches, by number, each update once", async () => {
    await bot.post(200);
    world.startDispatcher();
    await bot.delivered(200);
    const ids = receiver.requests.map(idsOf);
    expect(ids.flat().toSorted((a, b) => a - b)).toEqual(upTo(200));
    for (const batch of ids) expect(batch).toEqual(batch.toSorted((a, b) => a - b));
    expect(Math.max(...sizes())).toBe(20);
    expect(receiver.requests.length).toBeLessThan(20);
  });

  it("sends an idle bot's update at once, as a batch of one", async () => {
    world.startDispatcher();
    await bot.post(1);
    await bot.delivered(1);
    await bot.post(1);
    await bot.delivered(2);
    expect(receiver.requests.map(idsOf)).toEqual([[1], [2]]);
  });

  it("gathers what comes while every request is taken", async () => {
    const waiting: (() => void)[] = [];
    receiver.answerWith((response) => waiting.push(() => response.end()));
    world.startDispatcher();
    for (let i = 0; i < 4; i += 1) {
      await bot.post(1);
      await eventually("its request", () => receiver.requests.length === i + 1);
    }
    await bot.post(15);
    await sleep(100);
    expect(sizes()).toEqual([1, 1, 1, 1]);
    waiting[0]?.();
    await eventually("the rest", () => receiver.requests.length > 4);
    expect(sizes()[4]).toBe(15);
    for (const end of waiting) end();
    await bot.delivered(19);
  });

  it("ends a batch before 256 KiB", async () => {
    await setBatch(100);
    for (let i = 0; i < 100; i += 1) await bot.postText("x".repeat(4_000));
    world.startDispatcher();
    await bot.delivered(100);
    for (const { body } of receiver.requests) expect(Buffer.byteLength(body)).toBeLessThan(280 * 1024);
    expect(Math.max(...sizes())).toBeGreaterThan(50);
    expect(Math.max(...sizes())).toBeLessThan(66);
  });

  it("retries only those that the answer names", async () => {
    const refusedOnce = new Set([3, 7]);
    receiver.answerWith((response, request) => {
      const failed = idsOf(request).filter((id) => refusedOnce.delete(id));
      response.end(JSON.stringify({ failed }));
    });
    await bot.post(10);
    world.startDispatcher({ retrySchedule: SCHEDULE });
    await bot.delivered(10);
    for (const id of upTo(10)) expect(sentWith(id)).toHaveLength(id === 3 || id === 7 ? 2 : 1);
    expect(await bot.update(3)).toMatchObject({ attemptCount: 2, lastError: "answer names it as failed" });
    expect(await bot.update(4)).toMatchObject({ attemptCount: 1, lastError: "" });
  });

  it("isolates a poisonous update, and repeats the others log2 times at most", async () => {
    await setBatch(64);
    receiver.answerWith((response, request) => {
      response.writeHead(idsOf(request).includes(37) ? 422 : 200).end(request.body);
    });
    await bot.post(64);
    // A schedule that batches would have used up, if their refusals counted like others.
    world.startDispatcher({ retrySchedule: SCHEDULE });
    await bot.delivered(63);
    for (const id of upTo(64)) if (id !== 37) expect(sentWith(id).length).toBeLessThanOrEqual(7);
    const refused = sentWith(37).map((ids) => ids.length);
    for (const [index, size] of refused.entries()) {
      if (index > 0) expect(size).toBeLessThanOrEqual(Math.max(1, Math.ceil((refused[index - 1] ?? 0) / 2)));
    }
    await eventually("it to fail", async () => (await bot.stats()).failed === 1);
    expect(sentWith(37).at(-1)).toEqual([37]);
    // An answer to several may have the text of each.
    const attempts = (await world.store.listFailedAttempts(bot.ref.botId, 37)) ?? [];
    const wereAlone = sentWith(37).map((ids) => ids.length === 1);
    expect(attempts.map(({ responseBody }) => responseBody !== "")).toEqual(wereAlone);
    const before = receiver.requests.length;
    receiver.answerWith((response) => response.end());
    await bot.post(100);
    await bot.delivered(163);
    expect(Math.max(...sizes().slice(before))).toBeGreaterThan(16);
    expect(world.logLines.some(({ event }) => event === "webhook_failing")).toBe(false);
  });

  it.each([
    ["text", "ok"],
    ["a page that is large", "<html>".repeat(5_000)],
    ["other JSON", '{"ok":true}'],
    ["a list", "[1,2]"],
    ["no JSON", '{"failed"'],
    ["nobody", '{"failed":[]}'],
  ])("takes a 2xx with %s as accepting all", async (_, text) => {
    receiver.answerWith(answerOf(text));
    await bot.post(3);
    world.startDispatcher();
    await bot.delivered(3);
  });

  it.each([
    ["an unknown update", '{"failed":[9]}', "names an update that was not in it"],
    ["no numbers", '{"failed":["1"]}', "failed is no list of update_id"],
    ["no list", '{"failed":1}', "failed is no list of update_id"],
    ["all of them", '{"failed":[1,2,3]}', "answer names it as failed"],
    ["many spaces first", `${" ".repeat(20_000)}{"failed":[1]}`, "not a whole one of at most 16 KiB"],
    ["too much", `{"failed":[1],"why":"${"x".repeat(17_000)}"}`, "not a whole one of at most 16 KiB"],
    ["far too much", `{"failed":[1],"why":"${"x".repeat(70_000)}"}`, "not a whole one of at most 16 KiB"],
  ])("refuses the whole batch when the answer names %s", async (_, text, error) => {
    receiver.answerWith(answerOf(text));
    await bot.post(3);
    world.startDispatcher();
    await eventually("the failures", async () => (await bot.stats()).scheduled === 3);
    expect((await bot.update(2)).lastError).toContain(error);
  });

  it.each([
    ["hangs before its body", "", "timed out after 300 ms"],
    ["hangs in the middle of its list", '{"failed":[', "timed out after 300 ms"],
    ["hangs before its list", " ", "timed out after 300 ms"],
  ])("refuses the whole batch when the answer %s", async (_, begin, error) => {
    receiver.answerWith((response) => {
      response.writeHead(200).flushHeaders();
      if (begin !== "") response.write(begin);
    });
    await bot.post(3);
    world.startDispatcher({ timeoutMs: 300 });
    await eventually("the failures", async () => (await bot.stats()).scheduled === 3);
    expect((await bot.update(2)).lastError).toContain(error);
  });

  it("accepts a batch whose answer hangs in a text that cannot be a list", async () => {
    receiver.answerWith((response) => {
      response.writeHead(200).flushHeaders();
      response.write("ok");
    });
    await bot.post(3);
    world.startDispatcher({ timeoutMs: 300 });
    await bot.delivered(3);
  });

  it("refuses the whole batch when the answer is compressed", async () => {
    receiver.answerWith((response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync('{"failed":[1]}'));
    });
    await bot.post(3);
    world.startDispatcher();
    await eventually("the failures", async () => (await bot.stats()).scheduled === 3);
    expect((await bot.update(2)).lastError).toContain("Content-Encoding");
  });

  it("follows a change of the largest batch while the lane is held", async () => {
    world.startDispatcher();
    await bot.post(1);
    await bot.delivered(1);
    await setBatch(1);
    await bot.post(3);
    await bot.delivered(4);
    expect(receiver.requests.slice(1).map(({ updateId }) => updateId)).toEqual([2, 3, 4]);
  });

  it("loses nothing when a dispatcher is cut off in the middle of batches", async () => {
    await bot.post(100);
    receiver.answerWith(hang);
    const first = world.startDispatcher();
    await eventually("batches in flight", () => receiver.requests.length >= 4);
    await first.stop(0);
    receiver.answerWith((response) => response.end());
    world.startDispatcher();
    await bot.delivered(100);
    expect(new Set(receiver.requests.flatMap(idsOf))).toEqual(new Set(upTo(100)));
  });
});
