import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "./support/axe.js";
import { addBot, messages, PATIENCE, say, useChatApplication } from "./support/chat-application.js";

/** One user's bot in another one's room, in a real browser with the real service. */
describe("a bot that others add to their rooms, in the example of a product", PATIENCE, () => {
  const chat = useChatApplication();
  let alice: Page;
  let bob: Page;
  let token = "";
  const openBots = (page: Page) => page.locator("summary", { hasText: "Bots of this room" }).press("Enter");
  const openRoom = async (page: Page, title: string) => {
    await page.getByLabel("New room").fill(title);
    await page.getByRole("button", { name: "Open a room" }).click();
    await page.getByRole("heading", { name: title }).waitFor();
  };

  beforeAll(async () => {
    alice = await chat.signIn("alice");
    await openRoom(alice, "Kitchen");
    token = await addBot(alice, "weather");
    chat.startBot("weather-bot.mjs", token);
    bob = await chat.signIn("bob");
    await openRoom(bob, "Garden");
  });

  it("is offered once its maker shares it, and answers in the room it was added to", async () => {
    await openBots(bob);
    await bob.getByText("There are none yet").waitFor();
    await openBots(bob);
    await openBots(alice);
    await alice.getByRole("button", { name: "Let others add @weather" }).press("Enter");
    await alice.getByRole("button", { name: "Let others add @weather" }).waitFor({ state: "detached" });
    await openBots(bob);
    await bob.getByRole("button", { name: "Add @weather" }).press("Enter");
    await bob.getByRole("button", { name: "Write to @weather" }).waitFor();
    expect(await bob.getByRole("button", { name: /Let others add/ }).count()).toBe(0);
    expect(await seriousFindings(bob)).toEqual([]);
    await say(bob, "/weather Oslo");
    await messages(bob).getByText(/Oslo/).nth(1).waitFor();
    const [room] = (await chat.ownerOf(2).listChannels()).items;
    expect((await chat.ownerOf(2).listChannelBots(room?.id ?? "")).items).toMatchObject([{ role: "member" }]);
  });

  it("is silent while the platform suspends its maker, and answers what was asked meanwhile", async () => {
    await chat.platform.putOwner("user-1", { suspended: true, reason: "spam" });
    await say(bob, "/weather Bergen");
    await messages(bob).getByText("/weather Bergen").waitFor();
    const { id: botId } = (await chat.ownerOf(1).listBots()).items[0] ?? { id: "" };
    await expect
      .poll(async () => (await chat.ownerOf(1).listBotUpdates(botId, { limit: 1 })).items[0]?.payload)
      .toMatchObject({ body: "/weather Bergen" });
    expect(
      await messages(bob)
        .getByText(/Bergen/)
        .count(),
    ).toBe(1);
    // To others it looks as if there were no such bot.
    await openRoom(bob, "Cellar");
    await openBots(bob);
    await bob.getByText("There are none yet").waitFor();

    await chat.platform.putOwner("user-1", { suspended: false });
    // Its token was refused meanwhile, which ends a bot.
    chat.startBot("weather-bot.mjs", token);
    await bob.getByRole("button", { name: "Garden" }).click();
    await messages(bob)
      .getByText(/Bergen/)
      .nth(1)
      .waitFor();
  });
});
