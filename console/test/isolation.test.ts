import { expect, it } from "vitest";
import { useConsole } from "./support/console.js";

const under = useConsole();

/** The tests of a file take turns in one browser context. */
it.each([1, 2])("a test sees nothing of the one before: turn %d", async () => {
  // Any answer of the service will do: what is stored is stored for its origin.
  const page = await under.open("/readyz");
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
});
