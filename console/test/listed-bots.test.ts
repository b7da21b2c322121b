import { type OwnerClient, PlatformClient } from "@botyard/sdk";
import { describe, expect, it } from "vitest";
import { useConsole } from "./support/console.js";

const PLATFORM_TOKEN = "a-token-of-the-platform-0123456789";
const under = useConsole({ PLATFORM_TOKEN });

const another = (): OwnerClient =>
  new PlatformClient(PLATFORM_TOKEN, { url: under.service.url }).as("another");

describe("a listed bot", () => {
  it("is listed on its settings, and private again", async () => {
    const { owner } = under.service;
    const { bot } = await owner.createBot({ username: "shared_bot", display_name: "Shared" });
    const page = await under.signedIn(`/console/bots/${bot.id}/settings`);
    await page.getByRole("button", { name: "List the bot" }).click();
    await page.getByRole("button", { name: "Make it private" }).waitFor();
    expect((await another().listListedBots()).items).toMatchObject([{ id: bot.id, may_attach: true }]);
    const platform = new PlatformClient(PLATFORM_TOKEN, { url: under.service.url });
    await platform.putBotReview(bot.id, { status: "rejected", note: "Says nothing about itself" });
    await page.reload();
    await page.getByText("Rejected").waitFor();
    await page.getByText("Says nothing about itself").waitFor();

    const room = await another().createChannel({ slug: "elsewhere", title: "Elsewhere" });
    await platform.putBotReview(bot.id, { status: "approved" });
    await another().attachBot(bot.id, room.id, { role: "member" });
    await page.goto(`${under.service.url}/console/bots/${bot.id}/channels`);
    await page.getByText("of another owner").waitFor();
    expect(await page.getByRole("link", { name: "Elsewhere" }).count()).toBe(0);
    await page.getByRole("button", { name: "Detach from Elsewhere" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Detach" }).click();
    await page.getByText("In no channel yet").waitFor();
    await page.goto(`${under.service.url}/console/bots/${bot.id}/settings`);
    await page.getByRole("button", { name: "Make it private" }).click();
    await page.getByRole("button", { name: "List the bot" }).waitFor();
    expect((await another().listListedBots()).items).toEqual([]);
  });

  it("is found by the holder of a channel, as a member, and leads to no page of its own", async () => {
    const { owner } = under.service;
    const { bot } = await another().createBot({ username: "weather_bot", display_name: "Weather" });
    await another().editBot(bot.id, { visibility: "listed" });
    const channel = await owner.createChannel({ slug: "with-guests", title: "With guests" });
    const page = await under.signedIn(`/console/channels/${channel.id}`);
    const chooser = page.getByRole("combobox", { name: "Bot to attach" });
    await chooser.click();
    await chooser.fill("weath");
    await page.getByRole("option", { name: "Weather (@weather_bot)" }).click();
    expect(await page.getByLabel("Its role in the channel").inputValue()).toBe("member");
    await page.getByRole("button", { name: "Attach", exact: true }).click();
    const bots = page.getByRole("list", { name: "Bots of this channel" });
    await bots.getByText("of another owner").waitFor();
    expect(await bots.getByRole("link").count()).toBe(0);
    expect((await owner.listChannelBots(channel.id)).items).toMatchObject([{ role: "member" }]);
    await page.getByRole("button", { name: "Detach @weather_bot" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Detach" }).click();
    await page.getByText("No bot is attached to this channel.").waitFor();
  });

  it("is gone from the page when it had left before it is detached, and the changes say that it has", async () => {
    const { owner } = under.service;
    const { bot } = await another().createBot({ username: "leaving_bot", display_name: "Leaving" });
    await another().editBot(bot.id, { visibility: "listed" });
    const channel = await owner.createChannel({ slug: "left", title: "Left" });
    await owner.attachBot(bot.id, channel.id, { role: "member" });
    const page = await under.signedIn(`/console/channels/${channel.id}`);
    await page.getByRole("button", { name: "Detach @leaving_bot" }).click();
    await another().detachBot(bot.id, channel.id);
    await page.getByRole("dialog").getByRole("button", { name: "Detach" }).click();
    await page.getByText("No bot is attached to this channel.").waitFor();
    await page.goto(`${under.service.url}/console/account`);
    const changes = page.getByRole("list", { name: "Recent changes" }).getByRole("listitem");
    const left = changes.filter({ hasText: `Bot ${bot.id}: role member → none` });
    expect(await left.textContent()).toContain(`bot ${bot.id}`);
    await left.getByRole("link", { name: "Channel" }).click();
    await page.getByRole("heading", { name: "Left", level: 1 }).waitFor();
  });
});
