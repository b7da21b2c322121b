import { BotClient } from "@botyard/sdk";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accept, refuse } from "../../server/test/support/receiver.js";
import { rowOf, useBotsInStates } from "./support/bots-in-states.js";
import { useConsole } from "./support/console.js";

const under = useConsole({ WEBHOOK_RETRY_SCHEDULE: "1h" });
const bots = useBotsInStates(under);
const { ids, tokens } = bots;

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
    await owner.attachBot(bot.id, bots.channelId);
    await owner.putWebhook(bot.id, { url: bots.receiver.url });
    await owner.createChannelPost(bots.channelId, { body: "Lost" });
    const page = await under.signedIn(`/console/bots/${bot.id}/webhook`);
    await page.getByRole("link", { name: "Test the webhook" }).waitFor();
    bots.receiver.answerWith(accept);
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
      bots.receiver.answerWith(refuse(503));
      await owner.deleteBot(bot.id);
    }
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
