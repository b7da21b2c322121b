import { BotClient } from "@botyard/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accept, type Receiver, refuse, startReceiver } from "../../server/test/support/receiver.js";
import { useConsole } from "./support/console.js";

const under = useConsole();
let receiver: Receiver;
let bot: { id: string; token: string };

beforeAll(async () => {
  receiver = await startReceiver();
  const { owner } = under.service;
  const created = await owner.createBot({ username: "weather" });
  bot = { id: created.bot.id, token: created.token.token };
  await owner.createChannel({ slug: "news", title: "News" });
  await owner.createChannel({ slug: "general", title: "General" });
});
afterAll(() => receiver.close());

const at = (part: string) => under.signedIn(`/console/bots/${bot.id}${part}`);

describe("a bot's channels", () => {
  it("are selected from the owner's channels, and left after a confirmation", async () => {
    const page = await at("/channels");
    await page.getByRole("button", { name: "Attach to a channel" }).click();
    await page.getByLabel("News").check();
    await page.getByLabel("Role").selectOption("hears only");
    await page.getByRole("button", { name: "Attach", exact: true }).click();
    // The dialog also contains the channel's name; the button is in the list behind it.
    await page.getByRole("button", { name: "Detach from News" }).waitFor();
    const names = async () =>
      (await under.service.owner.listBotChannels(bot.id)).items.map(({ slug }) => slug);
    expect(await names()).toEqual(["news"]);
    await page.getByText("hears only", { exact: true }).first().waitFor();
    const [channel] = (await under.service.owner.listBotChannels(bot.id)).items;
    expect(channel?.bot_role).toBe("reader");

    await page.getByRole("button", { name: "Detach from News" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Detach" }).click();
    await page.getByText("In no channel yet").waitFor();
    expect(await names()).toEqual([]);
  });
});

describe("a bot's webhook", () => {
  it("is set with a generated secret, tested, paused, resumed and deleted", async () => {
    const page = await at("/webhook");
    await page.getByRole("textbox", { name: "URL" }).fill("ftp://example.com");
    await page.getByRole("button", { name: "Set the webhook" }).click();
    await page.getByText("Begins with https:// or http://").waitFor();
    await page.getByRole("textbox", { name: "URL" }).fill(receiver.url);
    const secret = await page.getByLabel("Secret token").inputValue();
    expect(secret).toMatch(/^[\w-]{43}$/);
    await page.getByRole("button", { name: "Set the webhook" }).click();

    receiver.answerWith((response) => response.writeHead(202).end("thank you"));
    await page.getByRole("button", { name: "Send a test event" }).click();
    await page.getByText("Accepted with 202").waitFor();
    await page.getByText("thank you").waitFor();
    const [request] = receiver.requests;
    expect(JSON.parse(request?.body ?? "")).toMatchObject({ update_id: 0, event_type: "webhook.test" });
    expect(request?.headers["x-service-bot-api-secret-token"]).toBe(secret);

    receiver.answerWith(refuse(502));
    await page.getByRole("button", { name: "Send a test event" }).click();
    await page.getByText("Not accepted: 502 Bad Gateway").waitFor();
    receiver.answerWith(accept);

    await page.getByRole("button", { name: "Pause sending" }).click();
    await page.getByRole("button", { name: "Resume sending" }).waitFor();
    expect((await under.service.owner.getWebhook(bot.id)).paused_at).toBeDefined();
    await page.getByRole("button", { name: "Resume sending" }).click();
    await page.getByRole("button", { name: "Pause sending" }).waitFor();

    await page.getByRole("button", { name: "Delete the webhook" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete the webhook" }).click();
    await page.getByRole("button", { name: "Set the webhook" }).waitFor();
    expect((await under.service.owner.getWebhook(bot.id)).url).toBe("");
  });
});

describe("a bot's settings", () => {
  it("keep data of the owner's own, and say where it is no JSON", async () => {
    const { owner } = under.service;
    const page = await at("/settings");
    const metadata = page.getByLabel("Metadata");
    const save = page.getByRole("button", { name: "Save" });
    await metadata.fill('{ "team": }');
    await page.getByText(/^This is not JSON: Unexpected token '}'/).waitFor();
    await metadata.fill("[1]");
    await page.getByText('A JSON object, such as { "team": "weather" }').waitFor();
    await metadata.fill(`{ "text": "${"x".repeat(5_000)}" }`);
    await page.getByText("At most 4096 bytes of JSON; these are 5011").waitFor();
    await metadata.fill('{ "team": "weather", "floor": 3 }');
    await save.click();
    await page.getByText("Saved").first().waitFor();
    expect((await owner.getBot(bot.id)).metadata).toEqual({ team: "weather", floor: 3 });
    await metadata.fill("");
    await expect.poll(() => save.isEnabled()).toBe(true);
    await save.click();
    await expect.poll(async () => (await owner.getBot(bot.id)).metadata).toBeUndefined();
  });

  it("change its profile", async () => {
    const page = await at("/settings");
    await page.getByLabel("Display name").fill("Weather, tomorrow");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Weather, tomorrow", level: 1 }).waitFor();
  });

  it("rotate its token after a warning, and show it once", async () => {
    const page = await at("/settings");
    await page.getByRole("button", { name: "Rotate the token" }).click();
    const warning = page.getByRole("dialog");
    await warning.getByText("stops working at once").waitFor();
    await warning.getByRole("button", { name: "Rotate the token" }).click();
    const token = (await page.getByTestId("bot-token").textContent()) ?? "";
    const asked = page.waitForEvent("dialog");
    void page.reload().catch(() => {});
    const question = await asked;
    expect(question.type()).toBe("beforeunload");
    await question.dismiss();
    expect(await page.getByTestId("bot-token").textContent()).toBe(token);
    const { url } = under.service;
    await expect(new BotClient(bot.token, { url }).getMe()).rejects.toMatchObject({ status: 401 });
    expect(await new BotClient(token, { url }).getMe()).toMatchObject({ username: "weather" });
    await page.getByRole("button", { name: "I have copied the token" }).click();
    await page.getByRole("link", { name: "Channels" }).first().click();
    await page.getByRole("heading", { name: "Channels", level: 1 }).waitFor();
  });

  it("disable and enable it", async () => {
    const page = await at("/settings");
    await page.getByRole("button", { name: "Disable the bot" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable the bot" }).click();
    await page.getByRole("button", { name: "Enable the bot" }).waitFor();
    expect((await under.service.owner.getBot(bot.id)).disabled_at).toBeDefined();
    await page.getByRole("button", { name: "Enable the bot" }).click();
    await page.getByRole("button", { name: "Disable the bot" }).waitFor();
  });

  it("delete it after its name is typed, by keyboard alone", async () => {
    const { bot: doomed } = await under.service.owner.createBot({ username: "doomed" });
    const page = await under.signedIn(`/console/bots/${doomed.id}/settings`);
    await page.getByRole("button", { name: "Delete the bot" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("doome");
    await page.keyboard.press("Enter");
    expect(await page.getByRole("button", { name: "Delete permanently" }).isDisabled()).toBe(true);
    await page.keyboard.type("d");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Bots", level: 1 }).waitFor();
    await expect(under.service.owner.getBot(doomed.id)).rejects.toMatchObject({ status: 404 });
  });
});

describe("a bot's overview", () => {
  it("counts its deliveries like the table of all bots", async () => {
    const { owner } = under.service;
    const { bot: reporter } = await owner.createBot({ username: "reporter" });
    const page = await under.signedIn(`/console/bots/${reporter.id}`);
    await page.getByText("In no channel yet").waitFor();
    const channel = await owner.createChannel({ slug: "reports", title: "Reports" });
    await owner.attachBot(reporter.id, channel.id);
    await owner.putWebhook(reporter.id, { url: receiver.url });
    for (const body of ["one", "two", "three"]) await owner.createChannelPost(channel.id, { body });

    await page.getByText("3 delivered, 0 retried, 0 failed", { exact: true }).waitFor();
    await page.getByRole("img", { name: "Attempts in the last hour: 3 delivered" }).waitFor();
    await page.getByText("7 days").click();
    await page.getByRole("img", { name: "Attempts in the last 7 days: 3 delivered" }).waitFor();
    await page.getByRole("link", { name: "Bots", exact: true }).click();
    const row = page.getByRole("row").filter({ hasText: "@reporter" });
    await row.getByText("Healthy").waitFor();
    await row.getByRole("img", { name: "3 delivered in the last hour" }).waitFor();
  });
});
