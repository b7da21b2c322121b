import { describe, expect, it } from "vitest";
import { seriousFindings } from "./support/axe.js";
import { useKillableConsole } from "./support/console.js";

const under = useKillableConsole();

describe("the live tail", () => {
  it("helps to cause the first update, shows each new one, and stops while paused", async () => {
    const { owner } = under.service;
    const { bot } = await owner.createBot({ username: "reader" });
    const channel = await owner.createChannel({ slug: "news", title: "News" });
    const publish = (body: string) => owner.createChannelPost(channel.id, { body });
    const page = await under.signedIn(`/console/bots/${bot.id}/live`);
    const rows = page.getByRole("list", { name: "Live updates" }).getByRole("listitem");
    await page.getByRole("link", { name: "Attach to a channel" }).waitFor();
    await owner.attachBot(bot.id, channel.id);
    await page.reload();
    await page.getByRole("link", { name: "Publish in #news" }).click();
    await page.getByRole("textbox", { name: "Post" }).fill("first");
    await page.getByRole("textbox", { name: "Post" }).press("Control+Enter");
    await page.getByRole("listitem").getByText("first").waitFor();
    await page.getByRole("link", { name: "Bots", exact: true }).click();
    await page.getByRole("link", { name: "reader" }).click();
    await page.getByRole("navigation", { name: "Bot" }).getByRole("link", { name: "Live" }).click();
    await rows.getByText("first").waitFor();
    await publish("second");
    await rows.getByText("second").waitFor();
    expect(await rows.first().textContent()).toContain("second");

    await page.getByRole("button", { name: "Pause" }).click();
    await publish("third");
    await publish("fourth");
    await page.getByRole("button", { name: "Continue with 2 more" }).waitFor();
    expect(await rows.count()).toBe(2);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Continue with 2 more" }).click();
    await rows.getByText("third").waitFor();
    expect(await rows.count()).toBe(4);

    await rows.getByText("third").click();
    await page.getByRole("dialog", { name: "Update 3" }).getByText("Kept to be read by polling").waitFor();
    expect(new URL(page.url()).search).toBe("?update=3");
    await publish("fifth");
    await page.keyboard.press("Escape");
    await rows.getByText("fifth").waitFor();
  });

  it("keeps the newest of many updates, and counts all of them", async () => {
    const { owner } = under.service;
    const { bot } = await owner.createBot({ username: "flooded" });
    const channel = await owner.createChannel({ slug: "flood", title: "Flood" });
    await owner.attachBot(bot.id, channel.id);
    const page = await under.signedIn(`/console/bots/${bot.id}/live`);
    await page.getByText("Waiting for the first update").waitFor();
    await Promise.all(
      Array.from({ length: 600 }, (_, i) => owner.createChannelPost(channel.id, { body: `post ${i}` })),
    );
    await page.getByText("The newest 500 of 600 updates").waitFor();
    expect(await page.getByRole("list", { name: "Live updates" }).locator("> li").count()).toBe(500);
  });

  it("reports an outage of the service, and continues after it without a gap", async () => {
    const { owner } = under.service;
    const { bot } = await owner.createBot({ username: "faithful" });
    const channel = await owner.createChannel({ slug: "storm", title: "Storm" });
    await owner.attachBot(bot.id, channel.id);
    await owner.createChannelPost(channel.id, { body: "before" });
    const live = await under.signedIn(`/console/bots/${bot.id}/live`);
    const overview = await under.signedIn(`/console/bots/${bot.id}`);
    await live.getByRole("listitem").getByText("before").waitFor();
    await overview.getByText(/^last/).first().waitFor();

    await under.service.kill();
    await live.getByText("Interrupted").waitFor();
    await live.getByText("It continues after update 1; no update is skipped.").waitFor();
    expect(await seriousFindings(live)).toEqual([]);
    await overview.getByText("What you see may be out of date").waitFor();
    await under.service.restart();
    await owner.createChannelPost(channel.id, { body: "after" });
    await live.getByRole("listitem").getByText("after").waitFor();
    await live.getByText("Live", { exact: true }).last().waitFor();
    expect(await live.getByText("Interrupted").count()).toBe(0);
    await overview.getByText("What you see may be out of date").waitFor({ state: "detached" });
  });
});
