import { expect, it } from "vitest";
import { makeLongLog } from "../../server/test/support/long-log.js";
import { useConsole } from "./support/console.js";

const UPDATES = 100_000;
const FAILED = 10;
/** The visible rows of a page of this height, and some above and below. */
const MOST_ROWS = 60;
/** Rows rendered above the visible ones. */
const ROWS_ABOVE = 12;

const under = useConsole();

it("a log of 100,000 updates is scrolled, filtered and read with few rows in the page", async () => {
  const { service } = under;
  await service.kill();
  const botId = await makeLongLog(service.dataDir, UPDATES, FAILED);
  await service.restart();
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
