import { describe, expect, it } from "vitest";
import { type Answer, accept, startReceiver } from "../../server/test/support/receiver.js";
import { useConsole } from "./support/console.js";

const refuse =
  (status: number): Answer =>
  (response) => {
    response.writeHead(status).end("upstream is down");
  };

const under = useConsole({ WEBHOOK_RETRY_SCHEDULE: "1h,1h" });

describe("a receiver that fails", () => {
  it("shows each attempt, and replays one, some or all failed updates", async () => {
    const { owner } = under.service;
    const receiver = await startReceiver(refuse(502));
    const channel = await owner.createChannel({ slug: "news", title: "News" });
    const { bot } = await owner.createBot({ username: "reader" });
    await owner.attachBot(bot.id, channel.id);
    await owner.putWebhook(bot.id, { url: receiver.url });
    const page = await under.signedIn(`/console/bots/${bot.id}/updates`);
    await page.getByText("No updates yet").waitFor();
    await owner.createChannelPost(channel.id, { body: "first" });
    await page.getByRole("link", { name: "first" }).getByText("Retrying").waitFor();

    await page.getByRole("link", { name: "first" }).click();
    const details = page.getByRole("dialog", { name: "Update 1" });
    await details.getByText("Attempt 1 failed: 502 Bad Gateway").waitFor();
    await details.getByText("upstream is down").waitFor();
    await details.getByText("Next attempt").waitFor();
    expect(new URL(page.url()).search).toBe("?update=1");
    receiver.answerWith(accept);
    await details.getByRole("button", { name: "Replay" }).click();
    await details.getByText("Delivered, at attempt 2").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "first" }).getByText("Delivered").waitFor();

    receiver.answerWith(refuse(500));
    for (let i = 2; i <= 5; i++) await owner.createChannelPost(channel.id, { body: `post ${i}` });
    await page.getByRole("link", { name: "Errors" }).click();
    const errors = page.getByRole("list", { name: "Not delivered" }).getByRole("listitem");
    const second = errors.filter({ hasText: "Update 2 ·" });
    await second.getByText("500 Internal Server Error").waitFor();
    await page.getByLabel("Select update 2").check();
    await page.getByRole("button", { name: "Replay 1 update" }).click();
    await second.getByText("2 attempts").waitFor();
    receiver.answerWith(accept);
    await page.getByRole("button", { name: "Replay all" }).click();
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByText(/are queued again/).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("Everything is delivered").waitFor();
    expect(await page.getByRole("button", { name: "Replay all" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Show", exact: true }).click();
    const mended = page.getByRole("list", { name: "Delivered since" }).getByRole("listitem");
    await mended.filter({ hasText: "Update 2 ·" }).getByText("Delivered").waitFor();
    expect((await owner.getBotStats(bot.id)).delivered_updates).toBe(5);
    await receiver.close();
  });

  it("can be filtered for among delivered updates, and the open update survives a reload", async () => {
    const { owner } = under.service;
    const channel = await owner.createChannel({ slug: "quiet", title: "Quiet" });
    const { bot } = await owner.createBot({ username: "poller" });
    await owner.attachBot(bot.id, channel.id);
    for (let i = 1; i <= 130; i++) await owner.createChannelPost(channel.id, { body: `post ${i}.` });
    const page = await under.signedIn(`/console/bots/${bot.id}/updates?update=130`);
    await page.getByRole("dialog", { name: "Update 130" }).getByText("Kept to be read by polling").waitFor();
    await page.reload();
    await page.getByRole("dialog", { name: "Update 130" }).getByText("Kept to be read by polling").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("listitem").filter({ hasText: "post 130." }).waitFor();
    expect(await page.getByRole("listitem").count()).toBeLessThan(60);
    await expect
      .poll(
        async () => {
          await page.mouse.wheel(0, 3_000);
          return await page.getByRole("listitem").filter({ hasText: "post 1." }).count();
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    await page.getByLabel("Show updates that are").selectOption("Failed");
    await page.getByText("No update is failed").waitFor();
    expect(new URL(page.url()).search).toBe("?state=failed");
  });
});
