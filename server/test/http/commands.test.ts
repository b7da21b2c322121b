import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MAX_COMMANDS_BYTES } from "#botyard/domain/limits.js";
import type { RunningApi } from "../support/api.js";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { PLATFORM_TOKEN, startApiForAll } from "../support/every-operation.js";
import { switchFeedOn } from "../support/feed-world.js";
import { repository } from "../support/program.js";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApiForAll();
  await switchFeedOn(api.store);
});
afterAll(() => api.close());
beforeEach(async () => {
  world = await makeWorld(api);
});

const PATH = "/v1/bot-api/commands";
const weather = {
  name: "weather",
  description: "Tell the weather of a place",
  options: [
    { name: "city", type: "string", description: "Where", required: true },
    {
      name: "unit",
      type: "string",
      description: "In which unit",
      choices: [
        { label: "°C", value: "celsius" },
        { label: "°F", value: "fahrenheit" },
      ],
    },
    { name: "days", type: "integer", description: "For how long", choices: [{ label: "a day", value: 1 }] },
  ],
  descriptions: { de: "Sagt das Wetter an einem Ort", "pt-BR": "Diz o tempo" },
};
const help = { name: "help", description: "List what there is" };

const put = (commands: unknown, token = world.botToken) =>
  ask(api, "PUT", PATH, { token, body: { commands } });
const inChannel = (headers: Record<string, string> = {}, token = world.ownerToken) =>
  ask(api, "GET", `/v1/channels/${world.channelId}/commands`, { token, headers });
const kindsInFeed = async (): Promise<string[]> => {
  const { body } = await ask(api, "GET", "/v1/platform/feed?limit=500", { token: PLATFORM_TOKEN });
  return body.items
    .filter(({ owner_user_id: owner }: { owner_user_id: string }) => owner === world.owner)
    .map(({ event_type: kind }: { event_type: string }) => kind);
};

describe("the commands of a bot", () => {
  it("are none at first, then as set, in their order, also the same again", async () => {
    const mine = (): Promise<Answer> => ask(api, "GET", PATH, { token: world.botToken });
    const none = await mine();
    expectContract("getMyCommands", none);
    expect(none.body).toEqual({ items: [] });
    for (const commands of [[weather, help], [weather, help], [help], []]) {
      const set = await put(commands);
      expectContract("putMyCommands", set);
      expect(set.body).toEqual({ items: commands });
      expect((await mine()).body).toEqual(set.body);
    }
    const told = (await kindsInFeed()).filter((kind) => kind === "bot.commands_set");
    expect(told).toHaveLength(3);
  });

  it("are offered in its channels while it is enabled and attached, with a tag that says when they change", async () => {
    expect((await inChannel()).body).toEqual({ items: [] });
    await put([weather]);
    const listed = await inChannel();
    expectContract("listChannelCommands", listed);
    expect(listed.body.items).toEqual([
      { bot_id: world.botId, username: world.username, display_name: world.username, commands: [weather] },
    ]);
    const tagOf = ({ headers }: Answer) => headers.get("etag") ?? "";
    const tag = tagOf(listed);
    const same = await inChannel({ "if-none-match": `"other", W/${tag}` });
    expect([same.status, same.text, tagOf(same)]).toEqual([304, "", tag]);
    const guide = readFileSync(join(repository, "docs/embedding.md"), "utf8");
    const [, list = ""] = /says when to ask again: ((?:`[a-z._]+`(?:, )?)+)/.exec(guide) ?? [];
    const bot = `/v1/bot-api/bots/${world.botId}`;
    const attached = `${bot}/channels/${world.channelId}`;
    const withRole = (role: string) =>
      asOwner("PUT", `/v1/channels/${world.channelId}/bots`, { bots: [{ id: world.botId, role }] });
    const asOwner = (method: string, path: string, body?: object) =>
      ask(api, method, path, { token: world.ownerToken, body });
    const changes: [string, number, () => Promise<Answer>][] = [
      ["bot.updated", 1, () => asOwner("PATCH", bot, { display_name: "Help" })],
      ["bot.commands_set", 1, () => put([help])],
      ["bot.disabled", 0, () => asOwner("POST", `${bot}/disable`)],
      ["bot.enabled", 1, () => asOwner("POST", `${bot}/enable`)],
      ["bot.role_changed", 0, () => asOwner("POST", attached, { role: "reader" })],
      ["bot.role_changed", 1, () => asOwner("POST", attached, { role: "member" })],
      ["bot.role_changed", 0, () => withRole("reader")],
      ["bot.role_changed", 1, () => withRole("moderator")],
      ["bot.detached", 0, () => asOwner("DELETE", attached)],
      ["bot.attached", 1, () => asOwner("POST", attached)],
      ["bot.deleted", 0, () => asOwner("DELETE", bot)],
    ];
    let before = listed;
    for (const [kind, count, change] of changes) {
      const told = (await kindsInFeed()).length;
      expect((await change()).status).toBeLessThan(300);
      const after = await inChannel({ "if-none-match": tagOf(before) });
      expect([kind, after.status]).toEqual([kind, 200]);
      expect(after.body.items).toHaveLength(count);
      // A product that keeps the list asks again when the feed has one of the kinds that the guide names.
      expect((await kindsInFeed()).slice(told)).toContain(kind);
      expect(list).toContain(`\`${kind}\``);
      before = after;
    }
    expect(list.split(", ")).toHaveLength(new Set(changes.map(([kind]) => kind)).size);
  });

  it("of many bots are listed all, oldest bot first", async () => {
    const names: string[] = [];
    for (let index = 0; index < 25; index += 1) {
      const username = `${world.username}-${index}`;
      const made = await ask(api, "POST", "/v1/bot-api/bots", {
        token: world.ownerToken,
        body: { username },
      });
      const { id } = made.body.bot;
      await ask(api, "POST", `/v1/bot-api/bots/${id}/channels/${world.channelId}`, {
        token: world.ownerToken,
      });
      if (index % 5 === 4) continue;
      names.push(username);
      await put([{ ...help, description: "x".repeat(200) }], made.body.token.token);
    }
    const { items } = JSON.parse((await inChannel()).text);
    expect(items.map((bot: { username: string }) => bot.username)).toEqual(names);
  });

  it("are refused when they are not right, with nothing changed", async () => {
    await put([help]);
    const option = { name: "a", type: "string", description: "x" };
    const bad: [unknown, RegExp][] = [
      [undefined, /^commands is required/],
      [[{ name: "Weather", description: "x" }], /^commands\[0]\.name/],
      [[{ name: "a b", description: "x" }], /^commands\[0]\.name/],
      [[{ name: "weather" }], /^commands\[0]\.description is required/],
      [[{ name: "weather", description: "" }], /^commands\[0]\.description/],
      [[help, help], /^commands has the name "help" twice/],
      [Array.from({ length: 101 }, (_, n) => ({ name: `c${n}`, description: "x" })), /^commands/],
      [[{ ...help, options: [option, option] }], /^commands\[0]\.options has the name "a" twice/],
      [[{ ...help, options: [{ ...option, type: "date" }] }], /^commands\[0]\.options\[0]\.type/],
      [
        [{ ...help, options: [option, { ...option, name: "b", required: true }] }],
        /^commands\[0]\.options must have those that are required first/,
      ],
      [
        [{ ...help, options: [{ ...option, type: "user", choices: [{ label: "x", value: "x" }] }] }],
        /^commands\[0]\.options\[0] must not have choices/,
      ],
      [
        [{ ...help, options: [{ ...option, type: "integer", choices: [{ label: "x", value: 1.5 }] }] }],
        /^commands\[0]\.options\[0] must have only choices of its type, integer/,
      ],
      [
        [
          {
            ...help,
            options: [
              {
                ...option,
                choices: [
                  { label: "x", value: "x" },
                  { label: "y", value: "x" },
                ],
              },
            ],
          },
        ],
        /has a choice twice/,
      ],
      [[{ ...help, descriptions: { "not a language": "x" } }], /^commands\[0]\.descriptions/],
      [
        Array.from({ length: 100 }, (_, n) => ({
          name: `c${n}`,
          description: "x".repeat(200),
          options: Array.from({ length: 6 }, (_, m) => ({ ...option, name: `o${m}` })),
        })),
        new RegExp(`at most ${MAX_COMMANDS_BYTES} bytes`),
      ],
    ];
    for (const [commands, message] of bad) expectFailure("putMyCommands", await put(commands), 400, message);
    expect((await ask(api, "GET", PATH, { token: world.botToken })).body.items).toEqual([help]);
  });

  it("are the bot's to set, and the channel's holder's to see", async () => {
    const other = await makeWorld(api);
    expect((await put([help], world.ownerToken)).status).toBe(401);
    expectFailure("listChannelCommands", await inChannel({}, other.ownerToken), 404);
    expect((await inChannel({}, world.botToken)).status).toBe(401);
  });

  it("set by many at once are one of these, and told once for each change", async () => {
    const sets = Array.from({ length: 12 }, (_, n) => [{ ...help, description: `by ${n}` }]);
    for (const { status } of await Promise.all(sets.map((commands) => put(commands))))
      expect(status).toBe(200);
    const { body } = await ask(api, "GET", PATH, { token: world.botToken });
    expect(sets).toContainEqual(body.items);
    expect((await kindsInFeed()).filter((kind) => kind === "bot.commands_set")).toHaveLength(12);
  });
});
