import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { rowOf, useBotsInStates } from "./support/bots-in-states.js";
import { useConsole } from "./support/console.js";

const under = useConsole({ WEBHOOK_RETRY_SCHEDULE: "1h" });
const { ids } = useBotsInStates(under);

describe("the list of bots", () => {
  const names = (page: Page) => page.getByRole("row").getByText(/^@/).allTextContents();

  it("begins with what fails, is filtered by its summary, and sorted by any column", async () => {
    const page = await under.signedIn("/console");
    await rowOf(page, "down").waitFor();
    expect((await names(page))[0]).toBe("@down");
    const summary = page.getByRole("navigation", { name: "Bots by state" });
    await summary.getByRole("link", { name: "1 failing" }).click();
    await expect.poll(() => names(page)).toEqual(["@down"]);
    expect(new URL(page.url()).search).toBe("?state=failing");
    await summary.getByRole("link", { name: "All 6" }).click();
    await page.getByRole("columnheader", { name: "Bot", exact: true }).getByRole("link").click();
    const inOrder = ["@alone", "@down", "@fresh", "@off", "@poller", "@resting"];
    await expect.poll(() => names(page)).toEqual(inOrder);
    await page.getByRole("columnheader", { name: "Bot", exact: true }).getByRole("link").click();
    await expect.poll(() => names(page)).toEqual(inOrder.toReversed());
    await page.reload();
    await expect.poll(() => names(page)).toEqual(inOrder.toReversed());
  });

  it("opens a bot by a click anywhere in its row", async () => {
    const page = await under.signedIn("/console");
    const box = await rowOf(page, "alone").getByRole("cell").nth(3).boundingBox();
    await page.mouse.click((box?.x ?? 0) + 40, (box?.y ?? 0) + 10);
    await page.getByRole("heading", { name: "alone", level: 1 }).waitFor();
  });

  it("finds a bot by its name with the sign in front", async () => {
    const page = await under.signedIn("/console");
    await page.getByLabel("Search bots").fill("@RESTING");
    await expect.poll(() => names(page)).toEqual(["@resting"]);
  });

  it("pauses, resumes and attaches several bots at once", async () => {
    const { owner } = under.service;
    const second = await owner.createChannel({ slug: "second", title: "Second" });
    const page = await under.signedIn("/console");
    await page.getByLabel("Select @down").check();
    await page.getByLabel("Select @resting").check();
    await page.getByText("2 bots selected").waitFor();
    await page.getByRole("button", { name: "Pause sending" }).click();
    await rowOf(page, "down").getByText("Paused", { exact: true }).waitFor();
    await page.getByLabel("Select @down").check();
    await page.getByRole("button", { name: "Resume sending" }).click();
    await rowOf(page, "down").getByText("Failing", { exact: true }).waitFor();
    await page.getByLabel("Select @down").check();
    await page.getByLabel("Select @alone").check();
    await page.getByRole("button", { name: "Attach to a channel" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "Channel" }).click();
    await page.getByRole("option", { name: "Second (#second)" }).click();
    await dialog.getByRole("button", { name: "Attach", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    for (const id of [ids["down"] ?? "", ids["alone"] ?? ""]) {
      const { items } = await owner.listBotChannels(id);
      expect(items.map((channel) => channel.id)).toContain(second.id);
    }
  });
});

describe("several bots at once", () => {
  it("stay as they became when one of them fails, and the rest can be tried again", async () => {
    const { owner } = under.service;
    const [down = "", alone = ""] = [ids["down"], ids["alone"]];
    for (const id of [down, alone]) await owner.putWebhook(id, { url: "http://127.0.0.1:1/hook" });
    const page = await under.signedIn("/console");
    const chosen = ["@down", "@alone"].map((name) => page.getByLabel(`Select ${name}`));
    for (const box of chosen) await box.check();
    // In the order of the list: the second of them cannot be reached.
    const paused: string[] = [];
    await page.route("**/webhook/pause", async (route) => {
      const [, id = ""] = /bots\/([^/]+)\/webhook/.exec(route.request().url()) ?? [];
      if (paused.length > 0 && !paused.includes(id)) return await route.abort();
      paused.push(id);
      return await route.continue();
    });
    await page.getByRole("button", { name: "Pause sending" }).click();
    await page.getByText("The service does not answer").first().waitFor();
    await expect.poll(() => page.getByText("Paused", { exact: true }).count()).toBeGreaterThan(0);
    expect(paused).toHaveLength(1);
    const isPaused = async (id: string) => (await owner.getWebhook(id)).paused_at !== undefined;
    expect([await isPaused(down), await isPaused(alone)].filter(Boolean)).toHaveLength(1);
    await page.getByText("2 bots selected").waitFor();

    await page.unroute("**/webhook/pause");
    await page.getByRole("button", { name: "Pause sending" }).click();
    await page.getByText("2 bots selected").waitFor({ state: "detached" });
    expect([await isPaused(down), await isPaused(alone)]).toEqual([true, true]);
  });
});
