import { BotClient } from "@botyard/sdk";
import { describe, expect, it } from "vitest";
import { useConsole } from "./support/console.js";

const under = useConsole();

describe("names without spaces", () => {
  it("are broken, on every screen", async () => {
    const { owner } = under.service;
    const [long, longer] = ["W".repeat(128), "M".repeat(1_024)];
    const channel = await owner.createChannel({ slug: "wide", title: long, description: longer });
    const { bot } = await owner.createBot({ username: "wide", display_name: long, description: longer });
    await owner.attachBot(bot.id, channel.id);
    const pages = [
      "/console/",
      "/console/channels",
      `/console/channels/${channel.id}`,
      `/console/bots/${bot.id}`,
      `/console/bots/${bot.id}/channels`,
      `/console/bots/${bot.id}/settings`,
    ];
    const page = await under.signedIn("/console/?sort=bogus&state=none");
    for (const path of pages) {
      await page.setViewportSize({ width: 320, height: 700 });
      await page.goto(`${under.service.url}${path}`);
      await page.getByText(long).first().waitFor();
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 700 });
        // What follows the width by script is drawn in the frame after.
        await page.evaluate(
          () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
        );
        const drawn = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(`${path} ${drawn}`).toBe(`${path} ${width}`);
      }
    }
    await owner.deleteBot(bot.id);
    await owner.deleteChannel(channel.id);
  });
});

describe("channels", () => {
  it("are created, edited and posted in, and their bots receive the posts", async () => {
    const page = await under.signedIn("/console/channels");
    await page.getByText("No channels yet").waitFor();
    await page.getByRole("button", { name: "Create a channel" }).click();
    await page.getByLabel("Title").fill("Weather, reports");
    expect(await page.getByLabel("Slug").inputValue()).toBe("weather-reports");
    await page.getByLabel("Slug").fill("Weather");
    await page.getByText("Lower-case letters, digits and - only, not “W”").waitFor();
    await page.getByLabel("Slug").fill("weather");
    await page.getByLabel("Title").fill("Weather reports");
    expect(await page.getByLabel("Slug").inputValue()).toBe("weather");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "Weather reports", level: 1 }).waitFor();
    await page.getByText("Nothing posted yet").waitFor();

    const channelId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const { owner } = under.service;
    const { bot, token } = await owner.createBot({ username: "reader" });
    await owner.attachBot(bot.id, channelId);
    const post = page.getByRole("textbox", { name: "Post" });
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByText("Say something", { exact: true }).waitFor();
    await post.fill("Rain\ntomorrow");
    await post.press("Control+Enter");
    await page.getByRole("listitem").getByText("Rain").waitFor();
    expect(await post.inputValue()).toBe("");
    const client = new BotClient(token.token, { url: under.service.url });
    expect((await client.pollUpdates()).items.map(({ payload }) => payload)).toMatchObject([
      { body: "Rain\ntomorrow" },
    ]);

    await page.getByLabel("Description").fill("What to expect");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("#weather · What to expect").waitFor();
    await page.getByRole("link", { name: "Channels" }).first().click();
    await page.getByRole("link", { name: "Weather reports" }).waitFor();
  });

  it("have an id and data of the owner's own", async () => {
    const { owner } = under.service;
    const page = await under.signedIn("/console/channels?create=channel");
    const fill = async (title: string) => {
      await page.getByLabel("Title").fill(title);
      await page.getByLabel("External id").fill("room-42");
      await page.getByLabel("Metadata").fill('{ "floor": 3 }');
      await page.getByRole("button", { name: "Create", exact: true }).click();
    };
    await fill("Room 42");
    await page.getByText("nor the external id, room-42.").waitFor();
    expect(await owner.getExternalChannel("room-42")).toMatchObject({
      slug: "room-42",
      metadata: { floor: 3 },
    });
    expect(await page.getByLabel("Metadata").inputValue()).toBe('{\n  "floor": 3\n}');
    await page.getByLabel("Metadata").fill('{ "floor": 4 }');
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(async () => (await owner.getExternalChannel("room-42")).metadata).toEqual({ floor: 4 });
    await page.goto(`${under.service.url}/console/channels?create=channel`);
    await fill("Another room 42");
    await page.getByText("You have a channel with this external_id already.").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("say which of their bots answer each other", async () => {
    const { owner, url } = under.service;
    const channel = await owner.createChannel({ slug: "loop", title: "A loop" });
    const page = await under.signedIn(`/console/channels/${channel.id}`);
    await page.getByRole("heading", { name: "A loop", level: 1 }).waitFor();
    const bots = await Promise.all(
      ["ping", "pong"].map(async (username) => {
        const { bot, token } = await owner.createBot({ username });
        await owner.attachBot(bot.id, channel.id);
        return new BotClient(token.token, { url });
      }),
    );
    for (let n = 0; n < 60; n++) await bots[n % 2]?.createBotPost(channel.id, { body: `answer ${n}` });
    const note = page.getByRole("status").filter({ hasText: "Bots answer each other" });
    const first = page.getByRole("heading", { name: "Publish a post" });
    const before = await first.boundingBox();
    await note.getByText("@ping").waitFor();
    await note.getByText("@pong").waitFor();
    expect(await first.boundingBox()).toEqual(before);
    await owner.createChannelPost(channel.id, { body: "Quiet, please" });
    await note.waitFor({ state: "detached" });
  });

  it("show older posts on request", async () => {
    const { owner } = under.service;
    const channel = await owner.createChannel({ slug: "long", title: "A long one" });
    for (let i = 1; i <= 60; i++) await owner.createChannelPost(channel.id, { body: `post ${i}.` });
    const page = await under.signedIn(`/console/channels/${channel.id}`);
    await page.getByText("post 60.").waitFor();
    expect(await page.getByText("post 10.").count()).toBe(0);
    await page.getByRole("button", { name: "Show older posts" }).click();
    await page.getByText("post 1.", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Show older posts" }).count()).toBe(0);

    // Pages that are read again keep their bounds, also when the post between two of them is deleted.
    const { items } = await owner.listChannelPosts(channel.id, { limit: 100 });
    for (const body of ["post 5.", "post 11."]) {
      await owner.deleteChannelPost(channel.id, items.find((post) => post.body === body)?.id ?? "");
    }
    const posts = page.getByRole("list", { name: "Posts" }).getByRole("listitem");
    const own = posts.filter({ hasText: "post 30." });
    await own.getByRole("button", { name: "Delete the post" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await own.waitFor({ state: "detached" });
    const show = page.getByRole("button", { name: "Show 2 changes" });
    await show.waitFor();
    expect(await posts.count()).toBe(59);
    await show.click();
    await expect.poll(() => posts.count()).toBe(57);
    const shown = await posts.evaluateAll((all) =>
      all.map((post) => /post \d+\./.exec(post.textContent ?? "")?.[0]),
    );
    expect(shown).toEqual(
      items.map(({ body }) => body).filter((body) => !["post 5.", "post 11.", "post 30."].includes(body)),
    );
  });
});

describe("what is half written", () => {
  it("is there again after a click elsewhere, back and forward, and Ctrl-K, until it is sent", async () => {
    const { owner } = under.service;
    const { id } = await owner.createChannel({ slug: "half", title: "Half" });
    const other = await owner.createChannel({ slug: "whole", title: "Whole" });
    const { id: postId } = await owner.createChannelPost(id, { body: "Said" });
    const page = await under.signedIn(`/console/channels/${id}`);
    const post = page.getByRole("textbox", { name: "Post", exact: true });
    const kind = page.getByLabel("Kind of event");
    const description = page.getByLabel("Description");
    const edit = page.getByLabel("Text of the post");
    await post.fill("Half a sent");
    await page.getByRole("button", { name: "Add media" }).click();
    await page.getByLabel("Media").fill('[{ "type"');
    await kind.fill("ticket.op");
    await description.fill("Where it is");
    await page.getByRole("button", { name: "Edit the post" }).click();
    await edit.fill("Said twice");
    const isThere = async () => {
      await post.waitFor();
      expect(await post.inputValue()).toBe("Half a sent");
      expect(await page.getByLabel("Media").inputValue()).toBe('[{ "type"');
      expect(await kind.inputValue()).toBe("ticket.op");
      expect(await description.inputValue()).toBe("Where it is");
      await edit.waitFor();
      expect(await edit.inputValue()).toBe("Said twice");
    };
    const find = async (words: string) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Find a bot" }).fill(words);
      await page.getByRole("listbox", { name: "Found" }).getByRole("option").first().waitFor();
      await page.keyboard.press("Enter");
    };
    await page.getByRole("link", { name: "Channels" }).first().click();
    await page.getByRole("link", { name: "Half", exact: true }).click();
    await isThere();
    await find("#whole");
    await page.getByRole("heading", { name: "Whole", level: 1 }).waitFor();
    expect(await post.inputValue()).toBe("");
    expect(await description.inputValue()).toBe(other.description);
    await page.goBack();
    await page.getByRole("heading", { name: "Half", level: 1 }).waitFor();
    await isThere();
    await page.goBack();
    await page.getByRole("button", { name: "Create a channel" }).waitFor();
    await page.goForward();
    await isThere();
    // The browser asks before the tab is loaded again: nothing is stored.
    const asked = page.waitForEvent("dialog");
    // Not page.reload(), which would wait for the page that is not loaded.
    await page.evaluate(() => void setTimeout(() => location.reload()));
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    await isThere();

    await page.getByRole("button", { name: "Save", exact: true }).first().click();
    await edit.waitFor({ state: "detached" });
    expect((await owner.getChannelPost(id, postId)).body).toBe("Said twice");
    await page.getByLabel("Media").fill("");
    await post.fill("A whole sentence");
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByRole("listitem").getByText("A whole sentence").waitFor();
    await kind.fill("ticket.opened");
    await page.getByRole("button", { name: "Emit" }).click();
    await expect.poll(() => kind.inputValue()).toBe("");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("#half · Where it is").waitFor();
    await page.getByRole("link", { name: "Channels" }).first().click();
    await page.getByRole("link", { name: "Half", exact: true }).click();
    await post.waitFor();
    expect(await post.inputValue()).toBe("");
    expect(await kind.inputValue()).toBe("");
    expect(await edit.count()).toBe(0);
    // Nothing is left to lose.
    await page.reload();
    await post.waitFor();
  });

  it("stays in a dialog that is closed by a click beside it, and is dropped by Cancel", async () => {
    const page = await under.signedIn("/console/channels");
    const title = page.getByLabel("Title");
    const open = () => page.getByRole("button", { name: "Create a channel" }).click();
    const gone = () => page.getByRole("dialog").waitFor({ state: "detached" });
    await open();
    await title.fill("Half a chan");
    await page.keyboard.press("Escape");
    await gone();
    await open();
    expect(await title.inputValue()).toBe("Half a chan");
    expect(await page.getByLabel("Slug").inputValue()).toBe("half-a-chan");
    await title.fill("Half a channel");
    expect(await page.getByLabel("Slug").inputValue()).toBe("half-a-channel");
    await page.getByRole("button", { name: "Cancel" }).click();
    await gone();
    await open();
    expect(await title.inputValue()).toBe("");
  });

  it("is of one bot: another one's page does not show it", async () => {
    const { owner } = under.service;
    const [first, second] = await Promise.all(
      ["half_first", "half_second"].map(async (username) => (await owner.createBot({ username })).bot),
    );
    const page = await under.signedIn(`/console/bots/${second?.id}/settings`);
    const description = page.getByLabel("Description");
    await description.waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find a bot" }).fill("settings half_first");
    await page.getByRole("listbox", { name: "Found" }).getByRole("option").first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "half_first", level: 1 }).waitFor();
    await description.fill("Of the first");
    await page.goBack();
    await page.getByRole("heading", { name: "half_second", level: 1 }).waitFor();
    expect(await description.inputValue()).toBe("");
    await page.goForward();
    await page.getByRole("heading", { name: "half_first", level: 1 }).waitFor();
    expect(await description.inputValue()).toBe("Of the first");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved").waitFor();
    expect((await owner.getBot(first?.id ?? "")).description).toBe("Of the first");
  });
});
