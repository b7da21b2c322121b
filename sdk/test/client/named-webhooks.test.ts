import { afterAll, beforeAll, expect, it } from "vitest";
import { makeWorld, type RealService, startService } from "../support/service.js";

let service: RealService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

it("an owner names several webhooks of a bot, and has alerts", async () => {
  const { owner } = service;
  const { bot, channel } = await makeWorld(service);
  const at = { webhook: "audit" };
  const url = "http://127.0.0.1:1/audit";
  const wanted = { url, event_types: ["channel.*"], deliver_from: "backlog" };
  expect(await owner.putWebhook(bot.id, wanted, at)).toMatchObject({ name: "audit", url });
  await owner.createChannelPost(channel.id, { body: "hello" });
  expect((await owner.listWebhooks(bot.id)).items).toMatchObject([{ name: "audit", url }]);
  expect(await owner.getWebhook(bot.id)).toMatchObject({ url: "" });
  expect(await owner.getWebhook(bot.id, at)).toMatchObject({ event_types: ["channel.*"] });
  expect(await owner.pauseWebhook(bot.id, at)).toHaveProperty("paused_at");
  expect(await owner.testWebhook(bot.id, at)).toMatchObject({ delivered: false });
  expect(await owner.rotateWebhookSecret(bot.id, at)).toHaveProperty("secret_token");
  expect(await owner.skipUpdate(bot.id, 1, at)).toMatchObject({ state: "failed" });
  expect((await owner.listBotUpdates(bot.id, at)).items).toMatchObject([{ update_id: 1, state: "failed" }]);
  expect((await owner.listBotUpdates(bot.id)).items).toMatchObject([{ update_id: 1, state: "pending" }]);
  expect((await owner.listUpdateAttempts(bot.id, 1, at)).items).toBeInstanceOf(Array);
  expect((await owner.listWebhookErrors(bot.id, { state: "failed", ...at })).items).toHaveLength(1);
  expect((await owner.groupWebhookErrors(bot.id, at)).items).toMatchObject([{ failed: 1 }]);
  expect((await owner.readTimeline(bot.id, at)).items).toHaveLength(60);
  expect(await owner.getBotStats(bot.id, at)).toMatchObject({ terminal_failed_updates: 1 });
  expect(await owner.replayWebhook(bot.id, { update_ids: [1], ...at })).toMatchObject({ requeued: 1 });
  await expect(owner.sendUpdateAgain(bot.id, 1, at)).rejects.toMatchObject({ code: "not_delivered" });
  expect(await owner.resumeWebhook(bot.id, at)).not.toHaveProperty("paused_at");
  expect(await owner.deleteWebhook(bot.id, at)).toEqual({ status: "deleted" });
  await expect(owner.getWebhook(bot.id, at)).rejects.toMatchObject({ code: "webhook_not_found" });

  expect(await owner.putAlerts({ url })).toMatchObject({ url });
  expect(await owner.getAlerts()).toMatchObject({ url });
  expect(await owner.deleteAlerts()).toEqual({ status: "deleted" });
});
