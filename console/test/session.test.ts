import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { botyardResult } from "../../server/test/support/program.js";
import { useConsole } from "./support/console.js";

const under = useConsole();

/** The next request of the page is refused, as it is when the token has expired. */
async function expire(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const key of Object.keys(sessionStorage)) sessionStorage.setItem(key, "gone");
  });
  await page.getByText("Your session has ended").waitFor();
}

async function signInAgain(page: Page): Promise<void> {
  await page.getByLabel("Owner token").fill(under.service.ownerToken);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("Your session has ended").waitFor({ state: "detached" });
}

async function tokenOf(user: string): Promise<string> {
  const { stdout } = await botyardResult(["owner-token", "--user", user], {
    DATA_DIR: under.service.dataDir,
  });
  return stdout.trim();
}

describe("a session that ends while something is open", () => {
  it("keeps the token of a new bot, which is shown only once", async () => {
    const page = await under.signedIn("/console");
    await page.getByRole("button", { name: "Create a bot" }).click();
    await page.getByLabel("Username").fill("weather");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const token = await page.getByTestId("bot-token").textContent();
    await expire(page);
    await signInAgain(page);
    expect(await page.getByTestId("bot-token").textContent()).toBe(token);
    await page.getByRole("button", { name: "I have copied the token" }).click();
    await page.getByRole("link", { name: "weather", exact: true }).waitFor();
  });

  it("keeps a post that is half written", async () => {
    const channel = await under.service.owner.createChannel({ slug: "news", title: "News" });
    const page = await under.signedIn(`/console/channels/${channel.id}`);
    const post = page.getByRole("textbox", { name: "Post", exact: true });
    await post.fill("Half a sent");
    await expire(page);
    await signInAgain(page);
    expect(await post.inputValue()).toBe("Half a sent");
    await post.fill("Half a sentence");
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByRole("listitem").getByText("Half a sentence").waitFor();
  });

  it("goes on by itself when the owner signs in in another tab", async () => {
    const page = await under.signedIn("/console");
    await page.getByRole("heading", { name: "Bots", level: 1 }).waitFor();
    await expire(page);
    const other = await page.context().newPage();
    await other.goto(`${under.service.url}/console#token=${under.service.ownerToken}`);
    await page.getByText("Your session has ended").waitFor({ state: "detached" });
  });
});

describe("several tabs of one browser", () => {
  it("share the session: a new tab with a pasted link asks for no token", async () => {
    const page = await under.signedIn("/console");
    await page.getByRole("heading", { name: "Bots", level: 1 }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${under.service.url}/console/channels`);
    await other.getByRole("heading", { name: "Channels", level: 1 }).waitFor();
    expect(await other.evaluate(() => Object.values(localStorage))).not.toContain(under.service.ownerToken);
  });

  it("ask before a link for another owner takes the place of who is signed in", async () => {
    const bob = await tokenOf("bob");
    const page = await under.signedIn("/console");
    await page.getByRole("heading", { name: "Bots", level: 1 }).waitFor();
    const signedInAs = (name: string) => page.getByRole("button", { name: `Signed in as ${name}` });
    await page.goto(`${under.service.url}/console/channels#token=${bob}`);
    await page.getByRole("button", { name: "Stay alice" }).click();
    await signedInAs("alice").waitFor();
    expect(page.url()).not.toContain("token");

    // In the same page too.
    await page.evaluate((token) => location.assign(`#token=${token}`), bob);
    await page.getByRole("dialog").getByRole("button", { name: "Sign in as bob" }).click();
    await signedInAs("bob").waitFor();
    expect(page.url()).not.toContain("token");
  });

  it("let a link for another owner in a tab of its own sign in that tab alone", async () => {
    const bob = await tokenOf("bob");
    const page = await under.signedIn("/console");
    await page.getByRole("button", { name: "Signed in as alice" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${under.service.url}/console#token=${bob}`);
    await other.getByRole("button", { name: "Signed in as bob" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Signed in as alice" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });
});
