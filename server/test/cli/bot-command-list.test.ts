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

it("botyard bot commands sets and shows what a bot offers, botyard channel commands lists it", async () => {
  const asBot = (...args: string[]) =>
    commandResult(["bot", "commands", ...args], { BOTYARD_URL: service.url, BOTYARD_TOKEN: world.botToken });
  const options = [
    { name: "city", type: "string", description: "Where", required: true },
    { name: "days", type: "integer", description: "For how long" },
  ];
  const commands = JSON.stringify([{ name: "weather", description: "Tell the weather", options }]);
  const row = /^.*\/weather <city> \[days\] +Tell the weather$/m;
  expect((await asBot("set", commands)).stdout).toMatch(row);
  expect((await asBot("show")).stdout).toMatch(row);
  const listed = await commandResult(["channel", "commands", world.channelId], {
    BOTYARD_URL: service.url,
    BOTYARD_TOKEN: world.ownerToken,
  });
  expect(listed.stdout).toMatch(new RegExp(`^${world.username} +/weather`, "m"));
  expect(await asBot("set", "{}")).toMatchObject({ code: 2, stderr: expect.stringMatching(/JSON array/) });
  expect((await asBot("set", '[{"name":"W"}]')).code).toBe(1);
  expect((await asBot("set", "[]")).code).toBe(0);
});
