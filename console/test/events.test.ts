import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { useConsole } from "./support/console.js";
import { makePair } from "./support/pair.js";

const under = useConsole();

describe("a channel", () => {
  it("shows its bots, attaches and detaches them, also on a phone", async () => {
    const { owner } = under.service;
    const { channel } = await makePair(under.service, "people");
    const { bot: other } = await owner.createBot({
      username: "other",
      display_name: "A bot with a rather long name",
    });
    const page = await under.signedIn(`/console/channels/${channel.id}`, {
      viewport: { width: 320, height: 700 },
    });
    const bots = page.getByRole("list", { name: "Bots of this channel" });
    await bots.getByRole("link", { name: "people-bot" }).waitFor();
    await page.getByRole("combobox", { name: "Bot to attach" }).click();
    await page.getByRole("option", { name: /@other/ }).click();
    await page.getByLabel("Its role in the channel").selectOption("hears only");
    await page.getByRole("button", { name: "Attach", exact: true }).click();
    await bots.getByRole("link", { name: "A bot with a rather long name" }).waitFor();
    const roleOf = async (id: string) =>
      (await owner.listChannelBots(channel.id)).items.find((entry) => entry.bot.id === id)?.role;
    expect(await roleOf(other.id)).toBe("reader");
    await page.getByLabel("Role of @other").selectOption("moderates");
    await expect.poll(() => roleOf(other.id)).toBe("moderator");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    const detach = page.getByRole("button", { name: "Detach @other" });
    expect(await detach.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
    await bots.getByRole("link", { name: "people-bot" }).click();
    await page.getByRole("navigation", { name: "Bot" }).getByRole("link", { name: "Channels" }).click();
    const leave = page.getByRole("button", { name: "Detach from Channel people" });
    await leave.waitFor();
    const box = await leave.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320);
    expect(await leave.textContent()).toBe("Detach");
    expect(
      await leave
        .locator("span")
        .last()
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth),
    ).toBe(true);
    await owner.deleteBot(other.id);
  });

  it("emits a custom event, and is deleted after its slug is typed", async () => {
    const { owner } = under.service;
    const { channel, client } = await makePair(under.service, "tickets");
    const page = await under.signedIn(`/console/channels/${channel.id}`);
    await page.getByLabel("Kind of event").fill("Ticket");
    await page.getByRole("button", { name: "Emit" }).click();
    await page.getByText("2 to 4 lower-case names").waitFor();
    await page.getByLabel("Kind of event").fill("ticket.opened");
    await page.getByLabel("Payload").fill('{"ticket": 42}');
    await page.getByRole("button", { name: "Emit" }).click();
    await page.getByText("ticket.opened was emitted").waitFor();
    expect((await client.pollUpdates()).items).toMatchObject([
      { event_type: "ticket.opened", payload: { ticket: 42 } },
    ]);
    await page.getByRole("button", { name: "Delete the channel" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("tickets");
    await page.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByRole("heading", { name: "Channels", level: 1 }).waitFor();
    await expect(owner.getChannel(channel.id)).rejects.toMatchObject({ status: 404 });
  });

  it("gets a slug that reads like its title, in any language", async () => {
    const page = await under.signedIn("/console/channels");
    await page.getByRole("button", { name: "Create a channel" }).first().click();
    await page.getByLabel("Title").fill("Größe & Gewicht: Ærø, Łódź");
    expect(await page.getByLabel("Slug").inputValue()).toBe("grosse-gewicht-aero-lodz");
  });
});

describe("a bot's subscription", () => {
  it("is tried on the last events of a channel, set, and removed", async () => {
    const { owner } = under.service;
    const { bot, channel } = await makePair(under.service, "quiet");
    await owner.createChannelPost(channel.id, { body: "@quiet-bot are you there?" });
    await owner.createChannelPost(channel.id, { body: "nobody in particular" });
    const page = await under.signedIn(`/console/bots/${bot.id}/channels`);
    await page.getByText("Without a subscription").waitFor();
    await page.getByLabel("Only those that mention it").check();
    await page.getByRole("button", { name: "Try it on the last events" }).click();
    const rows = page.getByRole("table", { name: "Preview" }).getByRole("row");
    await rows.filter({ hasText: "are you there" }).getByText("Yes").waitFor();
    await rows.filter({ hasText: "nobody in particular" }).getByText("No", { exact: true }).waitFor();
    expect((await owner.getSubscription(bot.id)).is_default).toBe(true);

    await page.getByText("custom events only where they are named").waitFor();
    await page.getByRole("button", { name: "Set a subscription" }).click();
    await page.getByRole("button", { name: "Remove the subscription" }).waitFor();
    expect(await owner.getSubscription(bot.id)).toMatchObject({ is_default: false, posts: "mentions" });
    await page.getByRole("button", { name: "Remove the subscription" }).click();
    await page.getByText("Without a subscription").waitFor();
    expect((await owner.getSubscription(bot.id)).is_default).toBe(true);
  });

  it("is kept while it is written, and follows what others set", async () => {
    const { owner } = under.service;
    const { bot } = await makePair(under.service, "choosy");
    const page = await under.signedIn(`/console/bots/${bot.id}/channels`);
    await page.getByLabel("Only those that mention it").check();
    const tabs = page.getByRole("navigation", { name: "Bot" });
    await tabs.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Display name").waitFor();
    await owner.putSubscription(bot.id, { event_types: ["ticket.*"], posts: "all", own_posts: false });
    await tabs.getByRole("link", { name: "Channels" }).click();
    await page.getByText("ticket.*", { exact: true }).waitFor();
    expect(await page.getByLabel("Only those that mention it").isChecked()).toBe(true);
    await page.getByRole("button", { name: "Save" }).click();
    await expect
      .poll(() => owner.getSubscription(bot.id))
      .toMatchObject({ event_types: ["ticket.*"], posts: "mentions", own_posts: false });
  });
});

describe("everything of the owner", () => {
  it("is exported as lines of JSON, and erased after the user id is typed", async () => {
    const { owner } = under.service;
    const page = await under.signedIn("/console/account");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export everything" }).click(),
    ]);
    const lines = readFileSync(await download.path(), "utf8")
      .trimEnd()
      .split("\n");
    const types = lines.map((line) => (JSON.parse(line) as { type: string }).type);
    expect(new Set(types)).toEqual(
      new Set(["bot", "channel", "post", "attachment", "update", "audit", "end"]),
    );
    expect(types.at(-1)).toBe("end");

    await page.getByRole("button", { name: "Erase everything" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("alice");
    await page.getByRole("button", { name: "Erase permanently" }).click();
    await page.getByText("No bots yet").waitFor();
    expect((await owner.listBots()).items).toEqual([]);
    expect((await owner.listChannels()).items).toEqual([]);
  });
});
