import { describe, expect, it } from "vitest";
import { eventually } from "../../server/test/support/eventually.js";
import { startReceiver } from "../../server/test/support/receiver.js";
import { seriousFindings } from "./support/axe.js";
import { useConsole } from "./support/console.js";
import { makePair } from "./support/pair.js";

const under = useConsole();

describe("the posts of a channel", () => {
  it("are published with media, edited and deleted", async () => {
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

  it("say what they answer, and show their buttons and selects as labels", async () => {
    const { owner } = under.service;
    const { bot, channel, client } = await makePair(under.service, "asked");
    const asked = await owner.createChannelPost(channel.id, { body: "Deploy 17?" });
    await client.createBotPost(channel.id, {
      body: "When?",
      reply_to: asked.id,
      components: [
        [
          { type: "button", id: "now", label: "Right now", value: "0" },
          { type: "button", id: "never", label: "Never" },
        ],
        [
          {
            type: "select",
            id: "later",
            placeholder: "Later",
            options: [
              { label: "Today", value: "1" },
              { label: "Tomorrow", value: "2" },
            ],
          },
        ],
      ],
    });
    const page = await under.signedIn(`/console/channels/${channel.id}`);
    const post = page.getByRole("list", { name: "Posts" }).getByRole("listitem").filter({ hasText: "When?" });
    await post.getByText(`Answers @${asked.author_username}`).waitFor();
    const labels = post.getByRole("group", { name: "Buttons and selects" });
    for (const label of ["Right now", "Never", "Later: Today / Tomorrow"])
      await labels.getByText(label, { exact: true }).waitFor();
    expect(await labels.getByRole("button").count()).toBe(0);
    expect(await page.getByText(/^Answers/).count()).toBe(1);
    expect(await seriousFindings(page)).toEqual([]);

    const { items } = await owner.listChannelPosts(channel.id);
    const user = { id: "user-7", username: "Zoe" };
    const press = { kind: "component", component: { id: "now" }, post: { id: items[0]?.id ?? "" } } as const;
    await owner.createInteraction(channel.id, { ...press, user });
    await client.putMyCommands([
      { name: "weather", description: "x", options: [{ name: "city", type: "string", description: "x" }] },
    ]);
    const command = { name: "weather", options: { city: "Oslo" } };
    await owner.createInteraction(channel.id, { kind: "command", bot_id: bot.id, command, user });
    const log = await under.signedIn(`/console/bots/${bot.id}/updates`);
    await log.getByText("Zoe pressed now (0)").waitFor();
    await log.getByText("Zoe chose /weather city: Oslo").waitFor();
  });

  it("are added on request when they are new: no row moves, and a bin deletes the post beside it", async () => {
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

  it("stay where they are while others edit and delete posts above, until the changes are asked for", async () => {
    const { owner } = under.service;
    const { channel, client } = await makePair(under.service, "streams");
    const { id } = await owner.createChannelPost(channel.id, { body: "keep this" });
    await owner.createChannelPost(channel.id, { body: "delete this" });
    const streamed = await client.createBotPost(channel.id, { body: "An answer" });
    const gone = await owner.createChannelPost(channel.id, { body: "deleted by somebody" });
    const page = await under.signedIn(`/console/channels/${channel.id}`);
    const posts = page.getByRole("list", { name: "Posts" }).getByRole("listitem");
    const row = posts.filter({ hasText: "delete this" });
    const bin = row.getByRole("button", { name: "Delete the post" });
    await bin.hover();
    const places = () =>
      posts.evaluateAll((all) => all.map((post) => [post.getBoundingClientRect().top, post.clientHeight]));
    const before = await places();

    const answer = Array.from({ length: 20 }, (_, line) => `line ${line + 1} of the answer`).join("\n");
    await client.editBotPost(channel.id, streamed.id, { body: answer });
    await owner.editChannelPost(channel.id, id, { body: "keep this, edited" });
    await owner.deleteChannelPost(channel.id, gone.id);
    await owner.createChannelPost(channel.id, { body: "a new one" });
    // Each reading of the list is two requests, and the first reading may have begun before the changes.
    for (let requests = 0; requests < 4; requests++) {
      await page.waitForResponse((response) =>
        new URL(response.url()).pathname.endsWith(`${channel.id}/posts`),
      );
    }
    expect(await places()).toEqual(before);
    const show = page.getByRole("button", { name: "Show 1 new post and 3 changes" });
    await show.waitFor();
    expect(await places()).toEqual(before);
    await posts.filter({ hasText: "An answer" }).getByText("Edited since").waitFor();
    const deleted = posts.filter({ hasText: "deleted by somebody" });
    await deleted.getByText("Deleted since").waitFor();
    expect(await deleted.getByRole("button", { name: "Delete the post" }).isEnabled()).toBe(false);
    expect(await seriousFindings(page)).toEqual([]);

    // What the pointer rests on is still the bin of the same post. What the user does shows at once, and alone.
    await page.mouse.down();
    await page.mouse.up();
    const dialog = page.getByRole("dialog", { name: "Delete the post?" });
    await dialog.getByRole("blockquote").getByText("delete this").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    expect(await posts.count()).toBe(3);
    await posts.filter({ hasText: "keep this" }).getByRole("button", { name: "Edit the post" }).click();
    expect(await page.getByLabel("Text of the post").inputValue()).toBe("keep this, edited");
    await posts.getByRole("button", { name: "Cancel" }).click();

    await page.getByRole("button", { name: "Show 1 new post and 2 changes" }).click();
    await posts.filter({ hasText: "line 20 of the answer" }).waitFor();
    await posts.filter({ hasText: "a new one" }).waitFor();
    await deleted.waitFor({ state: "detached" });
    expect(await posts.count()).toBe(3);
    expect(await page.getByText(/(Edited|Deleted) since$/).count()).toBe(0);
  });

  it("show no picture before a click, which opens it in a tab of its own without telling where", async () => {
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

  it("tell what became of them in each bot, and lead to its update", async () => {
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

  it("are not saved with an edit over one that was made meanwhile", async () => {
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
});
