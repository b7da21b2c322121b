import { BotClient } from "@botyard/sdk";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../server/test/support/eventually.js";
import { seriousFindings } from "./support/axe.js";
import { addBot, messages, PATIENCE, say, useChatApplication } from "./support/chat-application.js";

const PHONE = { viewport: { width: 360, height: 740 } };

/** Users choose commands, press buttons and answer messages, in a real browser with the real service. */
describe("the example of a product shows interactions", PATIENCE, () => {
  const chat = useChatApplication();
  let alice: Page;
  let bob: Page;
  let deployToken = "";

  const input = (page: Page) => page.getByLabel("Message", { exact: true });
  const offered = (page: Page) => page.getByRole("listbox", { name: "Commands" }).getByRole("option");
  const message = (page: Page, text: string) => messages(page).filter({ hasText: text });
  const button = (page: Page, text: string, name: string) =>
    message(page, text).getByRole("button", { name });
  /** Chooses a command in the menu, by keys alone, and fills in the form that asks for its options. */
  const choose = async (
    page: Page,
    name: string,
    options: Record<string, string>,
    choices: Record<string, string>,
  ) => {
    await input(page).focus();
    await eventually("the menu has the command", async () => {
      await input(page).fill("");
      await input(page).pressSequentially(`/${name.slice(0, 2)}`);
      return await offered(page)
        .filter({ hasText: `/${name}` })
        .isVisible();
    });
    await page.keyboard.press("Enter");
    const form = page.getByRole("dialog", { name: `/${name}` });
    for (const [label, value] of Object.entries(options)) await form.getByLabel(label).fill(value);
    for (const [label, value] of Object.entries(choices)) await form.getByLabel(label).selectOption(value);
    await page.keyboard.press("Enter");
    await form.waitFor({ state: "hidden" });
  };
  const deploy = (page: Page, version: string) =>
    choose(page, "deploy", { "Which version": version }, { "Where to": "Production" });
  const channelId = async () => (await chat.ownerOf(1).listChannels()).items[0]?.id ?? "";
  const postOf = async (text: string) => {
    const { items } = await chat.ownerOf(1).listChannelPosts(await channelId());
    return items.find(({ body }) => body.includes(text));
  };

  beforeAll(async () => {
    alice = await chat.signIn("alice");
    await alice.getByLabel("New room").fill("Kitchen");
    await alice.getByRole("button", { name: "Open a room" }).click();
    bob = await chat.signIn("bob", PHONE);
    await bob.getByRole("button", { name: "Kitchen" }).click();
    chat.startBot("weather-bot.mjs", await addBot(alice, "weather"));
    deployToken = await addBot(alice, "deploys");
    chat.startBot("deploy-bot.mjs", deployToken);
  });

  it("offers the commands of the room's bots while somebody types", async () => {
    await input(alice).focus();
    await eventually("both bots have said what they offer", async () => {
      await input(alice).fill("");
      await input(alice).pressSequentially("/");
      return (await offered(alice).count()) === 2;
    });
    expect(await input(alice).getAttribute("aria-expanded")).toBe("true");
    expect(await seriousFindings(alice)).toEqual([]);
    await alice.keyboard.press("ArrowDown");
    expect(await alice.getByRole("option", { selected: true, name: "/" }).textContent()).toContain("/deploy");
    await alice.keyboard.type("w");
    await expect
      .poll(() => offered(alice).allTextContents())
      .toEqual(["/weather Tell the weather of a place weather"]);
    // Whatever comes after the name is a message.
    await alice.keyboard.type("eather Oslo");
    await alice.getByRole("listbox", { name: "Commands" }).waitFor({ state: "hidden" });
    await input(alice).fill("/");
    await offered(alice).first().waitFor();
    await alice.keyboard.press("Escape");
    expect(await offered(alice).count()).toBe(0);
    // A bot takes its commands away: the menu that is open follows.
    await input(alice).fill("/d");
    await offered(alice).filter({ hasText: "/deploy" }).waitFor();
    const api = new BotClient(deployToken, { url: chat.service.url });
    const { items: commands } = await api.getMyCommands();
    await api.putMyCommands([]);
    await offered(alice).filter({ hasText: "/deploy" }).waitFor({ state: "detached" });
    await api.putMyCommands(commands);
    await offered(alice).filter({ hasText: "/deploy" }).waitFor();
    // As a reader it could not respond.
    const { id: botId } = await api.getMe();
    await chat.ownerOf(1).attachBot(botId, await channelId(), { role: "reader" });
    await offered(alice).filter({ hasText: "/deploy" }).waitFor({ state: "detached" });
    await chat.ownerOf(1).attachBot(botId, await channelId(), { role: "moderator" });
    await offered(alice).filter({ hasText: "/deploy" }).waitFor();
    await input(alice).fill("");
  });

  it("asks for the options of a command, and shows the answer to all", async () => {
    await choose(bob, "weather", { Where: "Oslo" }, { "Unit of the temperature": "Fahrenheit" });
    for (const page of [alice, bob]) await message(page, "Oslo, today: snow, 82 °F").waitFor();
    await expect.poll(() => bob.getByRole("status", { name: "Waiting" }).textContent()).toBe("");
    // Without those that are required nothing is sent, and by Escape neither.
    await input(bob).fill("/weather");
    await offered(bob).waitFor();
    await bob.keyboard.press("Enter");
    const form = bob.getByRole("dialog", { name: "/weather" });
    expect(await seriousFindings(bob)).toEqual([]);
    await form.getByRole("button", { name: "Run" }).click();
    expect(
      await form.getByLabel("Where").evaluate((field: HTMLInputElement) => field.validity.valueMissing),
    ).toBe(true);
    await bob.keyboard.press("Escape");
    await form.waitFor({ state: "hidden" });
    expect(await bob.getByRole("status", { name: "Waiting" }).textContent()).toBe("");
  });

  it("sends what is chosen in a select, and shows the edit that answers it", async () => {
    const shown = message(bob, "Oslo, today");
    await shown.getByLabel("Another day").selectOption("Tomorrow");
    await shown.getByRole("button", { name: "Choose" }).press("Enter");
    for (const page of [alice, bob]) await message(page, "Oslo, tomorrow: sunny").waitFor();
    expect(await message(alice, "Oslo,").count()).toBe(1);
  });

  it("lets somebody approve: the post changes for all, and the thanks are for them alone", async () => {
    await deploy(alice, "17");
    await button(bob, "Deploy 17", "Approve").click();
    await message(bob, "Thank you: you have approved 17").getByText("Only you see this").waitFor();
    for (const page of [alice, bob]) {
      await message(page, "Deploy 17 to production: approved by bob").waitFor();
      await expect.poll(() => button(page, "Deploy 17", "Approve").count()).toBe(0);
    }
    expect(await message(alice, "Thank you").count()).toBe(0);
    // Neither after opening the page anew, nor in the channel.
    await alice.reload();
    await alice.getByRole("button", { name: "Kitchen" }).click();
    await message(alice, "approved by bob").waitFor();
    expect(await message(alice, "Thank you").count()).toBe(0);
    expect(await postOf("Thank you")).toBeUndefined();
    // An edited message keeps its place.
    const texts = (page: Page) => messages(page).locator(".text").allTextContents();
    expect(await texts(alice)).toEqual((await texts(bob)).filter((text) => !text.startsWith("Thank you")));
  });

  it("asks before a button that wants it, and opens links", async () => {
    await deploy(bob, "18");
    expect(
      await message(alice, "Deploy 18").getByRole("link", { name: "Changes" }).getAttribute("href"),
    ).toBe("https://example.com/changes");
    await button(alice, "Deploy 18", "Reject").click();
    const dialog = alice.getByRole("dialog", { name: "Reject 18 to production?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await button(alice, "Deploy 18", "Reject").getAttribute("aria-busy")).toBe("false");
    await button(alice, "Deploy 18", "Reject").press("Enter");
    await dialog.getByRole("button", { name: "Reject" }).press("Enter");
    await message(bob, "rejected by alice").waitFor();
  });

  it("lets the user of a private answer press what is under it", async () => {
    await deploy(alice, "19");
    await button(bob, "Deploy 19", "Details").click();
    await button(bob, "19 to production: 3 changes", "Remind me").click();
    await message(bob, "I will remind you").getByText("Only you see this").waitFor();
    expect(await message(alice, "3 changes").count()).toBe(0);
    for (const page of [alice, bob]) expect(await seriousFindings(page)).toEqual([]);
    // It fits a phone.
    expect(await bob.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.viewport.width);
  });

  it("takes options of all types, selects of several, and shows that a bot is at work", async () => {
    const bot = new BotClient(await addBot(alice, "survey"), { url: chat.service.url });
    await bot.putMyCommands([
      {
        name: "order",
        description: "Order for somebody",
        options: [
          { name: "for", type: "user", description: "For whom", required: true },
          { name: "pieces", type: "integer", description: "How many", required: true },
          { name: "cut", type: "boolean", description: "Cut it" },
          { name: "room", type: "channel", description: "To which room" },
          { name: "price", type: "number", description: "At most for" },
        ],
      },
    ]);
    /** The newest update of the bot, once it has as many. */
    const heard = async (count: number) => {
      const { items } = await bot.pollUpdates({ offset: count - 1, timeout: 10 });
      return items[0]?.payload as { interaction_id: string; command?: object; component?: object };
    };
    await choose(bob, "order", { "How many": "3" }, { "For whom": "alice", "Cut it": "No" });
    const { interaction_id: order, command } = await heard(1);
    expect(command).toEqual({ name: "order", options: { for: "user-1", pieces: 3, cut: false } });
    await bob.getByText("/order: waiting for the bot").waitFor();
    await bot.respondToInteraction(order, { type: "working" });
    await bob.getByText("/order: the bot is working").waitFor();
    const options = ["Ham", "Olives", "Basil"].map((label) => ({ label, value: label.toLowerCase() }));
    const select = { type: "select" as const, id: "on-it", placeholder: "On it", max: 2, options };
    await bot.respondToInteraction(order, { type: "private", body: "What on it?", components: [[select]] });

    const question = message(bob, "What on it?");
    await question.getByRole("button", { name: "Choose" }).click();
    await bob.getByRole("alert").getByText("On it: choose 1 to 2").waitFor();
    await question.getByRole("group", { name: "On it" }).getByLabel("Ham").check();
    await question.getByLabel("Basil").check();
    await question.getByRole("button", { name: "Choose" }).click();
    const { interaction_id: chosen, component } = await heard(2);
    expect(component).toEqual({ id: "on-it", values: ["ham", "basil"] });
    expect(await question.locator("form").getAttribute("aria-busy")).toBe("true");
    await bot.respondToInteraction(chosen, { type: "private", body: "It is on its way" });
    await message(bob, "It is on its way").waitFor();
    await expect.poll(() => question.locator("form").getAttribute("aria-busy")).toBe("false");
  });

  it("shows media of any type, also where there is no text", async () => {
    const media = [
      { type: "image", name: "map.png", url: "https://example.com/map.png" },
      { type: "plan", url: "https://example.com/plan" },
      { type: "file", name: "no link", url: "javascript:alert(1)" },
    ];
    const bot = new BotClient(deployToken, { url: chat.service.url });
    const room = await channelId();
    const { id } = await bot.createBotPost(room, { body: "", media });
    const shown = messages(alice).filter({ hasText: "map.png" });
    expect(await shown.locator(".media").textContent()).toBe("map.pnghttps://example.com/planno link");
    expect(await shown.getByRole("link").count()).toBe(2);
    await bot.editBotPost(room, id, { media: [{ type: "video", name: "walk.mp4" }] });
    await messages(alice).filter({ hasText: "walk.mp4" }).waitFor();
    await bot.deleteBotPost(room, id);
    await messages(alice).filter({ hasText: "walk.mp4" }).waitFor({ state: "detached" });
  });

  it("refuses a press of what was edited meanwhile, and shows it as it is now", async () => {
    const api = new BotClient(deployToken, { url: chat.service.url });
    const post = await postOf("Deploy 19");
    await alice.route("**/presses", async (route) => {
      await api.editBotPost(await channelId(), post?.id ?? "", {
        body: "Deploy 20 to production? alice asks",
      });
      await route.continue();
    });
    await button(alice, "Deploy 19", "Approve").click();
    await alice.getByRole("alert").getByText("This message has changed meanwhile").waitFor();
    await alice.unroute("**/presses");
    await button(alice, "Deploy 20", "Approve").click();
    await message(bob, "approved by alice").waitFor();
    expect(await alice.getByRole("alert").textContent()).toBe("");
  });

  it("shows while a button waits, also after opening the page anew", async () => {
    await deploy(bob, "21");
    await button(bob, "Deploy 21", "Approve").waitFor();
    await chat.service.kill();
    await button(bob, "Deploy 21", "Approve").click();
    expect(await button(bob, "Deploy 21", "Approve").getAttribute("aria-busy")).toBe("true");
    await bob.reload();
    await bob.getByRole("button", { name: "Kitchen" }).click();
    await expect.poll(() => button(bob, "Deploy 21", "Approve").getAttribute("aria-busy")).toBe("true");
    // Of two who decide at once, one does.
    await button(alice, "Deploy 21", "Approve").click();
    await chat.service.restart();
    for (const page of [alice, bob]) {
      await message(page, "21 to production: approved by").waitFor();
      await expect.poll(() => page.locator("[aria-busy=true]").count()).toBe(0);
    }
    const isThanked = (page: Page) => message(page, "you have approved 21").count();
    await expect.poll(async () => (await isThanked(alice)) + (await isThanked(bob))).toBe(1);
    const told = "changed meanwhile|Somebody else was faster";
    await expect
      .poll(async () => {
        const texts = [alice, bob].map((page) => page.locator("body").innerText());
        return (await Promise.all(texts)).filter((text) => new RegExp(told).test(text)).length;
      })
      .toBe(1);
  });

  it("shows what a message answers, and tells Botyard", async () => {
    await button(bob, "Deploy 19", "Reply to deploys").click();
    await bob.getByText("Replying to deploys: Deploy 19").waitFor();
    await say(bob, "At last");
    for (const page of [alice, bob]) {
      await message(page, "At last").getByRole("link", { name: "deploys: Deploy 19" }).waitFor();
    }
    expect(await bob.getByText("Replying to").isVisible()).toBe(false);
    const answer = await eventually("it is sent", () => postOf("At last"));
    expect(answer.reply_to?.author?.username).toBe("deploys");
    // A bot answers too.
    const api = new BotClient(deployToken, { url: chat.service.url });
    await api.createBotPost(await channelId(), { body: "You are welcome", reply_to: answer.id });
    await message(alice, "You are welcome").getByRole("link", { name: "bob: At last" }).waitFor();
    // What is answered is deleted: the answer stays.
    await chat.ownerOf(1).deleteChannelPost(await channelId(), answer.id);
    await message(alice, "You are welcome").getByText("Reply to a deleted message").waitFor();
  });
});
