import { expect, it } from "vitest";
import { useConsole } from "./support/console.js";
import { makePair } from "./support/pair.js";

const under = useConsole();

it("recent changes say who changed what, the newest first", async () => {
  const { owner } = under.service;
  const { bot } = await makePair(under.service, "watched");
  await owner.rotateBotToken(bot.id);
  const page = await under.signedIn("/console/account");
  const changes = page.getByRole("list", { name: "Recent changes" }).getByRole("listitem");
  await changes.getByText("Rotate bot token").waitFor();
  expect(await changes.first().textContent()).toMatch(/Owner alice, token \S+: token/);
  await owner.editBot(bot.id, { display_name: "Watched" });
  // The page reads them again by itself.
  await expect
    .poll(() => changes.first().textContent(), { timeout: 20_000 })
    .toMatch(/: display name .+ → Watched/);
  await changes.first().getByRole("link", { name: "Bot" }).click();
  await page.getByRole("heading", { name: "Watched", level: 1 }).waitFor();
});

it("limits say how much there may be, and how many bytes there are", async () => {
  const page = await under.signedIn("/console/account");
  await page.getByText("Bytes kept").waitFor();
  const values = await page.locator("dl dd").allTextContents();
  expect(values).toEqual([
    "1,000",
    "10,000",
    "any number",
    "any number",
    expect.stringMatching(/^\d+, of any number$/),
  ]);
});
