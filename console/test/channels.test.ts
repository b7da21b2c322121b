import { BotClient } from "@botyard/sdk";
import { describe, expect, it } from "vitest";
import { useConsole } from "./support/console.js";

const under = useConsole();

describe("channels", () => {
  it("are created, edited and posted in, and their bots receive the posts", async () => {
    const page = await under.signedIn("/console/channels");
    await page.getByText("No channels yet").waitFor();
    await page.getByRole("button", { name: "Create a channel" }).click();
    await page.getByLabel("Title").fill("Weather, reports");
    expect(await page.getByLabel("Slug").inputValue()).toBe("weather-reports");
    await page.getByLabel("Slug").fill("Weather");
    await page.getByText("Lower-case letters, digits and - only, not “W”").waitFor();
    await page.getByLabel("Slug").fill("weather");
    await page.getByLabel("Title").fill("Weather reports");
    expect(await page.getByLabel("Slug").inputValue()).toBe("weather");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "Weather reports", level: 1 }).waitFor();
    await page.getByText("Nothing posted yet").waitFor();

    const channelId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const { owner } = under.service;
    const { bot, token } = await owner.createBot({ username: "reader" });
    await owner.attachBot(bot.id, channelId);
    const post = page.getByRole("textbox", { name: "Post" });
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByText("Say something", { exact: true }).waitFor();
    await post.fill("Rain\ntomorrow");
    await post.press("Control+Enter");
    await page.getByRole("listitem").getByText("Rain").waitFor();
    expect(await post.inputValue()).toBe("");
    const client = new BotClient(token.token, { url: under.service.url });
    expect((await client.pollUpdates()).items.map(({ payload }) => payload)).toMatchObject([
      { body: "Rain\ntomorrow" },
    ]);

    await page.getByLabel("Description").fill("What to expect");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("#weather · What to expect").waitFor();
    await page.getByRole("link", { name: "Channels" }).first().click();
    await page.getByRole("link", { name: "Weather reports" }).waitFor();
  });

  it("have an id and data of the owner's own", async () => {
    const { owner } = under.service;
    const page = await under.signedIn("/console/channels?create=channel");
    const fill = async (title: string) => {
      await page.getByLabel("Title").fill(title);
      await page.getByLabel("External id").fill("room-42");
      await page.getByLabel("Metadata").fill('{ "floor": 3 }');
      await page.getByRole("button", { name: "Create", exact: true }).click();
    };
    await fill("Room 42");
    await page.getByText("nor the external id, room-42.").waitFor();
    expect(await owner.getExternalChannel("room-42")).toMatchObject({
      slug: "room-42",
      metadata: { floor: 3 },
    });
    expect(await page.getByLabel("Metadata").inputValue()).toBe('{\n  "floor": 3\n}');
    await page.getByLabel("Metadata").fill('{ "floor": 4 }');
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(async () => (await owner.getExternalChannel("room-42")).metadata).toEqual({ floor: 4 });
    await page.goto(`${under.service.url}/console/channels?create=channel`);
    await fill("Another room 42");
    await page.getByText("You have a channel with this external_id already.").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("show older posts on request", async () => {
    const { owner } = under.service;
    const channel = await owner.createChannel({ slug: "long", title: "A long one" });
    for (let i = 1; i <= 60; i++) await owner.createChannelPost(channel.id, { body: `post ${i}.` });
    const page = await under.signedIn(`/console/channels/${channel.id}`);
    await page.getByText("post 60.").waitFor();
    expect(await page.getByText("post 10.").count()).toBe(0);
    await page.getByRole("button", { name: "Show older posts" }).click();
    await page.getByText("post 1.", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Show older posts" }).count()).toBe(0);
  });
});
