import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeErrorLog } from "../../server/test/support/error-log.js";
import { type Receiver, startReceiver } from "../../server/test/support/receiver.js";
import { expectGuarded, useConsole } from "./support/console.js";

/** More than a page of the error log: those that were delivered since fill the first one. */
const MENDED = 105;

const under = useConsole();
let receiver: Receiver;
let botId = "";
let stoppedId = "";

beforeAll(async () => {
  receiver = await startReceiver();
  const { service } = under;
  await service.halt();
  botId = await makeErrorLog(service.dataDir, receiver.url, MENDED);
  stoppedId = await makeErrorLog(service.dataDir, receiver.url, 0);
  await service.restart();
});
afterAll(() => receiver.close());

describe("a replay under way", () => {
  it("is stopped after the call in progress, and what was not replayed stays as it is", async () => {
    const { owner } = under.service;
    const page = await under.signedIn(`/console/bots/${stoppedId}`);
    await page.getByRole("link", { name: "Errors", exact: true }).click();
    let calls = 0;
    let letGo = () => {};
    const isLetGo = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    // One update with each call; the second call waits until it is let go.
    await page.route("**/webhook/replay", async (route) => {
      calls += 1;
      if (calls === 2) await isLetGo;
      await route.continue({ url: `${route.request().url()}?limit=1` });
    });
    await page.getByRole("button", { name: "Replay all" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Replay", exact: true }).click();
    await dialog.getByText("1 of 4 updates are queued again.").waitFor();
    await expect.poll(() => calls).toBe(2);
    await expectGuarded(page, "The replay goes on");
    await dialog.getByRole("button", { name: "Stop" }).click();
    letGo();
    await dialog.getByRole("button", { name: "Done" }).click();
    await expect.poll(async () => (await owner.getBotStats(stoppedId)).delivered_updates).toBe(2);
    expect(calls).toBe(2);
    const list = page.getByRole("list", { name: "Not delivered" }).getByRole("listitem");
    await expect.poll(() => list.count()).toBe(2);
    expect((await owner.getBotStats(stoppedId)).scheduled_retries).toBe(2);

    // One that was cut off goes on.
    await page.unrouteAll({ behavior: "wait" });
    await page.route("**/webhook/replay", (route) => route.abort());
    await page.getByRole("button", { name: "Replay all" }).click();
    await dialog.getByRole("button", { name: "Replay", exact: true }).click();
    await dialog.getByText("The service does not answer").waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await dialog.getByRole("button", { name: "Go on" }).click();
    await dialog.getByText("2 of 2 updates are queued again.").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await expect.poll(async () => (await owner.getBotStats(stoppedId)).delivered_updates).toBe(4);
  });
});

describe("what is not delivered", () => {
  it("is gone through with J and K", async () => {
    const page = await under.signedIn(`/console/bots/${botId}/errors`);
    const first = page.getByRole("list", { name: "Not delivered" }).getByRole("listitem").first();
    await first.getByRole("button").click();
    const update = page.getByRole("dialog", { name: /^Update \d+$/ });
    const opened = await update.getByRole("heading", { level: 2 }).textContent();
    await page.keyboard.press("j");
    await expect.poll(() => update.getByRole("heading", { level: 2 }).textContent()).not.toBe(opened);
    await page.keyboard.press("k");
    await expect.poll(() => update.getByRole("heading", { level: 2 }).textContent()).toBe(opened);
  });

  it("is grouped by its cause, before all that was delivered since, and replayed by group", async () => {
    const { owner } = under.service;
    const page = await under.signedIn(`/console/bots/${botId}/errors`);
    const causes = page.getByRole("list", { name: "Causes" }).getByRole("listitem");
    await causes.filter({ hasText: "502 Bad Gateway" }).getByText("2 waiting for a retry").waitFor();
    await causes.filter({ hasText: "connection closed" }).getByText("2 gave up").waitFor();
    const list = page.getByRole("list", { name: "Not delivered" }).getByRole("listitem");
    await expect.poll(() => list.count()).toBe(4);
    // A page's own styles win over the library's, though they arrive later and stand before them in the document.
    const padding = await list
      .first()
      .getByRole("button")
      .evaluate((row) => getComputedStyle(row).paddingTop);
    expect(padding).toBe("12px");
    expect(await page.getByRole("button", { name: "Replay all" }).isEnabled()).toBe(true);

    await page.getByRole("button", { name: /^Replay 2 updates: connection closed/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByText("2 of 2 updates are queued again").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await causes.filter({ hasText: "connection closed" }).waitFor({ state: "detached" });
    await expect.poll(async () => (await owner.getBotStats(botId)).delivered_updates).toBe(MENDED + 2);
    expect(await list.count()).toBe(2);
  });

  it("is replayed since a time", async () => {
    const { owner } = under.service;
    const page = await under.signedIn(`/console/bots/${botId}/errors`);
    await page.getByRole("button", { name: "Replay since" }).click();
    const since = page.getByLabel("Last attempted since");
    await since.fill("2099-01-01T00:00");
    await page.getByRole("dialog").getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByText("0 updates queued again.").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    expect((await owner.getBotStats(botId)).delivered_updates).toBe(MENDED + 2);

    await page.getByRole("button", { name: "Replay since" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByText("2 updates queued again.").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("Everything is delivered").waitFor();
    expect(await page.getByRole("button", { name: "Replay all" }).isDisabled()).toBe(true);
  });
});
