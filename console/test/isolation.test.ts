import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { useConsole } from "./support/console.js";

const under = useConsole();

/** What a page can see of its tab, apart from what is stored. */
const look = (page: Page) =>
  page.evaluate(() => ({
    name: window.name,
    entries: history.length,
    size: [innerWidth, innerHeight],
    isDark: matchMedia("(prefers-color-scheme: dark)").matches,
    isLessMotion: matchMedia("(prefers-reduced-motion: reduce)").matches,
  }));

/** The tests of a file take turns in one tab. */
it.each([1, 2])("a test sees nothing of the one before: turn %d", async () => {
  // Any answer of the service will do: what is stored is stored for its origin.
  const page = await under.open("/readyz");
  expect(await page.textContent("body")).not.toBe("routed");
  expect(page.context().pages()).toEqual([page]);
  // One entry besides its own: the page on which the tab was cleared.
  expect(await look(page)).toEqual({
    name: "",
    entries: 2,
    size: [1280, 720],
    isDark: false,
    isLessMotion: true,
  });
  const stored = () =>
    page.evaluate(async () => ({
      local: Object.keys(localStorage),
      session: Object.keys(sessionStorage),
      cookies: document.cookie,
      databases: (await indexedDB.databases()).map(({ name }) => name),
      caches: await caches.keys(),
    }));
  expect(await stored()).toEqual({ local: [], session: [], cookies: "", databases: [], caches: [] });
  await page.evaluate(async () => {
    localStorage.setItem("local", "1");
    sessionStorage.setItem("session", "1");
    document.cookie = "cookie=1";
    await new Promise((resolve) => {
      indexedDB.open("database").onsuccess = resolve;
    });
    await caches.open("cache");
    window.name = "name";
    // Not even what is stored while its tab is closed.
    addEventListener("pagehide", () => localStorage.setItem("late", "1"));
  });
  expect(await stored()).toEqual({
    local: ["local"],
    session: ["session"],
    cookies: "cookie=1",
    databases: ["database"],
    caches: ["cache"],
  });
  await page.route("**/readyz*", (route) => route.fulfill({ body: "routed" }));
  await page.setViewportSize({ width: 320, height: 700 });
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "no-preference" });
  await page.goto(`${under.service.url}/readyz?again`);
  expect(await page.textContent("body")).toBe("routed");
  expect(await look(page)).toEqual({
    name: "name",
    entries: 3,
    size: [320, 700],
    isDark: true,
    isLessMotion: false,
  });
  await page.context().newPage();
});
