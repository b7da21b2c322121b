import { describe, expect, it } from "vitest";
import { botyardResult } from "../../server/test/support/program.js";
import { useConsole } from "./support/console.js";

const under = useConsole();

describe("signing in", () => {
  it("works with a pasted token, which only the tab keeps", async () => {
    const page = await under.open("/console");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/sign-in");
    await page.getByLabel("Owner token").fill(` ${under.service.ownerToken}\n`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Bots", level: 1 }).waitFor();
    const kept = await page.evaluate(() =>
      [localStorage, sessionStorage].map((store) => Object.values(store)),
    );
    expect(kept[0]).not.toContain(under.service.ownerToken);
    expect(kept[1]).toContain(under.service.ownerToken);
    expect(await page.context().cookies()).toEqual([]);
  });

  it("works with a link, whose token is removed from the URL and the history at once", async () => {
    const requests: string[] = [];
    const page = await under.open("/console/sign-in");
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`${under.service.url}/console/channels#token=${under.service.ownerToken}`);
    await page.getByRole("heading", { name: "Channels", level: 1 }).waitFor();
    expect(page.url()).toBe(`${under.service.url}/console/channels`);
    await page.goBack();
    await page.goForward();
    expect(page.url()).not.toContain("token");
    expect(requests.filter((url) => url.includes(under.service.ownerToken))).toEqual([]);
  });

  it.each([
    ["a bot's token", "bot_abc", "That is a bot's token"],
    ["half a token", "eyJhbGciOi", "That is not an owner token"],
    [
      "a token of somebody else's",
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSIsImV4cCI6OTk5OTk5OTk5OX0.c2lnbmF0dXJl",
      "signature is not valid",
    ],
  ])("says what is wrong with %s", async (_what, token, message) => {
    const page = await under.open("/console");
    await page.getByLabel("Owner token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText(message).waitFor();
  });

  it("leads to the requested page", async () => {
    const page = await under.open("/console/channels");
    await page.getByLabel("Owner token").fill(under.service.ownerToken);
    await page.getByLabel("Owner token").press("Enter");
    await page.getByRole("heading", { name: "Channels", level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/channels");
  });

  it("is required again when the token is no longer valid, and returns to the same page", async () => {
    const page = await under.signedIn("/console/channels");
    await page.getByRole("heading", { name: "Channels", level: 1 }).waitFor();
    await page.evaluate(() => {
      for (const key of Object.keys(sessionStorage)) sessionStorage.setItem(key, "gone");
    });
    await page.getByRole("link", { name: "Bots", exact: true }).click();
    await page.getByText("Your session has ended").waitFor();
    await page.getByLabel("Owner token").fill(under.service.ownerToken);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Bots", level: 1 }).waitFor();
  });

  it("is required again when the token expires while idle, and the tail continues without a gap", async () => {
    const { owner, dataDir, url } = under.service;
    const { bot } = await owner.createBot({ username: "reader" });
    const channel = await owner.createChannel({ slug: "expiring", title: "Expiring" });
    await owner.attachBot(bot.id, channel.id);
    await owner.createChannelPost(channel.id, { body: "before" });
    const { stdout } = await botyardResult(["owner-token", "--user", "alice", "--ttl", "5s"], {
      DATA_DIR: dataDir,
    });
    const page = await under.open(`/console/bots/${bot.id}/live#token=${stdout.trim()}`);
    const isOver = page.getByText("Your session has ended");
    await page.getByRole("listitem").getByText("before").or(isOver).waitFor();
    // The service checks the token again when it has something to send.
    await expect
      .poll(
        async () => {
          await owner.createChannelPost(channel.id, { body: "meanwhile" });
          return await isOver.isVisible();
        },
        { timeout: 20_000, interval: 500 },
      )
      .toBe(true);
    await page.getByLabel("Owner token").fill(under.service.ownerToken);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("listitem").getByText("meanwhile").first().waitFor();
    expect(page.url()).toBe(`${url}/console/bots/${bot.id}/live`);
  });

  it("ends by signing out", async () => {
    const page = await under.signedIn("/console");
    const owner = page.getByRole("button", { name: /^Signed in as alice/ });
    await owner.click();
    await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    // The menu came with this click; it gives the focus back like any other.
    await page.keyboard.press("Escape");
    await page.getByRole("menuitem", { name: "Sign out" }).waitFor({ state: "detached" });
    await expect.poll(() => owner.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.evaluate(() => Object.values(sessionStorage))).not.toContain(under.service.ownerToken);
  });
});
