import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accept, type Receiver, startReceiver } from "../../server/test/support/receiver.js";
import { seriousFindings } from "./support/axe.js";
import { useConsole } from "./support/console.js";

const under = useConsole();
let receiver: Receiver;
let botId = "";
let channelId = "";

beforeAll(async () => {
  const { owner } = under.service;
  receiver = await startReceiver();
  channelId = (await owner.createChannel({ slug: "news", title: "News" })).id;
  botId = (await owner.createBot({ username: "reader", display_name: "The reader" })).bot.id;
  await owner.attachBot(botId, channelId);
  await owner.putWebhook(botId, { url: receiver.url, secret_token: "open-sesame" });
  await publish(30);
});
afterAll(() => receiver.close());

async function publish(count: number): Promise<void> {
  for (let i = 1; i <= count; i++) {
    await under.service.owner.createChannelPost(channelId, { body: `it's post ${i}.` });
  }
}

const rows = (page: Page) => page.getByRole("list", { name: "Updates" }).getByRole("listitem");

describe("the list of updates", () => {
  it("does not move by itself, and keeps the focus, while new ones come", async () => {
    const page = await under.signedIn(`/console/bots/${botId}/updates`);
    const row = rows(page).filter({ hasText: "it's post 28." });
    const link = row.getByRole("link");
    await link.focus();
    const before = await row.boundingBox();
    await publish(3);
    await page.getByRole("button", { name: "Show 3 new updates" }).waitFor();
    expect(await row.boundingBox()).toEqual(before);
    expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
    // Scrolled out of sight it keeps the focus as well.
    await page.setViewportSize({ width: 800, height: 300 });
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await rows(page).filter({ hasText: "it's post 1." }).waitFor();
    expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.getByRole("button", { name: "Show 3 new updates" }).click();
    await page.evaluate(() => scrollTo(0, 0));
    await rows(page).filter({ hasText: "33" }).first().waitFor();
  });

  it("opens an update with one entry in the history, which closing it removes", async () => {
    const page = await under.signedIn(`/console/bots/${botId}`);
    await page.getByRole("navigation", { name: "Bot" }).getByRole("link", { name: "Updates" }).click();
    await rows(page).first().getByRole("link").click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await rows(page).first().getByRole("link").click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.goBack();
    await page.getByText("Attempts", { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/bots/${botId}`);
  });

  it("begins at a time", async () => {
    const page = await under.signedIn(`/console/bots/${botId}/updates`);
    await rows(page).first().waitFor();
    await page.getByLabel("Recorded before").fill("2001-01-01T12:00");
    await page.getByText("No update at that time").waitFor();
    expect(new URL(page.url()).searchParams.get("until")).toContain("2001-01-01T12:00");
    await page.getByRole("button", { name: "Show all updates" }).click();
    await rows(page).first().waitFor();
  });

  it("shows those of a channel, of a kind and since a time, also on a phone", async () => {
    const { owner } = under.service;
    const other = await owner.createChannel({ slug: "other", title: "Other" });
    await owner.attachBot(botId, other.id);
    await owner.emitChannelEvent(other.id, { event_type: "ticket.opened", payload: { by: "Zoe" } });
    const page = await under.signedIn(`/console/bots/${botId}/updates`, {
      viewport: { width: 320, height: 700 },
    });
    const kind = page.getByRole("combobox", { name: "Show updates of the kind" });
    await page.getByLabel("Show updates of the channel").selectOption("#other");
    const found = page.getByTestId("searched");
    await found.getByText("1 update found").waitFor();
    await rows(page).filter({ hasText: "ticket.opened" }).waitFor();
    await page.getByLabel("Show updates of the channel").selectOption("In any channel");
    await kind.fill("ticket.*");
    await found.getByText("1 update found").waitFor();
    await page.getByLabel("Search updates").fill("zoe");
    const inAddress = () => Object.fromEntries(new URL(page.url()).searchParams);
    await expect.poll(inAddress).toEqual({ search: "zoe", kind: "ticket.*" });
    await found.getByText("1 update found").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel("Recorded since").fill("2099-01-01T12:00");
    await page.getByText("No such update").waitFor();
    await page.getByLabel("Recorded before").fill("2098-01-01T12:00");
    await page.getByText("Earlier than “since”: nothing lies between").waitFor();
    await page.getByRole("button", { name: "Show all updates" }).click();
    await found.waitFor({ state: "detached" });
    await kind.fill("channel.post_created");
    await found.getByText(/updates found/).waitFor();
    await rows(page).filter({ hasText: "it's post 28." }).waitFor();
    expect(await rows(page).filter({ hasText: "ticket.opened" }).count()).toBe(0);
    // What was typed before the page is left does not bring it back.
    await page.getByLabel("Search updates").fill("something");
    await page.getByRole("navigation", { name: "Bot" }).getByRole("link", { name: "Errors" }).click();
    await page.getByText("Everything is delivered").waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/bots/${botId}/errors`);
  });
});

describe("a search", () => {
  it("for a number finds the update that has it, and what has it in its text", async () => {
    const page = await under.signedIn(`/console/bots/${botId}/updates`);
    const search = page.getByLabel("Search updates");
    for (const number of ["#12", "12"]) {
      await search.fill(number);
      // Ids of posts may have the number too: they are behind it.
      await page
        .getByTestId("searched")
        .getByText(/found$/)
        .waitFor();
      await rows(page).first().filter({ hasText: "it's post 12." }).waitFor();
      await page.getByRole("button", { name: "Show all updates" }).click();
    }
    await search.fill("#4711");
    await page.getByText("No such update").waitFor();
  });

  it("for a misspelt kind names the kinds that there are", async () => {
    const page = await under.signedIn(`/console/bots/${botId}/updates`);
    await page.getByRole("combobox", { name: "Show updates of the kind" }).fill("chanel.post_created");
    await page.getByText("“chanel.post_created” is none of the service’s own kinds").waitFor();
    await page.getByText(/channel\.post_created, channel\.post_edited/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});

describe("an update", () => {
  it("shows its channel by name, the request as it was sent, and the one before and after it", async () => {
    const page = await under.signedIn(`/console/bots/${botId}/updates`);
    await rows(page).filter({ hasText: "it's post 28." }).getByRole("link").click();
    const details = page.getByRole("dialog", { name: "Update 28" });
    await details.getByText("Delivered, at attempt 1").waitFor();
    await details.getByText(/accepted after/).waitFor();
    expect(await details.getByRole("link", { name: "#news" }).getAttribute("href")).toContain(channelId);
    const shown = (await details.getByTestId("request").textContent()) ?? "";
    const sent = receiver.requests.find(({ updateId }) => updateId === 28);
    const [head = "", body] = shown.split("\n\n");
    expect(body).toBe(sent?.body);
    expect(head.split("\n")[0]).toBe(`POST ${receiver.url}`);
    for (const line of head.split("\n").slice(1)) {
      const [name = "", value = ""] = line.split(": ");
      const there = String(sent?.headers[name.toLowerCase()]);
      expect(there).toMatch(value.includes("•") ? /^.+$/ : value);
    }
    expect(shown).not.toContain("open-sesame");

    await page.keyboard.press("j");
    await page.getByRole("dialog", { name: "Update 27" }).getByText("it's post 27.").first().waitFor();
    await page.keyboard.press("k");
    await page.keyboard.press("k");
    await page.getByRole("dialog", { name: "Update 29" }).waitFor();
  });

  it("is sent again when it was delivered, after a question, and stays delivered", async () => {
    const page = await under.signedIn(`/console/bots/${botId}/updates?update=5`);
    const details = page.getByRole("dialog", { name: "Update 5" });
    await details.getByText("Delivered, at attempt 1").waitFor();
    const again = () => receiver.requests.filter(({ headers }) => headers["botyard-sent-again"] === "true");
    await details.getByRole("button", { name: "Send again" }).click();
    await details.getByRole("button", { name: "Cancel" }).click();
    expect(again()).toEqual([]);
    receiver.answerWith((response) => response.writeHead(409).end("I have it"));
    await details.getByRole("button", { name: "Send again" }).click();
    await details.getByRole("button", { name: "Send it now" }).click();
    await details.getByText("Not accepted: 409 Conflict").waitFor();
    await details.getByText("I have it").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    receiver.answerWith(accept);
    await details.getByRole("button", { name: "Send again" }).click();
    await details.getByRole("button", { name: "Send it now" }).click();
    await details.getByText("Accepted with 200").waitFor();
    expect(again().map(({ updateId }) => updateId)).toEqual([5, 5]);
    await details.getByText("Delivered, at attempt 1").waitFor();
    // The answer is of that update alone.
    await page.keyboard.press("k");
    await page.getByRole("dialog", { name: "Update 6" }).getByText("Delivered, at attempt 1").waitFor();
    expect(await page.getByText("Accepted with 200").count()).toBe(0);
  });
});

describe("times", () => {
  it("are yesterday by the calendar, not by hours", async () => {
    // Playwright sets the clock of a whole browser context: later tests must not share it.
    const page = await under.open("/livez", { context: {} });
    const now = new Date();
    // The day after tomorrow, earlier than now by the clock: less than 48 hours.
    const later =
      Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 2) +
      (now.getTime() % 86_400_000) / 2;
    await page.clock.setFixedTime(later);
    await page.goto(`${under.service.url}/console/bots/${botId}/updates#token=${under.service.ownerToken}`);
    await rows(page).first().getByText("2 days ago").waitFor();
    await page.clock.setFixedTime(later - 86_400_000 + 43_200_000);
    await page.reload();
    await rows(page)
      .first()
      .getByText(/yesterday|hr\. ago/)
      .waitFor();
  });
});

describe("a screen reader", () => {
  it("hears of each tab of a bot that is opened", async () => {
    const page = await under.signedIn(`/console/bots/${botId}`);
    for (const tab of ["Updates", "Errors", "Webhook"]) {
      await page.getByRole("navigation", { name: "Bot" }).getByRole("link", { name: tab }).click();
      await expect
        .poll(() => page.getByTestId("announcer").textContent())
        .toBe(`${tab} · The reader · Botyard`);
    }
  });
});

describe("the answer to a test event", () => {
  it("is wrapped, however long it is, and on a phone its title too", async () => {
    const page = await under.signedIn(`/console/bots/${botId}/webhook`);
    receiver.answerWith((response) => {
      response
        .writeHead(502, "The receiver is behind a proxy that has words to say about it")
        .end("x".repeat(5_000));
    });
    await page.setViewportSize({ width: 320, height: 700 });
    await page.getByRole("button", { name: "Send a test event" }).click();
    await page.getByText(/Answered after \d+ ms/).waitFor();
    const fits = (text: string | RegExp) =>
      page
        .getByText(text)
        .last()
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth + 1);
    expect(await fits(/^x{1000}/)).toBe(true);
    expect(await fits(/^Not accepted: 502/)).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    receiver.answerWith((response) => response.destroy());
    await page.getByRole("button", { name: "Send a test event" }).click();
    await page.getByText(/No answer; ended after \d+ ms/).waitFor();
  });

  it("says once when it can be asked for again", async () => {
    const page = await under.signedIn(`/console/bots/${botId}/webhook`);
    const send = page.getByRole("button", { name: "Send a test event" });
    await expect
      .poll(
        async () => {
          if (await send.isEnabled()) await send.click();
          return await page.getByText("Too many requests").count();
        },
        { timeout: 30_000 },
      )
      .toBe(1);
    const text = (await page.getByRole("alert").textContent()) ?? "";
    expect(text.match(/try again in/gi)).toHaveLength(1);
  });
});
