import { afterAll, beforeAll, expect, it } from "vitest";
import { makeWorld, type World } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { environmentOf } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const dataDir = temporaryFolder("cli");
let service: InProcessService;
let world: World;
beforeAll(async () => {
  service = await startInProcessService(dataDir);
  const ownerToken = async (user: string) =>
    (await environmentOf(user, service, dataDir)).BOTYARD_TOKEN as string;
  world = await makeWorld({ url: service.url, ownerToken });
});
afterAll(() => service.stop());

const as = (token: string, args: string[]) =>
  commandResult(args, { BOTYARD_URL: service.url, BOTYARD_TOKEN: token });
const asOwner = (...args: string[]) => as(world.ownerToken, args);
const asBot = (...args: string[]) => as(world.botToken, args);
const USER = ["--user", "user-7", "--username", "Zoe"];

it("botyard interaction presses a button, and shows what the bot responds", async () => {
  const buttons = JSON.stringify([[{ type: "button", id: "yes", label: "Yes", value: "1" }]]);
  const content = ["--channel", world.channelId, "--body", "Go?", "--components", buttons, "--json"];
  const { id: postId } = JSON.parse((await asBot("post", ...content)).stdout);
  expect((await asOwner("post", "show", world.channelId, postId)).stdout).toContain('"label":"Yes"');
  const pressed = await asOwner("interaction", "press", world.channelId, postId, "yes", ...USER, "--json");
  expect(pressed.code).toBe(0);
  const { id } = JSON.parse(pressed.stdout);
  const response = ["--type", "private", "--body", "Thank you"];
  expect((await asBot("interaction", "respond", id, ...response)).stdout).toContain("private");
  const update = ["--type", "update", "--body", "Gone", "--components", "[]"];
  expect((await asBot("interaction", "respond", id, ...update)).code).toBe(0);
  const shown = await asOwner("interaction", "show", world.channelId, id);
  expect(shown.stdout).toMatch(/^user +Zoe$/m);
  expect(shown.stdout).toMatch(/^what +yes 1$/m);
  expect(shown.stdout).toMatch(/^responses +private: Thank you; update$/m);
  const first = [...USER, "--if-revision", "1"];
  const stale = await asOwner("interaction", "press", world.channelId, postId, "yes", ...first);
  expect([stale.code, stale.stderr]).toEqual([1, expect.stringMatching(/revision 2/)]);
});

it("botyard interaction chooses a command with its options", async () => {
  const options = [{ name: "city", type: "string", description: "Where", required: true }];
  const commands = JSON.stringify([{ name: "weather", description: "Tell the weather", options }]);
  await asBot("bot", "commands", "set", commands);
  const chosen = ["interaction", "choose", world.channelId, world.username, "weather"];
  const choose = (given: string) => as(world.ownerToken, [...chosen, ...USER, "--options", given]);
  expect((await choose('{"city": "Oslo"}')).stdout).toMatch(/^what +\/weather {"city":"Oslo"}$/m);
  expect(await choose("{}")).toMatchObject({ code: 1, stderr: expect.stringMatching(/must have city/) });
  expect(await choose("[]")).toMatchObject({ code: 2, stderr: expect.stringMatching(/JSON object/) });
  expect((await asBot("interaction", "respond", "x", "--type", "form")).code).toBe(2);
});
