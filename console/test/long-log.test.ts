import { beforeAll, expect, it } from "vitest";
import { makeLongLog } from "../../server/test/support/long-log.js";
import { useConsole } from "./support/console.js";

const UPDATES = 100_000;
const FAILED = 10;
/** The visible rows of a page of this height, and some above and below. */
const MOST_ROWS = 60;
/** Rows rendered above the visible ones. */
const ROWS_ABOVE = 12;

const under = useConsole();
let botId = "";

beforeAll(async () => {
  const { service } = under;
  await service.halt();
  botId = await makeLongLog(service.dataDir, UPDATES, FAILED);
  await service.restart();
});

it("a log of 100,000 updates is scrolled, filtered and read with few rows in the page", async () => {
  const page = await under.signedIn(`/console/bots/${botId}/updates`);
  const rows = page.getByRole("list", { name: "Updates" }).getByRole("listitem");
  const firstNumber = async () => Number(/^\d+/.exec((await rows.first().textContent()) ?? "")?.[0]);
  await rows.filter({ hasText: `post ${UPDATES}.` }).waitFor();

  const target = UPDATES - 2_500;
  await expect
    .poll(
      async () => {
        await page.evaluate(() => scrollBy(0, 20_000));
        expect(await rows.count()).toBeLessThan(MOST_ROWS);
        return await firstNumber();
      },
      { timeout: 40_000, interval: 20 },
    )
    .toBeLessThan(target);
  const number = (await firstNumber()) - ROWS_ABOVE - 2;
  await rows.filter({ hasText: `post ${number}.` }).click();
  const details = page.getByRole("dialog", { name: `Update ${number}` });
  await details.getByText(`"body": "post ${number}."`).waitFor();
  await page.keyboard.press("Escape");
  await details.waitFor({ state: "detached" });
  expect(await rows.filter({ hasText: `post ${number}.` }).isVisible()).toBe(true);

  await page.getByLabel("Show updates that are").selectOption("Failed");
  await rows.filter({ hasText: `post ${FAILED}.` }).waitFor();
  expect(await rows.count()).toBe(FAILED);
  await rows.filter({ hasText: "post 1." }).click();
  await page.getByText("Attempt 1 failed: 502 Bad Gateway").waitFor();
});

it("a log of 100,000 updates is searched step by step, and no further once that is stopped", async () => {
  const page = await under.signedIn(`/console/bots/${botId}/updates`);
  const rows = page.getByRole("list", { name: "Updates" }).getByRole("listitem");
  const searched = page.getByTestId("searched");
  const button = (name: string) => page.getByRole("button", { name });
  // The third step waits until it is let go, and so does what follows the fifth.
  let steps = 0;
  const letGo: (() => void)[] = [];
  await page.route(/\/updates\?.*search=/, async (route) => {
    steps += 1;
    if (steps === 3 || steps > 5) await new Promise<void>((resolve) => letGo.push(resolve));
    await route.continue();
  });
  await page.getByLabel("Search updates").fill(`POST ${UPDATES - 8_500}.`);
  await searched.getByText("0 updates found; searched back to update 96,001").waitFor();
  await button("Stop").click();
  await expect.poll(() => letGo.length).toBe(1);
  letGo[0]?.();
  await searched.getByText("searched back to update 94,001").waitFor();
  expect(steps).toBe(3);
  await button("Go on").click();
  await rows.filter({ hasText: `post ${UPDATES - 8_500}.` }).waitFor();
  await searched.getByText("1 update found; searched back to update 90,001").waitFor();
  await expect.poll(() => steps).toBe(6);

  // What is searched for is in the URL; in a rare state the search is at its end at once.
  const address = page.url();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.goto(`${address}&state=failed`);
  await page.getByText("No such update").waitFor();
  await button("Show all updates").click();
  await rows.filter({ hasText: `post ${UPDATES}.` }).waitFor();
  expect(await page.getByLabel("Search updates").inputValue()).toBe("");
  await page.getByLabel("Search updates").fill("4711");
  await button("Open update 4711").click();
  await page.getByRole("dialog", { name: "Update 4711" }).getByText('"body": "post 4711."').waitFor();
  // From an address, too, where the list behind has not got that far.
  await page.goto(`${address.split("?")[0]}?update=4711&since=garbage&until=tomorrow&state=none`);
  await page.getByRole("dialog", { name: "Update 4711" }).getByText('"body": "post 4711."').waitFor();
  await page.keyboard.press("j");
  await page.getByRole("dialog", { name: "Update 4710" }).waitFor();
  await page.keyboard.press("k");
  await page.getByRole("dialog", { name: "Update 4711" }).waitFor();
});
