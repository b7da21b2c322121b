import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { refuse, startReceiver } from "../../server/test/support/receiver.js";
import { seriousFindings } from "./support/axe.js";
import { useConsole } from "./support/console.js";

const under = useConsole({ WEBHOOK_RETRY_SCHEDULE: "1h" });
const ids = { bot: "", disabled: "", channel: "" };

beforeAll(async () => {
  const { owner } = under.service;
  const bots = await Promise.all(
    ["weather", "echo", "lunch", "digest", "deploys", "desk"].map((username) =>
      owner.createBot({ username, description: "Does what its name says" }),
    ),
  );
  ids.bot = bots[0]?.bot.id ?? "";
  ids.disabled = bots[1]?.bot.id ?? "";
  const receiver = await startReceiver(refuse(503));
  ids.channel = (await owner.createChannel({ slug: "news", title: "News" })).id;
  await owner.createChannel({ slug: "general", title: "General" });
  await owner.attachBot(ids.bot, ids.channel);
  await owner.putWebhook(ids.bot, { url: receiver.url, secret_token: "open-sesame" });
  await owner.createChannelPost(ids.channel, { body: "Hello" });
  await owner.disableBot(ids.disabled);
  while ((await owner.getWebhook(ids.bot)).failing_since === undefined);
  await receiver.close();
});

/** Every page, with what is done on it first. */
const pages: [what: string, path: () => string, heading: string, act?: (page: Page) => Promise<unknown>][] = [
  ["the bots", () => "/", "Bots"],
  [
    "creating a bot",
    () => "/",
    "Bots",
    async (page) => {
      await page.getByRole("button", { name: "Create a bot" }).click();
      await page.getByLabel("Username").fill("not so");
      await page.getByText("not spaces").waitFor();
    },
  ],
  ["a search in vain", () => "/", "Bots", (page) => page.getByLabel("Search bots").fill("nobody")],
  ["the menu", () => "/", "Bots", (page) => page.getByRole("button", { name: /^Signed in/ }).click()],
  ["a bot", () => `/bots/${ids.bot}`, "weather"],
  ["its updates", () => `/bots/${ids.bot}/updates`, "weather"],
  ["its errors", () => `/bots/${ids.bot}/errors`, "weather"],
  ["its live tail", () => `/bots/${ids.bot}/live`, "weather"],
  ["its channels", () => `/bots/${ids.bot}/channels`, "weather"],
  ["attaching", () => `/bots/${ids.bot}/channels`, "weather", openDialog("Attach to a channel")],
  ["its webhook", () => `/bots/${ids.bot}/webhook`, "weather"],
  [
    "a failed test event",
    () => `/bots/${ids.bot}/webhook`,
    "weather",
    async (page) => {
      await page.getByRole("button", { name: "Send a test event" }).click();
      await page.getByText("It was not accepted").waitFor();
    },
  ],
  ["no webhook", () => `/bots/${ids.disabled}/webhook`, "echo"],
  ["its settings", () => `/bots/${ids.disabled}/settings`, "echo"],
  ["deleting", () => `/bots/${ids.bot}/settings`, "weather", openDialog("Delete the bot")],
  ["rotating", () => `/bots/${ids.bot}/settings`, "weather", openDialog("Rotate the token")],
  ["the channels", () => "/channels", "Channels"],
  ["a channel", () => `/channels/${ids.channel}`, "News"],
  ["no such bot", () => "/bots/gone", "Bot"],
  ["no such page", () => "/nowhere", "There is no such page"],
];

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  it("the sign-in has nothing that axe finds serious", async () => {
    const page = await under.open("/console/sign-in?expired=true", { colorScheme });
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("no page has anything that axe finds serious", async () => {
    const page = await under.signedIn("/console", { colorScheme });
    const findings: Record<string, string[]> = {};
    for (const [what, path, heading, act] of pages) {
      await open(page, path(), heading, act);
      findings[what] = await seriousFindings(page);
    }
    expect(Object.entries(findings).filter(([, found]) => found.length > 0)).toEqual([]);
  });
});

it("every page fits a phone, without scrolling sideways", async () => {
  const page = await under.signedIn("/console", { viewport: { width: 390, height: 844 } });
  const tooWide: string[] = [];
  for (const [what, path, heading, act] of pages) {
    await open(page, path(), heading, act);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > 390) tooWide.push(`${what}: ${width} px`);
  }
  expect(tooWide).toEqual([]);
});

/** By its button. */
function openDialog(name: string) {
  return async (page: Page) => {
    await page.getByRole("button", { name }).click();
    await page.getByRole("dialog").waitFor();
  };
}

async function open(
  page: Page,
  path: string,
  heading: string,
  act?: (page: Page) => Promise<unknown>,
): Promise<void> {
  await page.goto(`${under.service.url}/console${path}`);
  await page.getByRole("heading", { name: heading, level: 1, exact: true }).waitFor();
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
  await act?.(page);
}
