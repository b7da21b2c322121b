import { BotClient } from "@botyard/sdk";
import { describe, expect, it } from "vitest";
import { useConsole } from "./support/console.js";

const under = useConsole();

describe("creating a bot", () => {
  it("starts from an empty list, and shows the token only once", async () => {
    const page = await under.signedIn("/console", {
      context: { permissions: ["clipboard-read", "clipboard-write"] },
    });
    await page.getByText("No bots yet").waitFor();
    await page.getByRole("button", { name: "Create a bot" }).click();
    await page.getByLabel("Username").fill("weather");
    await page.getByLabel("Display name").fill("Weather, today");
    await page.getByLabel("Metadata").fill('{ "team": "weather" }');
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const token = await page.getByTestId("bot-token").textContent();
    await page.getByRole("button", { name: "Copy token" }).click();
    await page.getByRole("button", { name: "Copied", exact: true }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token);
    expect(await page.getByText("new Bot(process.env.BOT_TOKEN").textContent()).toContain(under.service.url);
    const bot = new BotClient(token ?? "", { url: under.service.url });
    expect(await bot.getMe()).toMatchObject({ username: "weather", display_name: "Weather, today" });
    expect((await under.service.owner.listBots()).items[0]?.metadata).toEqual({ team: "weather" });

    await page.getByRole("button", { name: "I have copied the token" }).click();
    await page.getByRole("link", { name: "Weather, today" }).click();
    await page.getByRole("heading", { name: "Weather, today", level: 1 }).waitFor();
    expect(await page.content()).not.toContain(token);
  });

  it("reports an invalid username while typing, and a taken one after the request", async () => {
    await under.service.owner.createBot({ username: "echo" });
    const page = await under.signedIn("/console");
    await page.getByRole("button", { name: "Create a bot" }).click();
    const username = page.getByLabel("Username");
    await username.fill("two words");
    await page.getByText("Letters, digits, _ . and - only, not spaces").waitFor();
    await username.fill("_x");
    await page.getByText("Begins with a letter or a digit").waitFor();
    await username.fill("x".repeat(65));
    await page.getByText("At most 64 characters; these are 65").waitFor();
    await username.fill("Echo");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("already taken").waitFor();
    expect(await username.getAttribute("aria-invalid")).toBe("true");
    await expect.poll(() => username.evaluate((field) => field === document.activeElement)).toBe(true);
  });
});
