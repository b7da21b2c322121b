import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "./support/axe.js";
import { useKillableConsole } from "./support/console.js";

const under = useKillableConsole();
let radioId = "";
let musicId = "";
let isDown = false;

beforeAll(async () => {
  const { owner } = under.service;
  radioId = (await owner.createBot({ username: "radio", display_name: "Radio One" })).bot.id;
  // Six bots: from that many on, their list has a search of its own.
  for (const username of ["weather", "echo", "lunch", "digest", "deploys"])
    await owner.createBot({ username });
  musicId = (await owner.createChannel({ slug: "music", title: "Music" })).id;
});
afterEach(async () => {
  if (isDown) await under.service.restart();
  isDown = false;
});

const dialog = (page: Page, name: string) => page.getByRole("dialog", { name });
const findIn = (page: Page) => dialog(page, "Find").getByRole("combobox");
const first = (page: Page) => dialog(page, "Find").getByRole("option").first();

/** Opens what is found first. */
async function go(page: Page, words: string, name: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await findIn(page).fill(words);
  await first(page).getByText(name, { exact: true }).waitFor();
  await page.keyboard.press("Enter");
  await findIn(page).waitFor({ state: "detached" });
}

describe("Ctrl-K", () => {
  it("finds bots, channels, pages and actions by words of their names", async () => {
    const page = await under.signedIn("/console");
    await page.getByRole("link", { name: "Radio One" }).waitFor();
    const path = () => page.url().slice(`${under.service.url}/console`.length);
    const places: [words: string, name: string, path: string][] = [
      ["one radio", "Radio One", `/bots/${radioId}`],
      ["#music", "Music", `/channels/${musicId}`],
      ["channels", "Channels", "/channels"],
      ["bots", "Bots", "/"],
      ["account", "Your data", "/account"],
      ["live @radio", "Live of Radio One", `/bots/${radioId}/live`],
      // Of the bot whose page is open.
      ["channels of", "Channels of Radio One", `/bots/${radioId}/channels`],
      ["replay", "Replay what failed: Radio One", `/bots/${radioId}/errors`],
      ["resume", "Pause or resume: Radio One", `/bots/${radioId}/webhook`],
      ["test", "Send a test event: Radio One", `/bots/${radioId}/webhook#test`],
      ["rotate token", "Rotate the token: Radio One", `/bots/${radioId}/settings`],
      ["create channel", "Create a channel", "/channels?create=channel"],
    ];
    for (const [words, name, expected] of places) {
      await go(page, words, name);
      await expect.poll(path, { message: words }).toBe(expected);
    }
    await page.keyboard.press("Escape");
    await go(page, "dark", "Dark theme");
    await page.locator("html[data-mantine-color-scheme=dark]").waitFor();
    await page.keyboard.press("Control+k");
    await findIn(page).fill("nowhere");
    await page.getByText("Nothing is called “nowhere”.").waitFor();
    await findIn(page).fill("docs");
    await first(page).getByText("API reference").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await go(page, "sign out", "Sign out");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  it("closes alone with Escape, and what is under it stays", async () => {
    const page = await under.signedIn("/console");
    await page.getByRole("button", { name: "Create a bot" }).click();
    const username = page.getByLabel("Username");
    await username.fill("half");
    await page.keyboard.press("Control+k");
    await expect.poll(() => findIn(page).evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.press("Escape");
    await findIn(page).waitFor({ state: "detached" });
    expect(await username.inputValue()).toBe("half");
    await expect.poll(() => username.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.press("Escape");
    await username.waitFor({ state: "detached" });
  });

  it("gives the focus back where it was when nothing is chosen", async () => {
    const page = await under.signedIn("/console");
    const search = page.getByLabel("Search bots");
    const isFocused = () => search.evaluate((element) => element === document.activeElement);
    await search.focus();
    for (const key of ["Escape", "Control+k"]) {
      await page.keyboard.press("Control+k");
      await findIn(page).waitFor();
      await expect.poll(isFocused).toBe(false);
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await expect.poll(isFocused).toBe(true);
    }
  });

  it("goes to a bot, a channel, a page of a bot, and an action by keyboard alone", async () => {
    const page = await under.signedIn("/console");
    await page.getByRole("link", { name: "Radio One" }).waitFor();
    await go(page, "@weat", "weather");
    await page.getByRole("heading", { name: "weather", level: 1 }).waitFor();
    await go(page, "#music", "Music");
    await page.getByRole("heading", { name: "Music", level: 1 }).waitFor();
    await go(page, "errors radio", "Errors of Radio One");
    await page.getByRole("heading", { name: "Not delivered", level: 2 }).waitFor();
    await go(page, "create a b", "Create a bot");
    await dialog(page, "Create a bot").waitFor();
  });

  it("opens at once while the service is down, says so, and signs out", async () => {
    const page = await under.signedIn("/console");
    await page.getByRole("link", { name: "Radio One" }).waitFor();
    await loadedAhead(page);
    await under.service.kill();
    isDown = true;
    await page.keyboard.press("Control+k");
    await dialog(page, "Find").getByText("The service does not answer. Only what was read before").waitFor();
    await findIn(page).fill("radio");
    await first(page).getByText("Radio One", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await findIn(page).waitFor({ state: "detached" });

    // The notice of a page that cannot be opened goes with the next one that can.
    await page.getByRole("link", { name: "Channels" }).first().click();
    const notice = page.getByText("That page cannot be opened now");
    await notice.waitFor();
    await page.getByRole("link", { name: "Bots", exact: true }).click();
    await notice.waitFor({ state: "detached" });
    await under.service.restart();
    isDown = false;
    await page.getByText("What you see may be out of date").waitFor({ state: "detached" });
    expect(await findIn(page).count()).toBe(0);

    await under.service.kill();
    isDown = true;
    await go(page, "sign out", "Sign out");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});

describe("a page that does not exist", () => {
  it("leads back: with the menu, and a channel's to the channels", async () => {
    const page = await under.signedIn("/console/nowhere");
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Channels" }).waitFor();
    await page.goto(`${under.service.url}/console/channels/gone`);
    await page.getByText("It was deleted, the URL is wrong").waitFor();
    await page.getByRole("link", { name: "Your channels" }).click();
    await page.getByRole("heading", { name: "Channels", level: 1 }).waitFor();
  });
});

/** The dialog's code is there: its script with all that it imports, and its style sheet. */
async function loadedAhead(page: Page): Promise<void> {
  const loaded = await page.waitForFunction(() => {
    const names = performance.getEntriesByType("resource").map(({ name }) => name);
    const script = names.find((name) => /find-dialog.*\.js$/.test(name));
    return script && names.some((name) => /find-dialog.*\.css$/.test(name)) ? script : undefined;
  });
  // As text: vitest would turn the import into one of its own.
  await page.evaluate(`import(${JSON.stringify(await loaded.jsonValue())}).then(() => {})`);
}
