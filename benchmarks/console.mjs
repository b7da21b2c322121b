import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchChromium } from "../console/scripts/browser.mjs";
import { firstPageKilobytes } from "../console/scripts/first-page.mjs";
import { percentile, round, withGoal } from "./support/figures.mjs";
import { fillPostgres } from "./support/fill-postgres.mjs";
import { fillSqlite } from "./support/fill-sqlite.mjs";
import { ownerOf } from "./support/owner.mjs";
import { postAtRate } from "./support/post-load.mjs";
import { startBotyard } from "./support/processes.mjs";
import { takeMeasurements, watchPage } from "./support/watch-page.mjs";

export const question =
  "what the console loads, how fast it reacts with a long log, and whether its live tail keeps up";

const FILL = { sqlite: fillSqlite, postgres: fillPostgres };
const CLICKS = 15;
const FILTERS = 10;
const TAIL = { rate: 1_000, shownAtFirst: 20 };
const GOALS = { kilobytes: { atMost: 220 }, interactionMs: { atMost: 100 }, longestTaskMs: { atMost: 200 } };
const PATIENCE_MS = 60_000;

export async function run(engines, { quick }) {
  const updates = quick ? 3_000 : 100_000;
  const seconds = quick ? 2 : 10;
  const table = [];
  const summary = [
    `JavaScript of the first page: ${withGoal(firstPageKilobytes(), GOALS.kilobytes, 1)} kB, gzipped`,
  ];
  const browser = await launchChromium();
  try {
    for (const engine of engines) {
      const console_ = await startFilled(engine, updates);
      try {
        const open = async (path) => {
          const page = await browser.newPage({ locale: "en-GB" });
          page.setDefaultTimeout(PATIENCE_MS);
          await watchPage(page);
          await page.goto(`${console_.url}/console${path}#token=${console_.owner.token}`);
          return page;
        };
        const log = await readLog(await open(`/bots/${console_.bots.delivered.id}/updates`), updates);
        const tail = await followTail(await open(`/bots/${console_.bots.polled.id}/live`), console_, seconds);
        table.push(...log.rows.map((row) => ({ engine: engine.name, ...row })));
        summary.push(...[...log.summary, ...tail].map((line) => `${engine.name}: ${line}`));
      } finally {
        await console_.stop();
      }
    }
  } finally {
    await browser.close();
  }
  return { table, summary };
}

/** A service with two logs of `updates`: one delivered, in which one in a hundred failed, and one pending. */
async function startFilled(engine, updates) {
  const folder = mkdtempSync(join(tmpdir(), "botyard-bench-"));
  const store = { ...(await engine.createStore()), DATA_DIR: folder };
  const empty = await startBotyard(store);
  const channels = {};
  const bots = {};
  for (const name of ["polled", "delivered"]) {
    channels[name] = (await ownerOf(empty).createChannel(name)).id;
    bots[name] = await ownerOf(empty).createBot(name, channels[name]);
  }
  await empty.stop();
  await FILL[engine.name](store, channels, updates);
  const service = await startBotyard(store);
  return {
    url: service.url,
    owner: ownerOf(service),
    bots,
    channels,
    async stop() {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Scrolls through the whole log, then opens updates at its far end and looks for those that failed. */
async function readLog(page, updates) {
  const rows = page.getByRole("list", { name: "Updates" }).getByRole("listitem");
  await rows.first().waitFor();
  await takeMeasurements(page);
  const startedAt = performance.now();
  const read = await page.evaluate(async (wanted) => {
    for (;;) {
      scrollTo(0, document.documentElement.scrollHeight);
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const rows = document.querySelectorAll("ul[aria-label=Updates] > li");
      const position = Number([...rows].at(-1)?.getAttribute("aria-posinset"));
      if (position >= wanted) return position;
    }
  }, updates);
  const scrollSeconds = (performance.now() - startedAt) / 1000;
  const scrolled = await takeMeasurements(page);
  const inPage = await rows.count();

  const drawerMs = [];
  for (let click = 0; click < CLICKS; click++) {
    const row = rows.nth(inPage - 2 - (click % 8)).getByRole("link");
    drawerMs.push(await timeToDrawer(page, row));
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  const clicks = await takeMeasurements(page);

  const filter = page.getByLabel("Show updates that are");
  await filter.focus();
  for (let change = 0; change < FILTERS; change++) {
    // By keyboard: a choice made by a program does not count as an interaction.
    await page.keyboard.press(change % 2 === 0 ? "End" : "Home");
    await page.waitForFunction(
      (isFailed) => {
        // The newest update has failed, the one before it has not.
        const state = document.querySelector("ul[aria-label=Updates] > li + li")?.textContent ?? "";
        return location.search.includes("failed") === isFailed && state.includes("Failed") === isFailed;
      },
      change % 2 === 0,
    );
  }
  const filters = await takeMeasurements(page);
  await page.close();

  const worst = (values) => Math.max(0, ...values);
  const row = (what, ms) => ({
    what,
    count: ms.length,
    "p50 ms": round(percentile(ms, 0.5), 0),
    "worst ms": round(worst(ms), 0),
  });
  return {
    rows: [
      row("to the next paint: a click, an Escape", clicks.interactionsMs),
      row("to the next paint: another filter", filters.interactionsMs),
      row("from a click to the payload", drawerMs),
    ],
    summary: [
      `${read} updates scrolled through in ${round(scrollSeconds, 1)} s, longest task ${round(worst(scrolled.tasksMs), 0)} ms; rows in the page: ${inPage}`,
      `a click over all of them, to the next paint: worst ${withGoal(worst(clicks.interactionsMs), GOALS.interactionMs, 0)} ms`,
      `another filter, to the next paint: worst ${withGoal(worst(filters.interactionsMs), GOALS.interactionMs, 0)} ms`,
    ],
  };
}

/** Milliseconds from the click until the update's payload is in the page, by the page's own clock. */
async function timeToDrawer(page, row) {
  await page.evaluate(() => {
    globalThis.drawer = new Promise((resolve) => {
      addEventListener(
        "pointerdown",
        ({ timeStamp }) => {
          const look = () => {
            if (document.querySelector("[role=dialog] pre")) resolve(performance.now() - timeStamp);
            else requestAnimationFrame(look);
          };
          look();
        },
        { once: true, capture: true },
      );
    });
  });
  await row.click();
  return await page.evaluate(() => globalThis.drawer);
}

/** Publishes at a steady rate while the page shows the live tail. */
async function followTail(page, { url, owner, channels }, seconds) {
  const rows = page.getByRole("list", { name: "Live updates" });
  await rows.waitFor();
  await takeMeasurements(page);
  const targets = [{ path: `/v1/channels/${channels.polled}/posts`, token: owner.token }];
  const { posts } = await postAtRate({ url, targets, rate: TAIL.rate, seconds });
  const endedAt = performance.now();
  const expected = new Intl.NumberFormat("en-GB").format(posts + TAIL.shownAtFirst);
  await page.getByText(`of ${expected} updates`).waitFor();
  const behindMs = performance.now() - endedAt;
  const { tasksMs, framesMs } = await takeMeasurements(page);
  await page.close();
  const longest = Math.max(0, ...tasksMs);
  return [
    `live tail: ${posts} updates at ${TAIL.rate} a second all seen, the last ${round(behindMs, 0)} ms after it was answered`,
    `live tail: longest task ${withGoal(longest, GOALS.longestTaskMs, 0)} ms, ${tasksMs.length} of 50 ms and more; ` +
      `${round(framesMs.length / (framesMs.reduce((sum, ms) => sum + ms, 0) / 1000), 0)} frames a second, ` +
      `the longest without one ${round(Math.max(...framesMs), 0)} ms`,
  ];
}
