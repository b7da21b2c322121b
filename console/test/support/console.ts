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

/** A limit against hanging, not a measurement. */
const PATIENCE_MS = 20_000;

/** The real service with its console, and a real browser. */
export interface ConsoleUnderTest<Service extends RealService = RealService> {
  readonly service: Service;
  /**
   * A new tab in which nobody is signed in and nothing is stored. With options, even none of them set, it belongs to a
   * browser context of its own, whose cache is empty.
   */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** As `open`, signed in as the owner of `service.owner`. */
  signedIn(path: string, options?: BrowserContextOptions): Promise<Page>;
}

const DEFAULT_OPTIONS: BrowserContextOptions = {
  locale: "en-GB",
  timezoneId: "UTC",
  // Animated elements have neither their final position nor their final colours.
  reducedMotion: "reduce",
};

type Settings = Environment | (() => Promise<Environment>);

/**
 * One service for all tests of a file. After each test its tabs are closed, and it fails if a page had an error,
 * violated its policy, or sent a request to anything but the service.
 */
export function useConsole(env: Settings = {}): ConsoleUnderTest {
  return useConsoleOf(startService, env, "reused");
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
  contexts: "reused" | "new",
): ConsoleUnderTest<Service> {
  let service: Service;
  let browser: Browser;
  let reused: BrowserContext | undefined;
  let isReusedTaken = false;
  const ownContexts: BrowserContext[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    const settings = typeof env === "function" ? await env() : env;
    [service, browser] = await Promise.all([start(settings), sharedBrowser()]);
  });
  afterEach(async () => {
    await Promise.all([...ownContexts.splice(0), ...(reused?.pages() ?? [])].map((opened) => opened.close()));
    isReusedTaken = false;
    expect(complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await Promise.all([reused?.close(), service?.stop()]);
  });

  const newPage = async (options?: BrowserContextOptions) => {
    if (contexts === "reused" && !options && !isReusedTaken) {
      isReusedTaken = true;
      reused ??= await browser.newContext(DEFAULT_OPTIONS);
      const page = await reused.newPage();
      await forget(page, service.url);
      return page;
    }
    const context = await browser.newContext({ ...DEFAULT_OPTIONS, ...options });
    ownContexts.push(context);
    return await context.newPage();
  };
  const open = async (path: string, options?: BrowserContextOptions) => {
    const page = await newPage(options);
    page.setDefaultTimeout(PATIENCE_MS);
    listen(page, service.url, complaints);
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

/**
 * Clears all that earlier tests have stored, except Chromium's cache: 20 tests that began with an empty one took 45 s of
 * processor time instead of 37 s, since the console's 80 scripts were sent and compiled anew for each.
 */
async function forget(page: Page, origin: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  await session.detach();
  await page.context().clearCookies();
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
