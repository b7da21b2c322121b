import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { eventually } from "../../server/test/support/eventually.js";
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
  await eventually("the webhook fails", async () => (await owner.getWebhook(ids.bot)).failing_since);
  await receiver.close();
});

type Subject = [what: string, path: () => string, heading: string, act?: (page: Page) => Promise<unknown>];

/** Every page, with the actions to do on it first. */
const pages: Subject[] = [
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
  ["a search without a match", () => "/", "Bots", (page) => page.getByLabel("Search bots").fill("nobody")],
  ["the menu", () => "/", "Bots", (page) => page.getByRole("button", { name: /^Signed in/ }).click()],
  ["a bot", () => `/bots/${ids.bot}`, "weather"],
  ["its updates", () => `/bots/${ids.bot}/updates`, "weather"],
  [
    "a search in its updates",
    () => `/bots/${ids.bot}/updates?search=hello&kind=channel.*`,
    "weather",
    (page) => page.getByText("1 update found", { exact: true }).waitFor(),
  ],
  [
    "a search in its updates that finds nothing",
    () => `/bots/${ids.bot}/updates?search=nothing&state=failed`,
    "weather",
    (page) => page.getByText("No such update").waitFor(),
  ],
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
      await page.getByText("Not accepted").waitFor();
    },
  ],
  ["no webhook", () => `/bots/${ids.disabled}/webhook`, "echo"],
  ["its settings", () => `/bots/${ids.disabled}/settings`, "echo"],
  ["deleting", () => `/bots/${ids.bot}/settings`, "weather", openDialog("Delete the bot")],
  ["rotating", () => `/bots/${ids.bot}/settings`, "weather", openDialog("Rotate the token")],
  [
    "an update",
    () => `/bots/${ids.bot}/updates?update=1`,
    "weather",
    (page) => page.getByRole("dialog").getByTestId("request").waitFor(),
  ],
  ["replaying", () => `/bots/${ids.bot}/errors`, "weather", openDialog("Replay since")],
  [
    "selected bots",
    () => "/",
    "Bots",
    async (page) => {
      await page.getByLabel("Select @weather").check();
      await page.getByRole("button", { name: "Attach to a channel" }).waitFor();
    },
  ],
  [
    "finding",
    () => "/",
    "Bots",
    async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("option").first().waitFor();
    },
  ],
  ["your data", () => "/account", "Your data"],
  ["the channels", () => "/channels", "Channels"],
  ["a channel", () => `/channels/${ids.channel}`, "News"],
  [
    "what became of a post",
    () => `/channels/${ids.channel}`,
    "News",
    async (page) => {
      await page.getByRole("button", { name: "What became of it" }).click();
      await page.getByRole("link", { name: "update 1" }).waitFor();
    },
  ],
  ["no such bot", () => "/bots/gone", "Bot"],
  ["no such page", () => "/nowhere", "Page not found"],
];

/** The rules of axe that look at colours. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Each theme with the rules it is checked by: all else than the colours is the same in both. */
const THEMES: [colorScheme: "light" | "dark", rules?: string[]][] = [["light"], ["dark", COLOUR_RULES]];

/** The narrowest that WCAG asks for. */
const PHONE = { width: 320, height: 700 };
const DESKTOP = { width: 1280, height: 800 };

/** A busy machine checks that many in a third of a test's time-out. */
const PAGES_PER_TEST = 3;
const groups = Array.from({ length: Math.ceil(pages.length / PAGES_PER_TEST) }, (_, index) => {
  const group = pages.slice(index * PAGES_PER_TEST, (index + 1) * PAGES_PER_TEST);
  // Actions last: after them a page has to be loaded.
  group.sort(([, , , one], [, , , other]) => Number(Boolean(one)) - Number(Boolean(other)));
  return { what: group.map(([what]) => what).join(", "), group };
});

it("the sign-in page fits a phone, and axe finds no serious fault in either theme", async () => {
  const page = await under.open("/console/sign-in");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await lookAt(page)).toEqual([]);
});

/** Each page is opened once and checked in every variant, since opening takes longer than checking. */
it.each(groups)(
  "these pages fit a phone, and axe finds no serious fault in either theme: $what",
  async ({ group }) => {
    const page = await under.open("/livez");
    const findings: Record<string, string[]> = {};
    for (const [index, subject] of group.entries()) {
      await page.setViewportSize(PHONE);
      await open(page, subject, group[index - 1]);
      findings[subject[0]] = await lookAt(page);
    }
    expect(Object.entries(findings).filter(([, found]) => found.length > 0)).toEqual([]);
  },
);

/** The faults of the page in its current state. */
async function lookAt(page: Page): Promise<string[]> {
  await page.setViewportSize(PHONE);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  const findings = width > PHONE.width ? [`scrolls sideways on a phone: ${width} px`] : [];
  await page.setViewportSize(DESKTOP);
  const isDark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
  for (const [colorScheme, rules] of isDark ? THEMES.toReversed() : THEMES) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await page.evaluate(coloursSettled);
    findings.push(...(await seriousFindings(page, rules)).map((finding) => `${colorScheme}: ${finding}`));
  }
  return findings;
}

/** Set on the page: colours change in a transition, and meanwhile belong to neither theme. */
async function coloursSettled(): Promise<void> {
  const changes = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
  await Promise.allSettled(changes.map(({ finished }) => finished));
}

/** Opens it by its button. */
function openDialog(name: string) {
  return async (page: Page) => {
    await page.getByRole("button", { name }).click();
    await page.getByRole("dialog").waitFor();
  };
}

/** Opens it after `previous`, if any, which is the page that is open. */
async function open(page: Page, [, path, heading, act]: Subject, previous?: Subject): Promise<void> {
  const url = `${under.service.url}/console${path()}`;
  // Once signed in, and not again: a URL that differs in its hash alone would not load the page anew.
  if (!previous) await page.goto(`${url}#token=${under.service.ownerToken}`);
  // What was done there might stay open.
  else if (previous[3]) await page.goto(url);
  else if (page.url() !== url) await follow(page, url);
  await page.getByRole("heading", { name: heading, level: 1, exact: true }).waitFor();
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
  await act?.(page);
}

/** As by a link, which takes a tenth of the processor time of loading the page. */
async function follow(page: Page, url: string): Promise<void> {
  const title = await page.title();
  await page.evaluate((to) => history.pushState(null, "", to), url);
  await page.waitForFunction((before) => document.title !== before, title);
}
