import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { botyardResult } from "../../server/test/support/program.js";
import { expectGuarded, useConsole } from "./support/console.js";

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

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Signed in as alice" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
}

async function tokenOf(user: string): Promise<string> {
  const { stdout } = await botyardResult(["owner-token", "--user", user], {
    DATA_DIR: under.service.dataDir,
  });
  return stdout.trim();
}

describe("a session that ends while something is open", () => {
  it("keeps the token of a new bot, which is shown only once", async () => {
    const page = await under.signedIn("/console/channels");
    await page.getByRole("link", { name: "Bots", exact: true }).click();
    await page.getByRole("button", { name: "Create a bot" }).click();
    await page.getByLabel("Username").fill("weather");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const token = await page.getByTestId("bot-token").textContent();
    await expectGuarded(page, "Copy the token first");
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
    // What is typed here is a token: nothing else opens.
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(1);
    await page.getByLabel("Owner token").fill(await tokenOf("bob"));
    await page.keyboard.press("Enter");
    const question = page.getByRole("dialog", { name: "Sign in as bob?" });
    await question.getByText("What alice has not saved in this tab is lost").waitFor();
    await question.getByRole("button", { name: "Back" }).click();
    await signInAgain(page);
    await page.getByRole("button", { name: "Signed in as alice" }).waitFor();
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

describe("signing out", () => {
  it("ends the session in all tabs of the owner, and asks for what is half written", async () => {
    const channel = await under.service.owner.createChannel({ slug: "drafts", title: "Drafts" });
    const path = `${under.service.url}/console/channels/${channel.id}`;
    const page = await under.signedIn("/console/channels");
    await page.getByRole("link", { name: "Drafts" }).click();
    const post = page.getByRole("textbox", { name: "Post", exact: true });
    await post.fill("Half a sent");
    const idle = await page.context().newPage();
    await idle.goto(`${under.service.url}/console`);
    await idle.getByRole("heading", { name: "Bots", level: 1 }).waitFor();
    const other = await page.context().newPage();
    await other.goto(path);
    await other.getByRole("textbox", { name: "Post", exact: true }).fill("Another");
    // Last: a new tab takes the session of whoever answers first.
    const bob = await page.context().newPage();
    await bob.goto(`${under.service.url}/console#token=${await tokenOf("bob")}`);

    await signOut(other);
    const question = other.getByRole("dialog", { name: "Sign out?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    await signOut(other);
    await question.getByRole("button", { name: "Sign out" }).click();
    for (const tab of [other, idle]) await tab.getByRole("heading", { name: "Sign in" }).waitFor();
    await bob.getByRole("button", { name: "Signed in as bob" }).waitFor();
    // Neither from the tab where something is not saved, nor from somebody else's.
    await other.goBack();
    await other.goto(path);
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.getByText("You have signed out in another tab").waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Channels", level: 1 }).waitFor();
    await page.getByText("You have signed out in another tab").waitFor();
    await page.goForward();

    await other.getByLabel("Owner token").fill(under.service.ownerToken);
    await other.keyboard.press("Enter");
    await page.getByText("You have signed out in another tab").waitFor({ state: "detached" });
    expect(await post.inputValue()).toBe("Half a sent");
    await bob.close();
    await idle.goto(path);
    await idle.getByRole("heading", { name: "Drafts" }).waitFor();
    await signOut(idle);
    await page.getByRole("button", { name: "Leave this page" }).click();
    for (const tab of [page, other]) await tab.getByRole("heading", { name: "Sign in" }).waitFor();
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
