import type { OwnerClient } from "@botyard/sdk";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../server/test/support/eventually.js";
import { accept, type Receiver, refuse, startReceiver } from "../../server/test/support/receiver.js";
import { seriousFindings } from "./support/axe.js";
import { useConsole } from "./support/console.js";

/** No element of these pages needs more key presses than this. */
const MOST_TABS = 40;
/** A limit against hanging, not a measurement: each key is a call of the browser, and there are hundreds. */
const PATIENCE = { timeout: 180_000 };

const under = useConsole({ WEBHOOK_RETRY_SCHEDULE: "1h" });

it("creates a bot, and opens, replays and closes a failed update, by keyboard alone", PATIENCE, async () => {
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

describe("on the smallest screen, in both themes", () => {
  let owner: OwnerClient;
  let receiver: Receiver;
  let botId: string;
  beforeAll(async () => {
    ({ owner } = under.service);
    receiver = await startReceiver();
    const channel = await owner.createChannel({ slug: "music", title: "Music" });
    botId = (await owner.createBot({ username: "radio" })).bot.id;
    await owner.attachBot(botId, channel.id);
    await owner.putWebhook(botId, { url: receiver.url });
    for (const body of ["A song", "The weather"]) await owner.createChannelPost(channel.id, { body });
    await eventually("both are delivered", async () => {
      return (await owner.getBotStats(botId)).delivered_updates === 2;
    });
  });
  afterAll(() => receiver.close());

  const open = (path: string) => under.signedIn(path, { viewport: { width: 320, height: 700 } });
  const press = async (page: Page, target: Locator) => {
    await tabTo(page, target);
    await page.keyboard.press("Enter");
  };

  it("searches an update and sends it again, by keyboard alone", PATIENCE, async () => {
    const page = await open(`/console/bots/${botId}/updates`);
    await tabTo(page, page.getByLabel("Search updates"));
    await page.keyboard.type("song");
    await page.getByTestId("searched").getByText("1 update found").waitFor();
    await expectGoodLooks(page);
    const row = page.getByRole("link", { name: "A song" });
    await press(page, row);
    const details = page.getByRole("dialog", { name: "Update 1" });
    await press(page, details.getByRole("button", { name: "Send again" }));
    await press(page, details.getByRole("button", { name: "Send it now" }));
    await details.getByText("Accepted with 200").waitFor();
    await expectGoodLooks(page);
    await page.keyboard.press("Escape");
    await details.waitFor({ state: "detached" });
    await expect.poll(() => isFocused(row)).toBe(true);
  });

  it("writes metadata, with a mistake at first, by keyboard alone", PATIENCE, async () => {
    const page = await open("/console");
    await find(page, "settings radio");
    const metadata = page.getByLabel("Metadata");
    const save = page.getByRole("button", { name: "Save", exact: true });
    await tabTo(page, metadata);
    await page.keyboard.type('{ "on": 1');
    await press(page, save);
    await page.getByText("This is not JSON").waitFor();
    await expect.poll(() => isFocused(metadata)).toBe(true);
    await expectGoodLooks(page);
    await page.keyboard.press("End");
    await page.keyboard.type(" }");
    await press(page, save);
    await page.getByText("Saved").waitFor();
    expect((await owner.getBot(botId)).metadata).toEqual({ on: 1 });
  });

  it("follows a post to its update, by keyboard alone", PATIENCE, async () => {
    const page = await open("/console");
    await find(page, "#music");
    const post = page.getByRole("listitem").filter({ hasText: "A song" });
    await press(page, post.getByRole("button", { name: "What became of it" }));
    const fate = page.getByRole("list", { name: "What became of the post in each bot" });
    await fate.getByText("Delivered").waitFor();
    await expectGoodLooks(page);
    await press(page, fate.getByRole("link", { name: "update 1" }));
    await page.getByRole("dialog", { name: "Update 1" }).getByText("Delivered, at attempt 1").waitFor();
  });
});

/** In the search over everything, the first entry that is found. */
async function find(page: Page, words: string): Promise<void> {
  await page.getByRole("main").waitFor();
  await page.keyboard.press("Control+k");
  await isFocusedSoon(page.getByRole("combobox", { name: "Find a bot" }));
  await page.keyboard.type(words);
  await page
    .getByRole("option", { selected: true })
    .filter({ hasText: /radio|Music/ })
    .waitFor();
  await page.keyboard.press("Enter");
}

async function expectGoodLooks(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await seriousFindings(page), colorScheme).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  }
}

async function isFocusedSoon(target: Locator): Promise<void> {
  await target.waitFor();
  await expect.poll(() => isFocused(target)).toBe(true);
}

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
