import { readFileSync } from "node:fs";
import { BotClient } from "@botyard/sdk";
import { describe, expect, it } from "vitest";
import { startReceiver } from "../../server/test/support/receiver.js";
import { seriousFindings } from "./support/axe.js";
import { useConsole } from "./support/console.js";

const under = useConsole();

/** A bot in a channel of its own. */
async function makePair(name: string) {
  const { owner } = under.service;
  const channel = await owner.createChannel({ slug: name, title: `Channel ${name}` });
  const { bot, token } = await owner.createBot({ username: `${name}-bot` });
  await owner.attachBot(bot.id, channel.id);
  return { bot, channel, client: new BotClient(token.token, { url: under.service.url }) };
}

describe("a channel", () => {
  it("publishes media, edits and deletes posts", async () => {
    const { owner } = under.service;
    const { channel, client } = await makePair("news");
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
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Nothing posted yet").waitFor();
    expect((await client.pollUpdates()).items).toMatchObject([{ payload: { body: "", deleted: true } }]);
  });

  it("shows no picture before a click, which opens it in a tab of its own without telling where", async () => {
    const { owner } = under.service;
    const { channel } = await makePair("pictures");
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
    const { bot, channel } = await makePair("fates");
    const receiver = await startReceiver();
    await owner.putWebhook(bot.id, { url: receiver.url });
    await owner.createChannelPost(channel.id, { body: "the first" });
    const picky = (await owner.createBot({ username: "picky" })).bot;
    await owner.attachBot(picky.id, channel.id);
    await owner.putSubscription(picky.id, { event_types: ["ticket.opened"], posts: "all", own_posts: true });
    await owner.createChannelPost(channel.id, { body: "the second" });
    while ((await owner.getBotStats(bot.id)).delivered_updates < 2);
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
    const { channel } = await makePair("races");
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
    const { bot, channel } = await makePair("people");
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
    await page.goto(`${under.service.url}/console/bots/${bot.id}/channels`);
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
    const { channel, client } = await makePair("tickets");
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
    const { bot, channel } = await makePair("quiet");
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
    const { bot } = await makePair("choosy");
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

describe("settings", () => {
  it("send what was changed, and leave what others have changed meanwhile", async () => {
    const { owner } = under.service;
    const { bot } = await makePair("shared");
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
    const { bot } = await makePair("typed");
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
    const { bot } = await makePair("moved");
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

  it("say which updates a new webhook gets", async () => {
    const { owner } = under.service;
    const { bot, channel } = await makePair("late");
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
