import { DatabaseSync } from "@photostructure/sqlite";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../server/test/support/eventually.js";
import { addBot, messages, PATIENCE, say, useChatApplication } from "./support/chat-application.js";

/** What somebody tries who wants to run a script at the others'. */
const HTML = '<img src=x onerror="document.title = 1"> & <b>bold</b>';

/** Two users, a bot and the real service, in a real browser. */
describe("the example of a product", PATIENCE, () => {
  const chat = useChatApplication();
  let alice: Page;
  let bob: Page;
  /** What a page shows once it shows as many messages. */
  const shown = async (page: Page, count: number) => {
    await messages(page)
      .nth(count - 1)
      .waitFor();
    return await messages(page).allTextContents();
  };

  beforeAll(async () => {
    alice = await chat.signIn("alice");
    bob = await chat.signIn(HTML.slice(0, 40));
  });

  /** With its select of days. */
  const weather = (text: string): string => expect.stringContaining(`weather${text}`);
  const room = [`alice${HTML}`, `${HTML.slice(0, 40)}Hello!`];

  it("shows what one writes at the other's at once, and as text only", async () => {
    await alice.getByLabel("New room").fill(HTML);
    await alice.getByRole("button", { name: "Open a room" }).click();
    await bob.reload();
    await bob.getByRole("button", { name: HTML }).click();
    await say(alice, HTML);
    await shown(bob, 1);
    await say(bob, "Hello!");
    for (const page of [alice, bob]) {
      expect(await shown(page, 2)).toEqual(room);
      expect(await page.locator("img").count()).toBe(0);
    }
    // Only who has opened the room adds bots to it.
    expect(await bob.getByRole("button", { name: "Add a bot" }).isVisible()).toBe(false);
  });

  it("lets a bot in that answers", async () => {
    chat.startBot("weather-bot.mjs", await addBot(alice, "weather"));
    await say(bob, "/weather Oslo");
    room.push(`${HTML.slice(0, 40)}/weather Oslo`, weather("Oslo, today: snow"));
    for (const page of [alice, bob]) expect(await shown(page, 4)).toEqual(room);
  });

  it("says what Botyard does not take", async () => {
    await alice.getByLabel("Username of a new bot").fill("weather");
    await alice.getByRole("button", { name: "Add a bot" }).click();
    await alice.getByRole("alert").getByText("taken").waitFor();
  });

  it("goes on while the service is away, and loses nothing of it", async () => {
    await chat.service.kill();
    await say(bob, '/weather "New York"');
    room.push(`${HTML.slice(0, 40)}/weather "New York"`);
    for (const page of [alice, bob]) expect(await shown(page, 5)).toEqual(room);
    await chat.service.restart();
    room.push(weather("New York, today: fog"));
    for (const page of [alice, bob]) expect(await shown(page, 6)).toEqual(room);
  });

  it("goes on where it was when it is killed itself", async () => {
    await chat.stop("SIGKILL");
    // A bot's answer that comes while nobody reads the feed.
    const owner = chat.ownerOf(1);
    const [channel] = (await owner.listChannels()).items;
    await owner.createChannelPost(channel?.id ?? "", { body: "/weather Rome" });
    await eventually("the bot answers", async () => {
      const { items } = await owner.listChannelPosts(channel?.id ?? "");
      return items[0]?.body.startsWith("Rome, today: snow") === true;
    });
    await chat.restart();
    room.push(weather("Rome, today: snow"));
    // The pages connect again by themselves.
    for (const page of [alice, bob]) expect(await shown(page, 7)).toEqual(room);
    await say(alice, "/weather Bonn");
    room.push("alice/weather Bonn", weather("Bonn, today: snow"));
    for (const page of [alice, bob]) expect(await shown(page, 9)).toEqual(room);
    // Opened anew it shows the same: nothing is there twice.
    await bob.reload();
    await bob.getByRole("button", { name: HTML }).click();
    expect(await shown(bob, 9)).toEqual(room);
  });

  it("shows what the holder of the room edits and deletes in the console", async () => {
    const owner = chat.ownerOf(1);
    const [channel] = (await owner.listChannels()).items;
    const channelId = channel?.id ?? "";
    const { items: posts } = await owner.listChannelPosts(channelId);
    const idOf = (text: string) => posts.find(({ body }) => body === text)?.id ?? "";

    await owner.editChannelPost(channelId, idOf("/weather Bonn"), { body: "Bonn, please" });
    room[7] = "aliceBonn, please";
    for (const page of [alice, bob]) {
      await messages(page).getByText("Bonn, please").waitFor();
      expect(await messages(page).allTextContents()).toEqual(room);
    }

    // As when it is killed before it has written down that a message was sent, and sends it again.
    await chat.stop("SIGKILL");
    const database = new DatabaseSync(chat.database);
    database.exec("UPDATE messages SET is_mirrored = 0, post_id = NULL WHERE text = 'Hello!'");
    await chat.restart();
    await eventually("the message was sent again", () => {
      const row = database.prepare("SELECT is_mirrored FROM messages WHERE text = 'Hello!'").get();
      return (row as { is_mirrored: number }).is_mirrored === 1;
    });
    database.close();
    await owner.deleteChannelPost(channelId, idOf("Hello!"));
    room.splice(1, 1);
    for (const page of [alice, bob]) {
      await messages(page).getByText("Hello!").waitFor({ state: "detached" });
      expect(await messages(page).allTextContents()).toEqual(room);
    }
  });

  it("stops in good order", async () => {
    expect(await chat.stop()).toBe(0);
  });
});
