import { BotClient } from "@botyard/sdk";
import { afterAll, describe, expect, it } from "vitest";
import { createPostgresDatabase } from "../../server/test/support/engines.js";
import { accept, refuse, startReceiver } from "../../server/test/support/receiver.js";
import { type ConsoleUnderTest, useConsole } from "./support/console.js";

const env = { WEBHOOK_RETRY_SCHEDULE: "1h" };

describe("the console covers a bot's whole life", () => {
  const under = useConsole(env);
  it("on SQLite", () => liveOneLife(under));
});

describe("the console covers a bot's whole life", () => {
  let drop = async () => {};
  // Before the one of the service, so that it runs after that.
  afterAll(() => drop());
  const under = useConsole(async () => {
    const database = await createPostgresDatabase();
    drop = database.drop;
    return { ...env, DATABASE_URL: database.url };
  });
  it("on PostgreSQL", () => liveOneLife(under));
});

async function liveOneLife(under: ConsoleUnderTest): Promise<void> {
  const { url, ownerToken } = under.service;
  const receiver = await startReceiver();
  const page = await under.open("/console", {
    context: { permissions: ["clipboard-read", "clipboard-write"] },
  });
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
  const answer = (name: string) => page.getByRole("dialog").getByRole("button", { name });
  const tab = (name: string) =>
    page.getByRole("navigation", { name: "Bot" }).getByRole("link", { name, exact: true }).click();
  const publish = async (body: string) => {
    await page.getByRole("link", { name: "Channels" }).first().click();
    await page.getByRole("link", { name: "News" }).click();
    await page.getByRole("textbox", { name: "Post" }).fill(body);
    await button("Publish").click();
    await page.getByRole("listitem").getByText(body).waitFor();
    await page.getByRole("link", { name: "Bots", exact: true }).click();
    await page.getByRole("link", { name: "weather" }).click();
  };

  await page.getByLabel("Owner token").fill(ownerToken);
  await button("Sign in").click();
  await page.getByRole("link", { name: "Channels" }).click();
  await button("Create a channel").click();
  await page.getByLabel("Title").fill("News");
  await button("Create").click();
  await page.getByText("Nothing posted yet").waitFor();

  await page.getByRole("link", { name: "Bots", exact: true }).click();
  await button("Create a bot").click();
  await page.getByLabel("Username").fill("weather");
  await button("Create").click();
  await button("Copy token").click();
  await button("Copied").waitFor();
  const token = await page.evaluate(() => navigator.clipboard.readText());
  const bot = new BotClient(token, { url });
  expect((await bot.getMe()).username).toBe("weather");
  await button("I have copied the token").click();
  await page.getByRole("link", { name: "weather" }).click();

  await tab("Channels");
  await button("Attach to a channel").click();
  await page.getByLabel("News").check();
  await button("Attach").click();
  await button("Detach from News").waitFor();
  await tab("Webhook");
  await page.getByRole("textbox", { name: "URL" }).fill(receiver.url);
  await button("Set the webhook").click();
  await button("Send a test event").click();
  await page.getByText("Accepted with 200").waitFor();

  await publish("Rain tomorrow");
  await tab("Live");
  const tail = page.getByRole("list", { name: "Live updates" });
  await tail.getByText("Rain tomorrow").waitFor();
  await bot.createBotPost((await bot.listMyChannels()).items[0]?.id ?? "", { body: "Said by the bot" });
  await tail.getByText("Said by the bot").click();
  await page.getByRole("dialog", { name: "Update 2" }).getByText("Delivered, at attempt 1").waitFor();
  await page.keyboard.press("Escape");

  receiver.answerWith(refuse(503));
  await publish("Lost on the way");
  await tab("Updates");
  await page.getByRole("link", { name: "Lost on the way" }).getByText("Retrying").click();
  const details = page.getByRole("dialog", { name: "Update 3" });
  await details.getByText("Attempt 1 failed: 503 Service Unavailable").waitFor();
  await details.getByText("Next attempt").waitFor();
  receiver.answerWith(accept);
  await details.getByRole("button", { name: "Replay" }).click();
  await details.getByText("Delivered, at attempt 2").waitFor();
  await page.keyboard.press("Escape");
  expect(receiver.requests.map(({ updateId }) => updateId)).toEqual([0, 1, 2, 3, 3]);

  await tab("Settings");
  await button("Rotate the token").click();
  await answer("Rotate the token").click();
  const newToken = (await page.getByTestId("bot-token").textContent()) ?? "";
  await expect(bot.getMe()).rejects.toMatchObject({ status: 401 });
  expect((await new BotClient(newToken, { url }).getMe()).username).toBe("weather");
  await button("I have copied the token").click();
  await button("Disable the bot").click();
  await answer("Disable the bot").click();
  await button("Enable the bot").waitFor();
  await button("Delete the bot").click();
  await page.getByRole("dialog").getByRole("textbox").fill("weather");
  await answer("Delete permanently").click();
  await page.getByText("No bots yet").waitFor();
  expect((await under.service.owner.listBots()).items).toEqual([]);
  await receiver.close();
}
