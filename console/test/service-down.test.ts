import { afterEach, describe, expect, it } from "vitest";
import { useKillableConsole } from "./support/console.js";

const under = useKillableConsole();
let isDown = false;

async function down(): Promise<void> {
  await under.service.kill();
  isDown = true;
}

async function up(): Promise<void> {
  await under.service.restart();
  isDown = false;
}

afterEach(async () => {
  if (isDown) await up();
});

describe("while the service is down", () => {
  it("a page whose code is not there yet opens when the service is back, and the page before stays", async () => {
    const page = await under.signedIn("/console");
    await page.getByRole("heading", { name: "Bots", level: 1 }).waitFor();
    await down();
    await page.getByRole("link", { name: "Channels" }).click();
    await page.getByText("That page cannot be opened now").waitFor();
    expect(await page.getByRole("heading", { name: "Bots", level: 1 }).isVisible()).toBe(true);
    await up();
    await page.getByRole("heading", { name: "Channels", level: 1 }).waitFor();
    expect(await page.getByText("That page cannot be opened now").count()).toBe(0);
  });

  it("a failed save says what became of it, keeps what was typed, and can be repeated", async () => {
    const { bot } = await under.service.owner.createBot({ username: "weather" });
    const page = await under.signedIn(`/console/bots/${bot.id}/settings`);
    await page.getByLabel("Display name").fill("Weather, tomorrow");
    await down();
    await page.getByRole("button", { name: "Save" }).click();
    const alert = page.getByRole("alert");
    await alert.getByText(/Nothing was changed|It may have been done/).waitFor();
    expect(await alert.textContent()).not.toContain("tries again by itself");
    await up();
    expect(await page.getByLabel("Display name").inputValue()).toBe("Weather, tomorrow");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Weather, tomorrow", level: 1 }).waitFor();
  });
});

describe("when the service is back", () => {
  it("boxes of failed loads and the notice go by themselves", async () => {
    const { owner } = under.service;
    const [first] = await Promise.all(
      ["first", "second"].map(async (slug) => await owner.createChannel({ slug, title: slug })),
    );
    const page = await under.signedIn(`/console/channels/${first?.id}`);
    await page.getByText("Nothing posted yet").waitFor();
    await page.getByRole("link", { name: "Channels" }).first().click();
    const link = page.getByRole("link", { name: "second", exact: true });
    await link.waitFor();
    await down();
    await link.click();
    const box = page.getByRole("alert").filter({ hasText: "The service does not answer" });
    await box.first().waitFor();
    expect(await box.first().textContent()).toContain("The page tries again by itself.");
    await up();
    await page.getByRole("heading", { name: "second", level: 1 }).waitFor();
    await page.getByText("Nothing posted yet").waitFor();
    await box.first().waitFor({ state: "detached" });

    // What was open stays, under a notice, which a page that was left does not keep.
    const { y } = (await page.getByText("Nothing posted yet").boundingBox()) ?? {};
    await down();
    const notice = page.getByRole("status").filter({ hasText: "What you see may be out of date" });
    await notice.waitFor();
    expect(await page.getByText("Nothing posted yet").boundingBox()).toMatchObject({ y });
    await page.getByRole("link", { name: "Channels" }).first().click();
    await page.getByRole("heading", { name: "Channels", level: 1 }).waitFor();
    await up();
    await notice.waitFor({ state: "detached" });
    await box.first().waitFor({ state: "detached" });
  });

  it("a page that was never open, and failed to load, says nothing of what may have been done", async () => {
    const page = await under.open("/console/sign-in");
    await page.getByLabel("Owner token").fill(under.service.ownerToken);
    await down();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Try again when it is back.").waitFor();
    expect(await page.getByText("may have been done").count()).toBe(0);
    await up();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Bots", level: 1 }).waitFor();
  });
});

describe("on a slow network", () => {
  it("a heading and placeholders are there before the style sheet and the code have come", async () => {
    const page = await under.open("/livez");
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/console/assets/**", async (route) => {
      await released;
      await route.continue();
    });
    const opened = page.goto(`${under.service.url}/console#token=${under.service.ownerToken}`);
    await page.getByRole("heading", { name: "Botyard", level: 1 }).waitFor();
    const skeleton = page.locator(".first > div").first();
    expect(await skeleton.evaluate((element) => element.getBoundingClientRect().height)).toBeGreaterThan(10);
    expect(await page.evaluate(() => document.styleSheets.length)).toBe(1);
    release();
    await opened;
    await page.getByRole("heading", { name: "Bots", level: 1 }).waitFor();
    await skeleton.waitFor({ state: "hidden" });
  });
});

describe("a page that is opened by its address", () => {
  it("is shown when its code is there, whatever that is waited for at most", async () => {
    const page = await under.open("/livez");
    // What only comes when a wait of a second or more has ended never comes.
    await page.addInitScript(() => {
      const start = globalThis.setTimeout;
      const startShort = (act: () => void, ms = 0, ...args: unknown[]) =>
        ms < 1000 ? start(act, ms, ...args) : 0;
      globalThis.setTimeout = startShort as typeof setTimeout;
    });
    await page.goto(`${under.service.url}/console/channels#token=${under.service.ownerToken}`);
    await page.getByRole("heading", { name: "Channels", level: 1 }).waitFor();
  });
});
