import { BotClient } from "@botyard/sdk";
import { expect, it } from "vitest";
import { describeBoth, ZOE } from "../support/both-services.js";

describeBoth((open) => {
  it("keeps the commands that a bot offers", async () => {
    const { url, token } = await open();
    const client = new BotClient(token, { url });
    expect(await client.getMyCommands()).toEqual({ items: [] });
    const option = { name: "city", type: "string", description: "Where", required: true } as const;
    const weather = { name: "weather", description: "Tell the weather", options: [option] };
    expect(await client.putMyCommands([weather])).toEqual({ items: [weather] });
    const withChoices = (choices: unknown) => ({ ...weather, options: [{ ...option, choices }] });
    const choice = { label: "Oslo", value: "oslo" };
    const wrong = [
      { ...weather, name: "Weather" },
      { ...weather, description: "" },
      { ...weather, description: "a\0b" },
      { ...weather, description: "🌦".repeat(201) },
      { ...weather, descriptions: { de: "" } },
      { ...weather, descriptions: { de: 1 } },
      { ...weather, descriptions: { "?": "Sagt das Wetter" } },
      { ...weather, options: [{ ...option, required: "yes" }] },
      withChoices([]),
      withChoices([choice, choice]),
      withChoices([{ value: "oslo" }]),
      withChoices(Array.from({ length: 26 }, (_, index) => ({ label: "x", value: `${index}` }))),
    ];
    for (const command of wrong) {
      const refused = client.putMyCommands([command as typeof weather]);
      await expect(refused, JSON.stringify(command)).rejects.toMatchObject({ status: 400 });
    }
    const described = { ...weather, description: "🌦".repeat(150), descriptions: { "pt-BR": "Diz o tempo" } };
    const large = Array.from({ length: 75 }, (_, index) => ({ ...described, name: `weather-${index}` }));
    await expect(client.putMyCommands(large)).rejects.toMatchObject({ code: "too_large" });
    expect(await client.putMyCommands([described])).toEqual({ items: [described] });
    await client.putMyCommands([weather]);
    await expect(client.putMyCommands([weather, weather])).rejects.toMatchObject({
      code: "invalid_commands",
    });
    expect(await client.getMyCommands()).toEqual({ items: [weather] });
    expect(await client.putMyCommands([])).toEqual({ items: [] });
  });

  it("tells the bot of commands that are chosen, if it has them", async () => {
    const { url, token, choose, channelId, readOnlyChannel } = await open();
    const client = new BotClient(token, { url });
    const city = { name: "city", type: "string", description: "Where", required: true } as const;
    const choices = [{ label: "one", value: 1 }];
    const days = { name: "days", type: "integer", description: "How long", choices } as const;
    await client.putMyCommands([
      { name: "weather", description: "x", options: [city, { ...days, choices }] },
    ]);
    const options = { city: "Oslo", days: 1 };
    const { id } = await choose("weather", options);
    const { items } = await client.pollUpdates();
    expect(items[0]?.payload).toEqual({
      interaction_id: id,
      kind: "command",
      channel_id: channelId,
      bot_id: (await client.getMe()).id,
      user: ZOE,
      command: { name: "weather", options },
      expires_at: expect.any(String),
    });
    const refused: [string, object][] = [
      ["news", {}],
      ["weather", {}],
      ["weather", { city: 1 }],
      ["weather", { ...options, days: 2 }],
      ["weather", { ...options, days: 1.5 }],
      ["weather", { ...options, more: true }],
    ];
    for (const [name, given] of refused)
      await expect(choose(name, given as Record<string, unknown>)).rejects.toThrow();
    const whereItReads = choose("weather", options, await readOnlyChannel());
    await expect(whereItReads).rejects.toThrow("the bot is a reader in this channel: it could not respond");
  });
});
