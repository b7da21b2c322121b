import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { accept, refuse, startReceiver } from "../../server/test/support/receiver.js";
import { useConsole } from "./support/console.js";

/** No element of these pages needs more key presses than this. */
const MOST_TABS = 40;

const under = useConsole({ WEBHOOK_RETRY_SCHEDULE: "1h" });

it("creates a bot, and opens, replays and closes a failed update, by keyboard alone", async () => {
  const { owner } = under.service;
  const receiver = await startReceiver(refuse(502));
  const channel = await owner.createChannel({ slug: "news", title: "News" });
  const page = await under.signedIn("/console");
  const press = async (target: Locator, key = "Enter") => {
    await tabTo(page, target);
    await page.keyboard.press(key);
  };
  const button = (name: string) => page.getByRole("button", { name, exact: true });

  await page.getByText("No bots yet").waitFor();
  await press(button("Create a bot"));
  await page.getByRole("dialog").waitFor();
  await tabTo(page, page.getByLabel("Username"));
  await page.keyboard.type("weather");
  await page.keyboard.press("Enter");
  await page.getByTestId("bot-token").waitFor();
  await press(button("I have copied the token"));
  await page.getByRole("dialog").waitFor({ state: "detached" });

  const [bot] = (await owner.listBots()).items;
  const botId = bot?.id ?? "";
  await owner.attachBot(botId, channel.id);
  await owner.putWebhook(botId, { url: receiver.url });
  await owner.createChannelPost(channel.id, { body: "Lost on the way" });
  await press(page.getByRole("link", { name: "weather", exact: true }));
  await press(page.getByRole("navigation", { name: "Bot" }).getByRole("link", { name: "Updates" }));
  const row = page.getByRole("link", { name: "Lost on the way" });
  await row.getByText("Retrying").waitFor();
  receiver.answerWith(accept);
  await press(row);
  const details = page.getByRole("dialog", { name: "Update 1" });
  await details.getByText("Attempt 1 failed: 502 Bad Gateway").waitFor();
  await press(details.getByRole("button", { name: "Replay" }));
  await details.getByText("Delivered, at attempt 2").waitFor();
  await page.keyboard.press("Escape");
  await details.waitFor({ state: "detached" });
  await expect.poll(() => isFocused(row)).toBe(true);
  await receiver.close();
});

async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    if (await isFocused(target)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${String(target)} is not reached by ${MOST_TABS} tabs`);
}

function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement);
}
