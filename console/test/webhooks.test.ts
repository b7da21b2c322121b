import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../server/test/support/eventually.js";
import { accept, type Receiver, refuse, startReceiver } from "../../server/test/support/receiver.js";
import { seriousFindings } from "./support/axe.js";
import { useConsole } from "./support/console.js";

const under = useConsole({ WEBHOOK_RETRY_SCHEDULE: "1h" });
let receiver: Receiver;
let audit: Receiver;
let botId: string;
let channelId: string;

beforeAll(async () => {
  [receiver, audit] = await Promise.all([startReceiver(), startReceiver(refuse(503))]);
  const { owner } = under.service;
  botId = (await owner.createBot({ username: "weather" })).bot.id;
  channelId = (await owner.createChannel({ slug: "news", title: "News" })).id;
  await owner.attachBot(botId, channelId);
  await owner.putWebhook(botId, { url: receiver.url });
});
afterAll(() => Promise.all([receiver.close(), audit.close()]));

it("a second webhook is added, watched, set, mended, tested, paused and removed beside the first", async () => {
  const { owner } = under.service;
  const at = { webhook: "audit" };
  const page = await under.signedIn(`/console/bots/${botId}/webhook`);
  const table = page.getByRole("table", { name: "Webhooks" });
  await page.getByRole("button", { name: "Add a webhook" }).click();
  expect(await table.count()).toBe(0);
  const name = page.getByRole("dialog").getByLabel("Name");
  await name.fill("not so");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("not spaces").waitFor();
  await name.fill("Default");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("The bot has one of this name").waitFor();
  await name.fill("audit");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Set the webhook audit" }).waitFor();
  await page.getByRole("textbox", { name: "URL" }).fill(audit.url);
  await page.getByRole("button", { name: "Set the webhook" }).click();
  const row = (webhook: string) => table.getByRole("row").filter({ hasText: webhook });
  await row("audit").getByText("Not tried yet").waitFor();
  expect((await owner.getWebhook(botId)).url).toBe(receiver.url);

  await owner.createChannelPost(channelId, { body: "hello" });
  await row("audit").getByText("Failing").waitFor();
  await row("default").getByText("Healthy").waitFor();
  await row("audit").getByText("503 Service Unavailable").waitFor();
  expect(await seriousFindings(page)).toEqual([]);

  const settings = page.getByRole("region", { name: "Requests of audit" });
  await settings.getByLabel("Kinds of events").fill("channel.post_created");
  await page.keyboard.press("Enter");
  const refusals = settings.getByLabel("Attempts until an update is set aside");
  expect(await refusals.count()).toBe(0);
  await settings.getByLabel("Order").selectOption("channel");
  await refusals.fill("2.5");
  await settings.getByRole("button", { name: "Apply the settings" }).click();
  await settings.getByText(/^Must be (an )?integer/).waitFor();
  expect(await refusals.getAttribute("aria-invalid")).toBe("true");
  expect(await seriousFindings(page)).toEqual([]);
  await refusals.fill("3");
  await settings.getByLabel("Updates a request").fill("10");
  await settings.getByLabel("Requests a second").fill("5");
  await settings.getByLabel("Pause after failing for").fill("never");
  await settings.getByLabel("Headers of your own").fill("X-Tenant: blue");
  await settings.getByRole("button", { name: "Apply the settings" }).click();
  await settings.getByText("Must be a duration").waitFor();
  await settings.getByLabel("Pause after failing for").fill("12h");
  await settings.getByRole("button", { name: "Apply the settings" }).click();
  await settings.getByText("Set: X-Tenant.").waitFor();
  expect(await owner.getWebhook(botId, at)).toMatchObject({
    event_types: ["channel.post_created"],
    order: "channel",
    hold_attempts: 3,
    max_batch: 10,
    max_per_second: 5,
    auto_pause: "12h",
    header_names: ["X-Tenant"],
    has_secret_token: true,
  });

  // Others have changed one field meanwhile; only what is changed here is sent.
  await owner.putWebhook(botId, { url: audit.url, max_in_flight: 4 }, at);
  await settings.getByLabel("Order").selectOption("none");
  expect(await refusals.count()).toBe(0);
  await settings.getByRole("button", { name: "Apply the settings" }).click();
  await eventually("saved", async () => (await owner.getWebhook(botId, at)).order === undefined);
  expect(await owner.getWebhook(botId, at)).toMatchObject({
    hold_attempts: 3,
    max_in_flight: 4,
    max_batch: 10,
  });

  await row("audit").getByRole("link", { name: "503 Service Unavailable" }).click();
  await page.getByRole("list", { name: "Causes" }).getByText("503 Service Unavailable").waitFor();
  const choice = page.getByRole("combobox", { name: "Webhook" });
  await choice.selectOption("default");
  await page.getByText("Everything is delivered").waitFor();
  await choice.selectOption("audit");
  audit.answerWith(accept);
  await page.getByRole("button", { name: "Replay all" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Replay", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await eventually("delivered", async () => (await owner.getWebhook(botId, at)).pending_update_count === 0);
  await page.getByText("Everything is delivered").waitFor();

  await page.goto(`${under.service.url}/console/bots/${botId}/updates?webhook=audit&update=1`);
  await page.getByRole("dialog").getByText("Attempt 1 failed: 503 Service Unavailable").waitFor();
  await page.getByRole("dialog").getByTestId("request").getByText(`POST ${audit.url}`).waitFor();

  await page.goto(`${under.service.url}/console/bots/${botId}/webhook?webhook=audit`);
  await page.getByRole("button", { name: "Send a test event" }).click();
  await page.getByText("Accepted with 200").waitFor();
  // In a batch, as it is set above.
  const sent = JSON.parse(audit.requests.at(-1)?.body ?? "");
  expect(sent.items).toMatchObject([{ event_type: "webhook.test" }]);
  await page.getByRole("button", { name: "Pause sending" }).click();
  await row("audit").getByText("Paused").waitFor();
  expect((await owner.getWebhook(botId)).paused_at).toBeUndefined();
  await page.getByRole("button", { name: "Delete the webhook" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete the webhook" }).click();
  await page.getByRole("heading", { name: "URL and secret", exact: true }).waitFor();
  expect((await owner.listWebhooks(botId)).items.map(({ name }) => name)).toEqual(["default"]);
});

it("a new secret is made while the one before signs on, and shown once", async () => {
  const { owner } = under.service;
  const hook = await startReceiver();
  const at = { webhook: "signed" };
  await owner.putWebhook(botId, { url: hook.url, secret_token: "s3cret" }, at);
  const page = await under.signedIn(`/console/bots/${botId}/webhook?webhook=signed`);
  await page.getByRole("button", { name: "Make a new secret" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Signs for another day" }).check();
  expect(await seriousFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Make a new secret" }).click();
  await dialog.getByText("The one before signs until").waitFor();
  const secret = (await dialog.getByTestId("webhook-secret").textContent()) ?? "";
  expect(secret).toMatch(/^whsec_/);
  expect(await seriousFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "I have copied the secret" }).click();
  await owner.testWebhook(botId, at);
  // The headers of Botyard are made with the one before, until it ends.
  expect(hook.requests.at(-1)?.headers["x-service-bot-api-secret-token"]).toBe("s3cret");
  await owner.deleteWebhook(botId, at);
  await hook.close();
});

it("a new URL gets the updates from a number on, and the form tells when the secret goes", async () => {
  const { owner } = under.service;
  const other = await startReceiver();
  const at = { webhook: "numbered" };
  await owner.putWebhook(
    botId,
    { url: "http://127.0.0.1:1/", secret_token: "s3cret", deliver_from: "backlog" },
    at,
  );
  for (const body of ["two", "three"]) await owner.createChannelPost(channelId, { body });
  const page = await under.signedIn(`/console/bots/${botId}/webhook?webhook=numbered`);
  const form = page.getByRole("region", { name: "URL and secret of numbered" });
  expect(await form.getByText("Not at another origin").count()).toBe(0);
  await form.getByRole("textbox", { name: "URL" }).fill(other.url);
  await form.getByText("Not at another origin").waitFor();
  await form.getByRole("combobox", { name: "Deliver" }).click();
  await page.getByRole("option", { name: "Those from a number on" }).click();
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText("The number of an update, such as 42").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await form.getByLabel("First update").fill("2");
  await form.getByRole("button", { name: "Save" }).click();
  await eventually("delivered", async () => (await owner.getWebhook(botId, at)).pending_update_count === 0);
  expect(new Set(other.requests.map(({ body }) => JSON.parse(body).update_id))).toEqual(new Set([2, 3]));
  expect(await owner.getBotStats(botId, at)).toMatchObject({
    total_updates: 3,
    delivered_updates: 2,
    skipped_updates: 1,
  });
  expect((await owner.getWebhook(botId, at)).has_secret_token).toBe(false);
  await owner.deleteWebhook(botId, at);
  await other.close();
});

it("sixteen webhooks are told apart on a phone, and none can be added", async () => {
  const { owner } = under.service;
  const { bot } = await owner.createBot({ username: "popular" });
  const names = ["default", "w".repeat(64), ...Array.from({ length: 14 }, (_, number) => `hook-${number}`)];
  const url = `${receiver.url}/${"a/long/path/".repeat(20)}`;
  for (const webhook of names) await owner.putWebhook(bot.id, { url }, { webhook });
  await owner.pauseWebhook(bot.id, { webhook: "hook-7" });
  for (const colorScheme of ["light", "dark"] as const) {
    const look = { viewport: { width: 320, height: 700 }, colorScheme };
    const page = await under.signedIn(`/console/bots/${bot.id}/webhook?webhook=hook-7`, look);
    const rows = page.getByRole("table", { name: "Webhooks" }).locator("tbody tr");
    await rows.nth(15).waitFor();
    expect(await rows.count()).toBe(16);
    expect(await page.getByRole("button", { name: "Add a webhook" }).isDisabled()).toBe(true);
    const row = rows.filter({ hasText: "hook-7" });
    await row.getByText("Paused").waitFor();
    for (const shown of [
      row.getByRole("link", { name: "hook-7" }),
      row.getByText("Paused"),
      row.getByText("0", { exact: true }),
    ]) {
      const { x = -1, width = 0 } = (await shown.boundingBox()) ?? {};
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(320);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    expect(await seriousFindings(page)).toEqual([]);
  }
});

it("alerts are sent to a URL, and stopped", async () => {
  const { owner } = under.service;
  const page = await under.signedIn("/console/account");
  const alerts = page.getByRole("region", { name: "Alerts" });
  await alerts.getByRole("textbox", { name: "URL" }).fill("example.com");
  await alerts.getByRole("button", { name: "Send alerts" }).click();
  await alerts.getByText("Begins with https:// or http://").waitFor();
  await alerts.getByRole("textbox", { name: "URL" }).fill(receiver.url);
  await alerts.getByLabel("Secret token").fill("open-sesame");
  expect(await page.getByRole("region", { name: "Requests of alerts" }).count()).toBe(0);
  await alerts.getByRole("button", { name: "Send alerts" }).click();
  await alerts.getByText("No alert was sent so far.").waitFor();
  expect(await owner.getAlerts()).toMatchObject({ url: receiver.url, has_secret_token: true });
  await alerts.getByLabel("None: anybody").check();
  await alerts.getByRole("button", { name: "Save" }).click();
  await eventually("without a secret", async () => !(await owner.getAlerts()).has_secret_token);

  const requests = page.getByRole("region", { name: "Requests of alerts" });
  await requests.getByLabel("Kinds of events").fill("webhook.pausd");
  await page.keyboard.press("Enter");
  await requests.getByLabel("Order").selectOption("bot");
  await requests.getByLabel("Attempts until an update is set aside").fill("2");
  await requests.getByLabel("Requests at once").fill("1");
  await requests.getByLabel("Headers of your own").fill("X-Team: night");
  await requests.getByRole("button", { name: "Apply the settings" }).click();
  await requests.getByText("Has webhook.pausd").waitFor();
  await requests.getByLabel("Kinds of events").press("Backspace");
  await requests.getByLabel("Kinds of events").fill("webhook.paused");
  await page.keyboard.press("Enter");
  await requests.getByRole("button", { name: "Apply the settings" }).click();
  await requests.getByText("Set: X-Team.").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  expect(await owner.getAlerts()).toMatchObject({
    url: receiver.url,
    event_types: ["webhook.paused"],
    order: "bot",
    hold_attempts: 2,
    max_in_flight: 1,
    header_names: ["X-Team"],
  });
  await alerts.getByRole("button", { name: "Stop the alerts" }).click();
  await alerts.getByRole("button", { name: "Send alerts" }).waitFor();
  expect((await owner.getAlerts()).url).toBe("");
});
