import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { eventually } from "../../server/test/support/eventually.js";
import { startReceiver } from "../../server/test/support/receiver.js";
import { seriousFindings } from "./support/axe.js";
import { useConsole } from "./support/console.js";
import { makePair } from "./support/pair.js";

const under = useConsole();

describe("a channel", () => {
  it("publishes media, edits and deletes posts", async () => {
    const { owner } = under.service;
    const { channel, client } = await makePair(under.service, "news");
    const page = await under.signedIn(`/console/channels/${channel.id}`);
    await page.getByRole("textbox", { name: "Post", exact: true }).fill("Doors open at seven");
    await page.getByRole("button", { name: "Add media" }).click();
    await page.getByLabel("Media").fill("[1]");
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByText("A JSON list of objects").first().waitFor();
    await page.getByLabel("Media").fill('[{"type":"image","url":"https://example.com/door.jpg"}]');
    await page.getByRole("button", { name: "Publish" }).click();
    const post = page.getByRole("list", { name: "Posts" }).getByRole("listitem");
    await post.getByText("https://example.com/door.jpg").waitFor();

    await page.getByRole("button", { name: "Edit the post" }).click();
    await page.getByLabel("Text of the post").fill("Doors open at eight");
    await post.getByRole("button", { name: "Save" }).click();
    await post.getByText("Doors open at eight").waitFor();
    await post.getByText(/edited/).waitFor();
    const [stored] = (await owner.listChannelPosts(channel.id)).items;
    expect(stored).toMatchObject({ body: "Doors open at eight", revision: 2, media: [{ type: "image" }] });

    await page.getByRole("button", { name: "Delete the post" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete the post?" });
    await dialog.getByRole("blockquote").getByText("Doors open at eight").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Nothing posted yet").waitFor();
    expect((await client.pollUpdates()).items).toMatchObject([{ payload: { body: "", deleted: true } }]);
  });

  it("adds new posts on request: no row moves, and its bin deletes the post beside it", async () => {
    const { owner } = under.service;
    const { channel } = await makePair(under.service, "busy");
    const publish = async (...bodies: string[]) => {
      for (const body of bodies) await owner.createChannelPost(channel.id, { body });
    };
    await publish("keep this", "delete this", "the newest");
    const page = await under.signedIn(`/console/channels/${channel.id}`);
    const posts = page.getByRole("list", { name: "Posts" }).getByRole("listitem");
    const row = posts.filter({ hasText: "delete this" });
    const before = await row.boundingBox();
    await publish("new 1", "new 2");
    const show = page.getByRole("button", { name: "Show 2 new posts" });
    await show.waitFor();
    expect(await row.boundingBox()).toEqual(before);
    expect(await posts.count()).toBe(3);
    await row.getByRole("button", { name: "Delete the post" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete the post?" });
    await dialog.getByRole("blockquote").getByText("delete this").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    await posts.filter({ hasText: "keep this" }).waitFor();
    await show.click();
    await posts.filter({ hasText: "new 2" }).waitFor();
    expect(await posts.count()).toBe(4);

    // Who publishes wants to see the post, and what came before it.
    await publish("new 3");
    await page.getByRole("textbox", { name: "Post", exact: true }).fill("my own");
    await page.getByRole("button", { name: "Publish" }).click();
    await posts.filter({ hasText: "my own" }).waitFor();
    expect(await posts.count()).toBe(6);
    expect(await page.getByRole("button", { name: /^Show .* new/ }).count()).toBe(0);

    // Too many to be read along: the list begins anew.
    const many = Array.from({ length: 101 }, (_, index) => ({
      channel_id: channel.id,
      body: `many ${index}.`,
    }));
    await owner.createPosts(many);
    await page.getByRole("button", { name: "Show the new posts" }).click();
    await posts.filter({ hasText: "many 100." }).waitFor();
    expect(await posts.count()).toBe(50);
  });

  it("shows no picture before a click, which opens it in a tab of its own without telling where", async () => {
    const { owner } = under.service;
    const { channel } = await makePair(under.service, "pictures");
    const pictures = await startReceiver();
    const url = pictures.url.replace("/hook", "/sky.png");
    const media = [
      { type: "image", url, thumb: url },
      { kind: "file", url: `${url}.zip` },
      { type: "image", url: "javascript:alert(1)" },
    ];
    await owner.createChannelPost(channel.id, { body: "Look", media });
    const page = await under.signedIn(`/console/channels/${channel.id}`);
    const links = page.getByRole("link", { name: /^Show picture of/ });
    await links.first().waitFor();
    expect(await links.count()).toBe(1);
    expect(pictures.requests).toEqual([]);
    const opened = page.context().waitForEvent("page");
    await links.first().click();
    await opened;
    await expect.poll(() => pictures.requests.length).toBeGreaterThan(0);
    expect(pictures.requests[0]).toMatchObject({ method: "GET", path: "/sky.png" });
    expect(pictures.requests[0]?.headers).not.toHaveProperty("referer");
    expect(await (await opened).evaluate(() => window.opener)).toBeNull();
    await pictures.close();
  });

  it("tells what became of a post in each bot, and leads to its update", async () => {
    const { owner } = under.service;
    const { bot, channel } = await makePair(under.service, "fates");
    const receiver = await startReceiver();
    await owner.putWebhook(bot.id, { url: receiver.url });
    await owner.createChannelPost(channel.id, { body: "the first" });
    const picky = (await owner.createBot({ username: "picky" })).bot;
    await owner.attachBot(picky.id, channel.id);
    await owner.putSubscription(picky.id, { event_types: ["ticket.opened"], posts: "all", own_posts: true });
    await owner.createChannelPost(channel.id, { body: "the second" });
    await eventually(
      "both are delivered",
      async () => (await owner.getBotStats(bot.id)).delivered_updates === 2,
    );
    const page = await under.signedIn(`/console/channels/${channel.id}`, {
      viewport: { width: 320, height: 700 },
    });
    const post = page
      .getByRole("list", { name: "Posts" })
      .getByRole("listitem")
      .filter({ hasText: "the second" })
      .first();
    await post.getByRole("button", { name: "What became of it" }).click();
    const bots = post
      .getByRole("list", { name: "What became of the post in each bot" })
      .getByRole("listitem");
    await bots.filter({ hasText: "@fates-bot" }).getByText("Delivered").waitFor();
    await bots.filter({ hasText: "@picky" }).getByText("not heard, or expired since").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    expect(await seriousFindings(page)).toEqual([]);
    await bots.getByRole("link", { name: "update 2" }).click();
    await page.getByRole("dialog", { name: "Update 2" }).getByText("the second").first().waitFor();
    await owner.deleteBot(picky.id);
    await receiver.close();
  });

  it("does not save an edit over one that was made meanwhile", async () => {
    const { owner } = under.service;
    const { channel } = await makePair(under.service, "races");
    const { id } = await owner.createChannelPost(channel.id, { body: "one" });
    const page = await under.signedIn(`/console/channels/${channel.id}`);
    await page.getByRole("button", { name: "Edit the post" }).click();
    await page.getByLabel("Text of the post").fill("mine");
    await owner.editChannelPost(channel.id, id, { body: "theirs" });
    await page.getByRole("list", { name: "Posts" }).getByRole("button", { name: "Save" }).click();
    const conflict = page.getByRole("alert").filter({ hasText: "Somebody has edited this post" });
    await conflict.getByText("theirs", { exact: true }).waitFor();
    expect((await owner.getChannelPost(channel.id, id)).body).toBe("theirs");
    await conflict.getByRole("button", { name: "Go on with my text" }).click();
    expect(await page.getByLabel("Text of the post").inputValue()).toBe("mine");
    await page.getByRole("list", { name: "Posts" }).getByRole("button", { name: "Save" }).click();
    await page.getByLabel("Text of the post").waitFor({ state: "detached" });
    expect((await owner.getChannelPost(channel.id, id)).body).toBe("mine");
  });

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
    await page.getByLabel("Role of @other").selectOption("hears and posts");
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
    expect(new Set(types)).toEqual(new Set(["bot", "channel", "post", "attachment", "update", "end"]));
    expect(types.at(-1)).toBe("end");

    await page.getByRole("button", { name: "Erase everything" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("alice");
    await page.getByRole("button", { name: "Erase permanently" }).click();
    await page.getByText("No bots yet").waitFor();
    expect((await owner.listBots()).items).toEqual([]);
    expect((await owner.listChannels()).items).toEqual([]);
  });
});
