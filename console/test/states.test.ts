import { BotClient } from "@botyard/sdk";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../server/test/support/eventually.js";
import { accept, type Receiver, refuse, startReceiver } from "../../server/test/support/receiver.js";
import { useConsole } from "./support/console.js";

const under = useConsole({ WEBHOOK_RETRY_SCHEDULE: "1h" });
let receiver: Receiver;
let channelId = "";
const ids: Record<string, string> = {};
const tokens: Record<string, string> = {};

beforeAll(async () => {
  const { owner, url } = under.service;
  receiver = await startReceiver(refuse(503));
  const channel = await owner.createChannel({ slug: "news", title: "News" });
  channelId = channel.id;
  for (const username of ["down", "resting", "off", "poller", "alone", "fresh"]) {
    const { bot, token } = await owner.createBot({ username });
    ids[username] = bot.id;
    tokens[username] = token.token;
    if (username !== "fresh") await owner.attachBot(bot.id, channel.id);
  }
  const { down = "", resting = "", off = "", fresh = "" } = ids;
  for (const id of [down, resting, off]) await owner.putWebhook(id, { url: receiver.url });
  await owner.pauseWebhook(resting);
  await owner.disableBot(off);
  await owner.createChannelPost(channel.id, { body: "Hello" });
  await owner.putWebhook(fresh, { url: "http://127.0.0.1:1/hook" });
  await owner.pauseWebhook(fresh);
  await new BotClient(tokens["poller"] ?? "", { url }).pollUpdates({ consumer: "main" });
  await eventually("the webhook fails", async () => (await owner.getWebhook(down)).failing_since);
});
afterAll(() => receiver.close());

/** The row of a bot in the list of all bots. */
const rowOf = (page: Page, username: string) => page.getByRole("row").filter({ hasText: `@${username}` });

/** By clicks, from any page. */
async function openBot(page: Page, username: string): Promise<void> {
  await page.getByRole("link", { name: "Bots", exact: true }).click();
  await page.getByRole("link", { name: username, exact: true }).click();
  await page.getByRole("heading", { name: username, level: 1 }).waitFor();
}

describe("the state of a bot", () => {
  it.each([
    ["down", "Failing", "503 Service Unavailable"],
    ["resting", "Paused", "for "],
    ["off", "Disabled", "for "],
    ["poller", "Polling", "last polled"],
    ["alone", "No webhook", ""],
  ])("of %s is the same in the list and on its own pages", async (username, state, cause) => {
    const page = await under.signedIn("/console");
    const row = rowOf(page, username);
    await row.getByText(state, { exact: true }).waitFor();
    expect(await row.textContent()).toContain(cause);
    expect(await row.textContent()).not.toMatch(/since|ago.*ago/);
    await page.getByRole("link", { name: username, exact: true }).click();
    const header = page.locator("main");
    await header.getByText(state, { exact: true }).first().waitFor();
    for (const tab of ["Updates", "Webhook"]) {
      await page.getByRole("navigation", { name: "Bot" }).getByRole("link", { name: tab }).click();
      await header.getByText(state, { exact: true }).first().waitFor();
      expect(await header.getByText("Not tried yet").count()).toBe(0);
    }
  });

  it("counts without a webhook what was not read: there is nothing to send", async () => {
    const page = await under.signedIn("/console");
    const waiting = (username: string) => rowOf(page, username).getByRole("cell").nth(4);
    await waiting("poller").waitFor();
    expect(await waiting("poller").textContent()).toBe("1not read yet");
    expect(await waiting("alone").textContent()).toBe("1no known reader");
    await page.getByRole("link", { name: "poller", exact: true }).click();
    await page.getByRole("table").getByRole("row").filter({ hasText: "main" }).waitFor();
    expect(await page.getByTestId("counter-Not read yet").textContent()).toBe("1");
    expect(await page.getByText("Waiting", { exact: true }).count()).toBe(0);
    await openBot(page, "alone");
    await page.getByText("nobody is known to read them").waitFor();
  });

  it.each([
    ["down", /The receiver has accepted nothing for .*503 Service Unavailable/, "sent"],
    ["resting", /The webhook has been paused for/, "sent"],
    ["off", /The bot has been disabled for/, "sent"],
    ["alone", /There is no webhook, and nobody is known to read them/, "read"],
    ["poller", /There is no webhook; the bot was last polled/, "read"],
  ])("of %s says on Errors why updates wait", async (username, reason, what) => {
    const page = await under.signedIn(`/console/bots/${ids[username]}/errors`);
    const waiting = page.getByRole("note").filter({ hasText: `1 update waits to be ${what}` });
    await waiting.getByText(reason).waitFor();
    expect(await page.getByText("Everything is delivered").count()).toBe(0);
  });

  it("draws without a webhook what was recorded, and no attempts that there were not", async () => {
    const page = await under.signedIn(`/console/bots/${ids["poller"]}`);
    await page.getByRole("img", { name: "Recorded in the last hour: 1 update" }).waitFor();
    expect(await page.getByText("Response time (p50, p99)").count()).toBe(0);
  });

  it("of an update that no webhook delivers is whether it was read, not that it is pending", async () => {
    const { url } = under.service;
    const page = await under.signedIn(`/console/bots/${ids["alone"]}/updates`);
    const update = page.getByRole("list", { name: "Updates" }).getByRole("link", { name: "Hello" });
    await update.getByText("Recorded").waitFor();
    await openBot(page, "poller");
    await page.getByRole("navigation", { name: "Bot" }).getByRole("link", { name: "Updates" }).click();
    await update.getByText("Not read yet").waitFor();
    await update.click();
    const details = page.getByRole("dialog", { name: "Update 1" });
    await details.getByText("Not handled yet by every consumer of the bot").waitFor();
    await new BotClient(tokens["poller"] ?? "", { url }).moveConsumer("main", { position: 1 });
    // By itself: the page is open.
    await details.getByText("Read and handled by every consumer of the bot").waitFor();
    await page.keyboard.press("Escape");
    await update.getByText("Read", { exact: true }).waitFor();
    expect(await page.getByText("Pending", { exact: true }).count()).toBe(0);
    await page.getByRole("link", { name: "Channels", exact: true }).first().click();
    await page.getByRole("link", { name: "News" }).click();
    await page.getByRole("button", { name: "What became of it" }).click();
    const fates = page.getByRole("list", { name: "What became of the post in each bot" });
    const fate = (username: string) => fates.getByRole("listitem").filter({ hasText: `@${username}` });
    await fate("poller").getByText("Read", { exact: true }).waitFor();
    await fate("alone").getByText("Recorded").waitFor();
    await fate("resting").getByText("Pending").waitFor();
  });

  it("of a paused bot shows its backlog in the chart too", async () => {
    const page = await under.signedIn(`/console/bots/${ids["resting"]}`);
    await page.getByText("Undelivered updates: 1 now").waitFor();
    await page.getByRole("img", { name: "Backlog in the last hour: 1 updates at the end" }).waitFor();
  });
});

describe("a bot that is deleted elsewhere", () => {
  it("is gone from its open page", async () => {
    const { owner } = under.service;
    const { bot } = await owner.createBot({ username: "mayfly" });
    const page = await under.signedIn(`/console/bots/${bot.id}`);
    await page.getByRole("heading", { name: "mayfly", level: 1 }).waitFor();
    await owner.deleteBot(bot.id);
    await page.getByRole("heading", { name: "Bot", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Your bots" }).click();
    await page.getByRole("heading", { name: "Bots", level: 1 }).waitFor();
  });
});

describe("the one action that helps", () => {
  it("resumes a paused bot, and enables a disabled one", async () => {
    const { owner } = under.service;
    const page = await under.signedIn(`/console/bots/${ids["fresh"]}`);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("main").getByText("Not tried yet").waitFor();
    expect((await owner.getWebhook(ids["fresh"] ?? "")).paused_at).toBeUndefined();
    await openBot(page, "off");
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByRole("button", { name: "Enable" }).waitFor({ state: "detached" });
    expect((await owner.getBot(ids["off"] ?? "")).disabled_at).toBeUndefined();
    await owner.disableBot(ids["off"] ?? "");
  });

  it("leads from a failing bot to the test of its webhook", async () => {
    const page = await under.signedIn(`/console/bots/${ids["down"]}`);
    await page.getByRole("link", { name: "Test the webhook" }).click();
    await page.getByRole("button", { name: "Send a test event" }).waitFor();
  });
});

describe("a receiver that was mended", () => {
  it("is followed by the header: replay is offered as soon as a test event is accepted", async () => {
    const { owner } = under.service;
    const { bot } = await owner.createBot({ username: "mended" });
    await owner.attachBot(bot.id, channelId);
    await owner.putWebhook(bot.id, { url: receiver.url });
    await owner.createChannelPost(channelId, { body: "Lost" });
    const page = await under.signedIn(`/console/bots/${bot.id}/webhook`);
    await page.getByRole("link", { name: "Test the webhook" }).waitFor();
    receiver.answerWith(accept);
    try {
      await page.getByRole("button", { name: "Send a test event" }).click();
      await page.getByText("Accepted with 200").waitFor();
      await page.getByRole("link", { name: "Replay 1", exact: true }).click();
      await page.getByRole("button", { name: "Replay all" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Replay", exact: true }).click();
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByRole("main").getByText("Healthy", { exact: true }).waitFor();
      expect(await page.getByRole("link", { name: /^Replay|^Test the webhook/ }).count()).toBe(0);
    } finally {
      receiver.answerWith(refuse(503));
      await owner.deleteBot(bot.id);
    }
  });
});

describe("the list of bots", () => {
  const names = (page: Page) => page.getByRole("row").getByText(/^@/).allTextContents();

  it("begins with what fails, is filtered by its summary, and sorted by any column", async () => {
    const page = await under.signedIn("/console");
    await rowOf(page, "down").waitFor();
    expect((await names(page))[0]).toBe("@down");
    const summary = page.getByRole("navigation", { name: "Bots by state" });
    await summary.getByRole("link", { name: "1 failing" }).click();
    await expect.poll(() => names(page)).toEqual(["@down"]);
    expect(new URL(page.url()).search).toBe("?state=failing");
    await summary.getByRole("link", { name: "All 6" }).click();
    await page.getByRole("columnheader", { name: "Bot", exact: true }).getByRole("link").click();
    const inOrder = ["@alone", "@down", "@fresh", "@off", "@poller", "@resting"];
    await expect.poll(() => names(page)).toEqual(inOrder);
    await page.getByRole("columnheader", { name: "Bot", exact: true }).getByRole("link").click();
    await expect.poll(() => names(page)).toEqual(inOrder.toReversed());
    await page.reload();
    await expect.poll(() => names(page)).toEqual(inOrder.toReversed());
  });

  it("opens a bot by a click anywhere in its row", async () => {
    const page = await under.signedIn("/console");
    const box = await rowOf(page, "alone").getByRole("cell").nth(3).boundingBox();
    await page.mouse.click((box?.x ?? 0) + 40, (box?.y ?? 0) + 10);
    await page.getByRole("heading", { name: "alone", level: 1 }).waitFor();
  });

  it("finds a bot by its name with the sign in front", async () => {
    const page = await under.signedIn("/console");
    await page.getByLabel("Search bots").fill("@RESTING");
    await expect.poll(() => names(page)).toEqual(["@resting"]);
  });

  it("pauses, resumes and attaches several bots at once", async () => {
    const { owner } = under.service;
    const second = await owner.createChannel({ slug: "second", title: "Second" });
    const page = await under.signedIn("/console");
    await page.getByLabel("Select @down").check();
    await page.getByLabel("Select @resting").check();
    await page.getByText("2 bots selected").waitFor();
    await page.getByRole("button", { name: "Pause sending" }).click();
    await rowOf(page, "down").getByText("Paused", { exact: true }).waitFor();
    await page.getByLabel("Select @down").check();
    await page.getByRole("button", { name: "Resume sending" }).click();
    await rowOf(page, "down").getByText("Failing", { exact: true }).waitFor();
    await page.getByLabel("Select @down").check();
    await page.getByLabel("Select @alone").check();
    await page.getByRole("button", { name: "Attach to a channel" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "Channel" }).click();
    await page.getByRole("option", { name: "Second (#second)" }).click();
    await dialog.getByRole("button", { name: "Attach", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    for (const id of [ids["down"] ?? "", ids["alone"] ?? ""]) {
      const { items } = await owner.listBotChannels(id);
      expect(items.map((channel) => channel.id)).toContain(second.id);
    }
  });
});

describe("several bots at once", () => {
  it("stay as they became when one of them fails, and the rest can be tried again", async () => {
    const { owner } = under.service;
    const [down = "", alone = ""] = [ids["down"], ids["alone"]];
    for (const id of [down, alone]) await owner.putWebhook(id, { url: "http://127.0.0.1:1/hook" });
    const page = await under.signedIn("/console");
    const chosen = ["@down", "@alone"].map((name) => page.getByLabel(`Select ${name}`));
    for (const box of chosen) await box.check();
    // In the order of the list: the second of them cannot be reached.
    const paused: string[] = [];
    await page.route("**/webhook/pause", async (route) => {
      const [, id = ""] = /bots\/([^/]+)\/webhook/.exec(route.request().url()) ?? [];
      if (paused.length > 0 && !paused.includes(id)) return await route.abort();
      paused.push(id);
      return await route.continue();
    });
    await page.getByRole("button", { name: "Pause sending" }).click();
    await page.getByText("The service does not answer").first().waitFor();
    await expect.poll(() => page.getByText("Paused", { exact: true }).count()).toBeGreaterThan(0);
    expect(paused).toHaveLength(1);
    const isPaused = async (id: string) => (await owner.getWebhook(id)).paused_at !== undefined;
    expect([await isPaused(down), await isPaused(alone)].filter(Boolean)).toHaveLength(1);
    await page.getByText("2 bots selected").waitFor();

    await page.unroute("**/webhook/pause");
    await page.getByRole("button", { name: "Pause sending" }).click();
    await page.getByText("2 bots selected").waitFor({ state: "detached" });
    expect([await isPaused(down), await isPaused(alone)]).toEqual([true, true]);
  });
});

describe("counters", () => {
  it("keep their colour in the dark theme, and lead to what they count", async () => {
    const page = await under.signedIn(`/console/bots/${ids["down"]}`, { colorScheme: "dark" });
    const counter = page.getByTestId("counter-Waiting");
    await counter.waitFor();
    const [red = 0, , blue = 0] = await counter.evaluate((element) =>
      (getComputedStyle(element).color.match(/\d+/g) ?? []).map(Number),
    );
    expect(red - blue).toBeGreaterThan(60);
    await page.getByRole("main").getByRole("link", { name: "Waiting" }).click();
    await page.getByRole("list", { name: "Updates" }).getByRole("listitem").first().waitFor();
    expect(new URL(page.url()).search).toBe("?state=scheduled");
  });
});
