import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

/** What a tab can change without a browser context of its own. */
export type Look = Pick<BrowserContextOptions, "viewport" | "colorScheme">;

/** The size and the theme of a tab unless its test asks for others: Playwright's own. */
const USUAL_VIEWPORT = { width: 1280, height: 720 };
const USUAL_SCHEME = "light";

/** One tab, in which tests take turns. */
export interface SharedTab {
  /** The tab, in which nothing of earlier tests is left. */
  take(origin: string, look: Look): Promise<Page>;
  /** Ends what its page does, and closes the other tabs that were opened beside it; after a failure the tab too. */
  leave(isFailed: boolean): Promise<void>;
  close(): Promise<void>;
}

/**
 * A page of the console takes a tab that has shown one before 0.4 s of processor time, and a new tab 0.7 s: scripts and
 * style sheets are neither sent nor compiled anew, and no renderer is started.
 *
 * @param opened is told each tab that is new
 */
export function createSharedTab(
  browser: Browser,
  options: BrowserContextOptions,
  opened: (page: Page) => void,
): SharedTab {
  let context: BrowserContext | undefined;
  let tab: Page | undefined;

  return {
    async take(origin, { viewport, colorScheme }) {
      context ??= await browser.newContext(options);
      if (!tab || tab.isClosed()) {
        tab = await context.newPage();
        opened(tab);
      }
      await tab.setViewportSize(viewport ?? USUAL_VIEWPORT);
      await tab.emulateMedia({
        colorScheme: colorScheme ?? USUAL_SCHEME,
        reducedMotion: options.reducedMotion ?? null,
      });
      await forget(tab, origin);
      return tab;
    },
    async leave(isFailed) {
      // A test that ran out of time goes on, and would drive the tab of the next.
      const ended = context?.pages().filter((page) => isFailed || page !== tab) ?? [];
      await Promise.all(ended.map((page) => page.close()));
      if (!tab || tab.isClosed()) return;
      await tab.goto("about:blank");
      await tab.unrouteAll({ behavior: "ignoreErrors" });
      // Nothing of the next page is under the mouse.
      await tab.mouse.move(0, 0);
    },
    async close() {
      await context?.close();
    },
  };
}

/**
 * Clears all that earlier tests have stored, except Chromium's cache: 20 tests that began with an empty one took 45 s of
 * processor time instead of 37 s, since the console's scripts were sent and compiled anew for each.
 */
async function forget(tab: Page, origin: string): Promise<void> {
  // Only a page of the origin can clear what the tab has stored for it.
  await tab.goto(`${origin}/livez`);
  await tab.evaluate(() => {
    sessionStorage.clear();
    window.name = "";
  });
  const context = tab.context();
  const session = await context.newCDPSession(tab);
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  await session.send("Page.resetNavigationHistory");
  await session.detach();
  await context.clearCookies();
}
