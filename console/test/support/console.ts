import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import {
  type KillableService,
  type RealService,
  startKillableService,
  startService,
} from "../../../sdk/test/support/service.js";
import type { Environment } from "../../../server/test/support/program.js";
import { launchChromium } from "../../scripts/browser.mjs";
import { createSharedTab, type Look, type SharedTab } from "./shared-tab.js";

/** A limit against hanging, not a measurement. */
const PATIENCE_MS = 20_000;

/** How a tab is opened. */
export interface TabOptions extends Look {
  /** For a browser context of its own, whose cache is empty, even with none of these set. */
  context?: BrowserContextOptions;
}

/** The real service with its console, and a real browser. */
export interface ConsoleUnderTest<Service extends RealService = RealService> {
  readonly service: Service;
  /** A tab in which nobody is signed in and nothing is stored. */
  open(path: string, options?: TabOptions): Promise<Page>;
  /** As `open`, signed in as the owner of `service.owner`. */
  signedIn(path: string, options?: TabOptions): Promise<Page>;
}

const DEFAULT_OPTIONS: BrowserContextOptions = {
  locale: "en-GB",
  timezoneId: "UTC",
  // Animated elements have neither their final position nor their final colours.
  reducedMotion: "reduce",
};

type Settings = Environment | (() => Promise<Environment>);

/**
 * One service and one tab for all tests of a file; more tabs of a test are closed after it. A test fails if a page had an
 * error, violated its policy, or sent a request to anything but the service.
 */
export function useConsole(env: Settings = {}): ConsoleUnderTest {
  return useConsoleOf(startService, env, "shared");
}

/** As {@link useConsole}, with a service that can be killed. No page's code is in the cache, since it could be opened without the service. */
export function useKillableConsole(): ConsoleUnderTest<KillableService> {
  return useConsoleOf(startKillableService, {}, "new");
}

/** A process runs one file after another: a browser for each would take a second of processor time. */
let browserOfProcess: Promise<Browser> | undefined;

/** The browser that all tests of this process share. It ends with the process. */
export function sharedBrowser(): Promise<Browser> {
  browserOfProcess ??= launchChromium(inject("chromium"));
  return browserOfProcess;
}

function useConsoleOf<Service extends RealService>(
  start: (env: Environment) => Promise<Service>,
  env: Settings,
  tabs: "shared" | "new",
): ConsoleUnderTest<Service> {
  let service: Service;
  let browser: Browser;
  let shared: SharedTab | undefined;
  let isSharedTaken = false;
  const ownContexts: BrowserContext[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    const settings = typeof env === "function" ? await env() : env;
    [service, browser] = await Promise.all([start(settings), sharedBrowser()]);
    if (tabs === "shared") shared = createSharedTab(browser, DEFAULT_OPTIONS, prepare);
  });
  afterEach(async ({ task }) => {
    const left = shared?.leave(task.result?.state === "fail");
    await Promise.all([left, ...ownContexts.splice(0).map((context) => context.close())]);
    isSharedTaken = false;
    expect(complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await Promise.all([shared?.close(), service?.stop()]);
  });

  const prepare = (page: Page) => {
    page.setDefaultTimeout(PATIENCE_MS);
    listen(page, service.url, complaints);
  };
  const newTab = async ({ context: options, ...look }: TabOptions) => {
    if (shared && !options && !isSharedTaken) {
      isSharedTaken = true;
      return await shared.take(service.url, look);
    }
    const context = await browser.newContext({ ...DEFAULT_OPTIONS, ...look, ...options });
    ownContexts.push(context);
    const page = await context.newPage();
    prepare(page);
    return page;
  };
  const open = async (path: string, options: TabOptions = {}) => {
    const page = await newTab(options);
    await page.goto(`${service.url}${path}`);
    return page;
  };

  return {
    get service() {
      return service;
    },
    open,
    signedIn: (path, options) => open(`${path}#token=${service.ownerToken}`, options),
  };
}

/** Neither "back" to another page nor Ctrl-K leads away from the dialog that is open; the page says why. */
export async function expectGuarded(page: Page, reason: string): Promise<void> {
  const url = page.url();
  await page.keyboard.press("Control+k");
  await page.evaluate(() => history.back());
  await page.getByRole("alert").getByText(reason).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(1);
  await expect.poll(() => page.url()).toBe(url);
}

/** Answers of 4xx or 5xx, or none, are not errors of the page; tests check how pages handle them. */
function listen(page: Page, origin: string, complaints: string[]): void {
  page.on("pageerror", (error) => complaints.push(`error: ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !/Failed to load resource/.test(message.text()))
      complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:"))
      complaints.push(`request to ${request.url()}`);
  });
}
