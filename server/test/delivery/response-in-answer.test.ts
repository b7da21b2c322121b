import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { encodeInteraction, INTERACTION_MS } from "#botyard/domain/events/interaction.js";
import { MAX_RESPONSE_ANSWER_BYTES } from "#botyard/domain/limits.js";
import { readInteraction } from "#botyard/operations/interactions/read-interaction.js";
import { createDeliveryWorld, type DeliveryWorld, type WorldBot } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import type { Answer, Receiver } from "../support/receiver.js";
import { OWNER } from "../support/store-fixtures.js";
import { countUsage } from "../support/upkeep.js";

const answerOf = (body: unknown, status = 200, headers = {}): Answer => {
  return (response) =>
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
};
const thanks = { response: { type: "private", body: "thank you" } };

describe(`a webhook's answer to an interaction on ${engine.name}`, () => {
  let home: StoreHome;
  let world: DeliveryWorld;
  let bot: WorldBot;
  let receiver: Receiver;
  let channelId: string;
  beforeEach(async () => {
    home = await engine.createHome();
    world = createDeliveryWorld(await home.open());
    bot = await world.createBot();
    receiver = await world.startReceiver();
    await bot.putWebhook(receiver.url);
    const [channel] = await world.store.listBotChannels(bot.botId, 1);
    channelId = channel?.id ?? "";
  });
  afterEach(async () => {
    await world.close();
    await home.remove();
  });

  const interact = async (): Promise<string> => {
    const id = randomUUID();
    const createdAt = Date.now();
    const { botId } = bot;
    const user = { id: "u", username: "u" };
    const command = { name: "help", options: {} };
    const expiresAt = createdAt + INTERACTION_MS;
    const interaction = {
      id,
      kind: "command",
      channelId,
      botId,
      user,
      command,
      createdAt,
      expiresAt,
    } as const;
    const event = {
      id,
      eventType: "interaction.created",
      payload: encodeInteraction(interaction),
      createdAt,
    };
    expect(await world.store.appendInteraction({ ownerUserId: OWNER, channelId, botId, event })).toBe(true);
    return id;
  };
  const responsesTo = async (id: string) =>
    (await readInteraction(world.store, { botId: bot.botId }, id)).responses;
  const refusals = () => world.logLines.filter(({ event }) => event === "response_refused");

  it("is the bot's first response, once, however often the update is sent", async () => {
    receiver.answerWith(answerOf(thanks, 200, { "content-type": "text/plain" }));
    const id = await interact();
    world.startDispatcher();
    await bot.delivered(1);
    expect(await responsesTo(id)).toMatchObject([{ type: "private", body: "thank you" }]);
    const posted = { response: { type: "post", body: "in the room" } };
    receiver.answerWith(answerOf(posted));
    const next = await interact();
    // With the bot's own post.
    await bot.delivered(3);
    const [{ post } = {}] = await responsesTo(next);
    expect(await world.store.listPosts(channelId, 10)).toMatchObject([{ id: post?.id, body: "in the room" }]);
  });

  it("is stored before the update counts as delivered, so that a kill in between repeats it without a second response", async () => {
    let refused = true;
    receiver.answerWith(answerOf(thanks));
    const id = await interact();
    const { store } = world;
    const { recordAttempts } = store;
    store.recordAttempts = async (...parameters) => {
      if (refused) throw new Error("killed");
      return await recordAttempts(...parameters);
    };
    const first = world.startDispatcher();
    await eventually("the response is stored", async () => (await responsesTo(id)).length === 1);
    await first.stop(0);
    expect((await bot.stats()).delivered).toBe(0);
    refused = false;
    receiver.answerWith(answerOf({ response: { type: "private", body: "again" } }));
    world.startDispatcher();
    await bot.delivered(1);
    expect(receiver.requests.length).toBeGreaterThan(1);
    expect(await responsesTo(id)).toMatchObject([{ body: "thank you" }]);
  });

  it("counts for what the platform lets its owner publish: the update is sent again", async () => {
    await world.store.putOwner(OWNER, { limits: { postsPerSecond: 1 } }, Date.now());
    receiver.answerWith(answerOf({ response: { type: "post", body: "in the room" } }));
    const ids = [await interact(), await interact()];
    world.startDispatcher({ retrySchedule: [100, 1_000, 1_000] });
    for (const id of ids)
      await eventually("it has its response", async () => (await responsesTo(id)).length === 1);
    expect(receiver.requests.length).toBeGreaterThan(ids.length);
    expect(await world.store.listPosts(channelId, 10)).toHaveLength(ids.length);
    await world.store.putOwner(OWNER, { limits: { postsPerSecond: null, bytesKept: 1 } }, Date.now());
    await countUsage(world.store, Date.now() + 60_000);
    // With the bot's own posts.
    await bot.delivered(2 * ids.length);
    const last = await interact();
    await bot.delivered(2 * ids.length + 1);
    expect(await responsesTo(last)).toEqual([]);
    expect(refusals()).toMatchObject([{ code: "too_many_bytes" }]);
  });

  it("is only an answer when it has no response, is not whole, or is of another update", async () => {
    world.startDispatcher();
    const none = ["", "OK", "null", "[1]", { ok: true }, "x".repeat(2 * MAX_RESPONSE_ANSWER_BYTES)];
    for (const [index, body] of none.entries()) {
      receiver.answerWith(answerOf(body));
      const id = await interact();
      await bot.delivered(index + 1);
      expect(await responsesTo(id)).toEqual([]);
    }
    receiver.answerWith(answerOf(thanks));
    await bot.postText("a post");
    await bot.delivered(none.length + 1);
    receiver.answerWith(answerOf(thanks, 500));
    const failed = await interact();
    await eventually("it is refused", async () => (await bot.stats()).scheduled === 1);
    expect(await responsesTo(failed)).toEqual([]);
    expect(refusals()).toEqual([]);
  });

  it("that may have a response and is not whole has accepted nothing: the update is sent again", async () => {
    const big = {
      response: { type: "private", body: "x", media: [{ a: "x".repeat(MAX_RESPONSE_ANSWER_BYTES) }] },
    };
    const bytes = Buffer.byteLength(JSON.stringify(big));
    const wrong: [Answer, RegExp][] = [
      [answerOf(big), /not a whole one of at most 64 KiB/],
      [answerOf(big, 200, { "content-length": bytes }), /not a whole one of at most 64 KiB/],
      [answerOf(thanks, 200, { "content-encoding": "gzip" }), /Content-Encoding/],
      [(response) => response.writeHead(200).write('{"response":{'), /timed out/],
      [
        (response) => {
          response.writeHead(200, { "content-length": 1000 }).write('{"response":{');
          setTimeout(() => response.destroy(), 50);
        },
        /connection closed in the middle of the answer/,
      ],
    ];
    world.startDispatcher({ timeoutMs: 300, retrySchedule: [50] });
    for (const [index, [answer, error]] of wrong.entries()) {
      let isFirst = true;
      receiver.answerWith((response, request) => {
        (isFirst ? answer : answerOf(thanks))(response, request);
        isFirst = false;
      });
      const id = await interact();
      await bot.delivered(index + 1);
      expect(await responsesTo(id)).toMatchObject([{ body: "thank you" }]);
      expect((await bot.update(index + 1)).lastError).toMatch(error);
    }
    expect(refusals()).toEqual([]);
  });

  it("has accepted the update also when the response is refused, which is logged", async () => {
    receiver.answerWith(answerOf({ response: { type: "form" } }));
    const id = await interact();
    world.startDispatcher();
    await bot.delivered(1);
    expect(await responsesTo(id)).toEqual([]);
    expect(refusals()).toMatchObject([{ botId: bot.botId, interactionId: id, code: "invalid_input" }]);
    const other = await world.createBot();
    await other.putWebhook(receiver.url);
    const [channel] = await world.store.listBotChannels(other.botId, 1);
    [bot, channelId] = [other, channel?.id ?? ""];
    receiver.answerWith(answerOf('{"response": '));
    await interact();
    await bot.delivered(1);
    expect(refusals().at(-1)).toMatchObject({ botId: other.botId, code: "invalid_json" });
  });

  it("of a batch is none", async () => {
    const settings = { maxBatch: 2 };
    await world.store.putWebhook(bot.ref, { url: receiver.url, sealedSecret: null, settings }, Date.now());
    receiver.answerWith(answerOf(thanks));
    const id = await interact();
    world.startDispatcher();
    await bot.delivered(1);
    expect(await responsesTo(id)).toEqual([]);
  });
});
