import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PlatformClient } from "@botyard/sdk";
import { DatabaseSync } from "@photostructure/sqlite";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type KillableService, startKillableService } from "../../sdk/test/support/service.js";
import { eventually } from "../../server/test/support/eventually.js";
import { type Environment, type Program, repository, run } from "../../server/test/support/program.js";
import { sharedBrowser } from "./support/console.js";

const PLATFORM_TOKEN = "a-token-of-the-platform-0123456789";
const folder = join(repository, "examples/platform");
/** What somebody tries who wants to run a script at the others'. */
const HTML = '<img src=x onerror="document.title = 1"> & <b>bold</b>';

/** Limits against hanging: after an outage the bot and the product wait longer and longer between their tries. */
const PAGE_PATIENCE_MS = 60_000;
const PATIENCE = { timeout: 3 * PAGE_PATIENCE_MS };

/** Two users, a bot and the real service, in a real browser. */
describe("the example of a product", PATIENCE, () => {
  let service: KillableService;
  const tabs: BrowserContext[] = [];
  let alice: Page;
  let bob: Page;
  let port = "0";
  let chat: Program;
  const programs: Program[] = [];
  const complaints: string[] = [];
  const data = mkdtempSync(join(tmpdir(), "botyard-platform-"));

  const start = (name: string, env: Environment) => {
    const program = run(process.execPath, [join(folder, name)], { BOTYARD_URL: service.url, ...env });
    programs.push(program);
    return program;
  };
  const startChat = async () => {
    chat = start("server.mjs", { PLATFORM_TOKEN, PORT: port, DATABASE: join(data, "chat.db") });
    const url = await eventually("it says where it is", () => /open (http:\S+)/.exec(chat.stdout())?.[1]);
    ({ port } = new URL(url));
    return url;
  };
  const signIn = async (url: string, name: string) => {
    const tab = await (await sharedBrowser()).newContext();
    tabs.push(tab);
    const page = await tab.newPage();
    page.setDefaultTimeout(PAGE_PATIENCE_MS);
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(url);
    await page.getByLabel("Your name").fill(name);
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByRole("button", { name: "Open a room" }).waitFor();
    return page;
  };
  const say = async (page: Page, text: string) => {
    await page.getByLabel("Message", { exact: true }).fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };
  const messages = (page: Page) => page.getByRole("list", { name: "Messages" }).getByRole("listitem");
  /** What a page shows once it shows as many messages. */
  const shown = async (page: Page, count: number) => {
    await messages(page)
      .nth(count - 1)
      .waitFor();
    return await messages(page).allTextContents();
  };

  beforeAll(async () => {
    service = await startKillableService({ PLATFORM_TOKEN, PLATFORM_FEED: "true" });
    const url = await startChat();
    alice = await signIn(url, "alice");
    bob = await signIn(url, HTML.slice(0, 40));
  });
  afterAll(async () => {
    await Promise.all(tabs.map((tab) => tab.close()));
    for (const program of programs) await program.stop("SIGKILL");
    await service?.stop();
    rmSync(data, { recursive: true });
  });

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
    await alice.getByLabel("Username of a new bot").fill("weather");
    await alice.getByRole("button", { name: "Add a bot" }).click();
    const told = alice.getByText("Its token, shown this once:");
    await told.waitFor();
    const BOT_TOKEN = /bot_\S+/.exec((await told.textContent()) ?? "")?.[0] ?? "";
    start("weather-bot.mjs", { BOT_TOKEN });
    await say(bob, "/weather Oslo");
    room.push(`${HTML.slice(0, 40)}/weather Oslo`, "weatherOslo: snow");
    for (const page of [alice, bob]) expect(await shown(page, 4)).toEqual(room);
  });

  it("says what Botyard does not take", async () => {
    await alice.getByLabel("Username of a new bot").fill("weather");
    await alice.getByRole("button", { name: "Add a bot" }).click();
    await alice.getByRole("alert").getByText("taken").waitFor();
  });

  it("goes on while the service is away, and loses nothing of it", async () => {
    await service.kill();
    await say(bob, '/weather "New York"');
    room.push(`${HTML.slice(0, 40)}/weather "New York"`);
    for (const page of [alice, bob]) expect(await shown(page, 5)).toEqual(room);
    await service.restart();
    room.push("weatherNew York: fog");
    for (const page of [alice, bob]) expect(await shown(page, 6)).toEqual(room);
  });

  it("goes on where it was when it is killed itself", async () => {
    await chat.stop("SIGKILL");
    // A bot's answer that comes while nobody reads the feed.
    const owner = new PlatformClient(PLATFORM_TOKEN, { url: service.url }).as("user-1");
    const [channel] = (await owner.listChannels()).items;
    await owner.createChannelPost(channel?.id ?? "", { body: "/weather Rome" });
    await eventually("the bot answers", async () => {
      const { items } = await owner.listChannelPosts(channel?.id ?? "");
      return items[0]?.body === "Rome: snow";
    });
    await startChat();
    room.push("weatherRome: snow");
    // The pages connect again by themselves.
    for (const page of [alice, bob]) expect(await shown(page, 7)).toEqual(room);
    await say(alice, "/weather Bonn");
    room.push("alice/weather Bonn", "weatherBonn: snow");
    for (const page of [alice, bob]) expect(await shown(page, 9)).toEqual(room);
    // Opened anew it shows the same: nothing is there twice.
    await bob.reload();
    await bob.getByRole("button", { name: HTML }).click();
    expect(await shown(bob, 9)).toEqual(room);
  });

  it("shows what the holder of the room edits and deletes in the console", async () => {
    const owner = new PlatformClient(PLATFORM_TOKEN, { url: service.url }).as("user-1");
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
    const database = new DatabaseSync(join(data, "chat.db"));
    database.exec("UPDATE messages SET is_mirrored = 0, post_id = NULL WHERE text = 'Hello!'");
    await startChat();
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

  it("stops in good order, and its pages had no errors", async () => {
    expect(await chat.stop()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
