import { describe, expect, it } from "vitest";
import { startReceiver } from "../../server/test/support/receiver.js";
import { useConsole } from "./support/console.js";
import { makePair } from "./support/pair.js";

const under = useConsole();

describe("settings", () => {
  it("send what was changed, and leave what others have changed meanwhile", async () => {
    const { owner } = under.service;
    const { bot } = await makePair(under.service, "shared");
    const page = await under.signedIn(`/console/bots/${bot.id}/settings`);
    await page.getByLabel("Display name").fill("Mine");
    await owner.editBot(bot.id, { description: "Theirs" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Mine", level: 1 }).waitFor();
    expect(await owner.getBot(bot.id)).toMatchObject({ display_name: "Mine", description: "Theirs" });
    await expect.poll(() => page.getByLabel("Description").inputValue()).toBe("Theirs");
  });

  it("keep what is typed while they are saved, and say what others have set meanwhile", async () => {
    const { owner } = under.service;
    const { bot } = await makePair(under.service, "typed");
    const page = await under.signedIn(`/console/bots/${bot.id}/settings`);
    const description = page.getByLabel("Description");
    const save = page.getByRole("button", { name: "Save" });
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(`**/v1/bot-api/bots/${bot.id}`, async (route) => {
      if (route.request().method() === "PATCH") await isAnswered;
      await route.continue();
    });
    await description.fill("one");
    await save.click();
    await description.fill("one two");
    answer();
    await page.getByText("Saved").waitFor();
    await page.getByRole("heading", { name: "typed-bot", level: 1 }).waitFor();
    expect((await owner.getBot(bot.id)).description).toBe("one");
    expect(await description.inputValue()).toBe("one two");
    await owner.editBot(bot.id, { description: "three" });
    await page.getByText("Meanwhile this was set to “three”: saving replaces that.").waitFor();
    await save.click();
    await expect.poll(async () => (await owner.getBot(bot.id)).description).toBe("one two");
  });

  it("of a webhook's secret keep the URL that somebody else has set meanwhile", async () => {
    const { owner } = under.service;
    const { bot } = await makePair(under.service, "moved");
    const receiver = await startReceiver();
    await owner.putWebhook(bot.id, { url: `${receiver.url}/old` });
    const page = await under.signedIn(`/console/bots/${bot.id}/webhook`);
    await page.getByLabel("Use a secret").check();
    await page.getByLabel("Secret token").fill("open-sesame");
    await owner.putWebhook(bot.id, { url: `${receiver.url}/new` });
    await page.getByText(`${receiver.url}/new`).first().waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The webhook is set").waitFor();
    expect(await owner.getWebhook(bot.id)).toMatchObject({
      url: `${receiver.url}/new`,
      has_secret_token: true,
    });
    await receiver.close();
  });

  it("of a webhook that was removed meanwhile say so, and save no other secret unasked", async () => {
    const { owner } = under.service;
    const { bot } = await makePair(under.service, "removed");
    const receiver = await startReceiver();
    await owner.putWebhook(bot.id, { url: `${receiver.url}/old`, secret_token: "open-sesame" });
    const page = await under.signedIn(`/console/bots/${bot.id}/webhook`);
    const url = page.getByRole("textbox", { name: "URL" });
    await url.fill(`${receiver.url}/new`);
    expect(await page.getByLabel("Keep the current secret").isChecked()).toBe(true);
    // The page learns of it only when the form is sent.
    const shown = JSON.stringify(await owner.getWebhook(bot.id));
    await page.evaluate(() => addEventListener("submit", () => Reflect.set(window, "isSent", true), true));
    await page.route(/\/webhook$/, async (route) => {
      const isSent = await page.evaluate(() => Reflect.has(window, "isSent"));
      if (isSent || route.request().method() !== "GET") await route.continue();
      else await route.fulfill({ contentType: "application/json", body: shown });
    });
    await owner.deleteWebhook(bot.id);
    await page.getByRole("button", { name: "Save" }).click();
    const removed = page.getByRole("alert").filter({ hasText: "The webhook was removed meanwhile" });
    await removed.getByText("has the secret chosen below").waitFor();
    expect(await owner.getWebhook(bot.id)).toMatchObject({ url: "", has_secret_token: false });
    expect(await url.inputValue()).toBe(`${receiver.url}/new`);
    expect(await page.getByLabel("Secret token").inputValue()).toMatch(/^[\w-]{43}$/);
    await page.getByRole("button", { name: "Set the webhook" }).click();
    await removed.waitFor({ state: "detached" });
    expect(await owner.getWebhook(bot.id)).toMatchObject({
      url: `${receiver.url}/new`,
      has_secret_token: true,
    });
    await page.unrouteAll({ behavior: "wait" });
    await receiver.close();
  });

  it("say which updates a new webhook gets", async () => {
    const { owner } = under.service;
    const { bot, channel } = await makePair(under.service, "late");
    await owner.createChannelPost(channel.id, { body: "before" });
    const receiver = await startReceiver();
    const page = await under.signedIn(`/console/bots/${bot.id}/webhook`);
    await page.getByRole("textbox", { name: "URL" }).fill(receiver.url);
    await page.getByRole("combobox", { name: "Deliver" }).click();
    await page.getByRole("option", { name: "Only what is recorded from now on" }).click();
    await page.getByRole("button", { name: "Set the webhook" }).click();
    await page.getByText("The webhook is set").waitFor();
    await owner.createChannelPost(channel.id, { body: "after" });
    await expect.poll(() => receiver.requests.map(({ updateId }) => updateId)).toEqual([2]);
    expect(await owner.getBotStats(bot.id)).toMatchObject({ skipped_updates: 1 });
    await receiver.close();
  });
});
