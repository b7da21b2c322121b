import { BotClient } from "@botyard/sdk";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "./support/axe.js";
import { addBot, messages, PATIENCE, say, useChatApplication } from "./support/chat-application.js";

/** One user writes to a bot of another one's room, in a real browser with the real service. */
describe("a conversation with a bot in the example of a product", PATIENCE, () => {
  const chat = useChatApplication();
  let alice: Page;
  let bob: Page;
  let token = "";
  const rooms = (page: Page) => page.getByRole("navigation", { name: "Rooms" }).getByRole("button");
  /** The status of a call of the application, as the page would make it. */
  const statusOf = (page: Page, path: string, body?: object) =>
    page.evaluate(
      async ([path, body]) => {
        const request = body ? { method: "POST", body: JSON.stringify(body) } : {};
        const response = await fetch(path, request);
        await response.body?.cancel();
        return response.status;
      },
      [path, body] as const,
    );
  const openDirect = async (page: Page) => {
    await page.getByRole("button", { name: "Kitchen" }).click();
    await page.locator("summary", { hasText: "Bots of this room" }).press("Enter");
    await page.getByRole("button", { name: "Write to @weather" }).press("Enter");
    await page.getByRole("heading", { name: "@weather" }).waitFor();
  };

  beforeAll(async () => {
    alice = await chat.signIn("alice");
    await alice.getByLabel("New room").fill("Kitchen");
    await alice.getByRole("button", { name: "Open a room" }).click();
    token = await addBot(alice, "weather");
    chat.startBot("weather-bot.mjs", token);
    bob = await chat.signIn("bob");
  });

  it("is opened from a room, with what the bot has written already", async () => {
    // As when the application is killed between making the channel and writing down the room, and the bot greets.
    const bot = new BotClient(token, { url: chat.service.url });
    const { id: botId } = await bot.getMe();
    const user = { id: "user-2", username: "bob" };
    const channel = await chat.ownerOf(1).putDirectChannel(botId, { user });
    await bot.createBotPost(channel.id, { body: "Hello, bob" });
    await expect.poll(() => chat.isFeedRead()).toBe(true);

    await openDirect(bob);
    await messages(bob).getByText("Hello, bob").waitFor();
    expect(
      await bob.getByLabel("Message", { exact: true }).evaluate((e) => e === document.activeElement),
    ).toBe(true);
    expect(await rooms(bob).allTextContents()).toEqual(["Kitchen", "@weather"]);
    expect(await seriousFindings(bob)).toEqual([]);
  });

  it("has the bot's answers, and its commands", async () => {
    await say(bob, "/weather Oslo");
    await messages(bob).getByText("Oslo, today: snow").waitFor();
    const select = messages(bob).filter({ hasText: "Oslo, today" });
    await select.getByLabel("Another day").selectOption("Tomorrow");
    await select.getByRole("button", { name: "Choose" }).press("Enter");
    await messages(bob).getByText("Oslo, tomorrow: sunny").waitFor();
    await bob.getByLabel("Message", { exact: true }).pressSequentially("/w");
    await bob.getByRole("option", { name: "/weather" }).waitFor();
  });

  it("is for this user alone, also where another one holds the room", async () => {
    await openDirect(alice);
    await say(alice, "/weather Rome");
    await messages(alice).getByText("Rome, today: snow").waitFor();
    expect(await rooms(alice).allTextContents()).toEqual(["Kitchen", "@weather"]);
    expect(await messages(alice).count()).toBe(2);
    await expect(messages(bob).filter({ hasText: "Rome" }).count()).resolves.toBe(0);
    // Bob's is the room 2, Alice's the room 3.
    for (const [page, other, own] of [
      [alice, 2, 3],
      [bob, 3, 2],
    ] as const) {
      expect(await statusOf(page, `/rooms/${own}/stream`)).toBe(200);
      expect(await statusOf(page, `/rooms/${other}/stream`)).toBe(404);
      expect(await statusOf(page, `/rooms/${other}/commands`)).toBe(404);
      expect(await statusOf(page, `/rooms/${other}/messages`, { text: "Hello" })).toBe(404);
      expect(await statusOf(page, `/rooms/${other}/presses`, { key: "1" })).toBe(404);
    }
    // No other bot comes in, not even by who owns this one.
    expect(await statusOf(alice, "/rooms/3/bots", { username: "another" })).toBe(403);
    expect(await statusOf(alice, "/rooms/1/direct", { bot_id: "another" })).toBe(404);
  });

  it("is there after a restart of the application and of the service, and is found again", async () => {
    await chat.stop("SIGKILL");
    await chat.service.kill();
    await chat.service.restart();
    await chat.restart();
    await bob.reload();
    await rooms(bob).getByText("@weather").click();
    await messages(bob).getByText("Oslo, tomorrow: sunny").waitFor();
    await say(bob, "/weather Bonn");
    await messages(bob).getByText("Bonn, today: snow").waitFor();
    await openDirect(bob);
    await messages(bob).getByText("Bonn, today: snow").waitFor();
    expect(await rooms(bob).allTextContents()).toEqual(["Kitchen", "@weather"]);
    expect(await messages(bob).count()).toBe(5);
  });
});
