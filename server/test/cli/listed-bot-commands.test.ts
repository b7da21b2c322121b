import { afterAll, beforeAll, expect, it } from "vitest";
import { makeWorld, type World } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { environmentOf } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const dataDir = temporaryFolder("cli");
let service: InProcessService;
let maker: World;
let holderToken: string;
const ROOM = "kitchen";

beforeAll(async () => {
  service = await startInProcessService(dataDir);
  const ownerToken = async (user: string) =>
    (await environmentOf(user, service, dataDir)).BOTYARD_TOKEN as string;
  maker = await makeWorld({ url: service.url, ownerToken });
  holderToken = await ownerToken("holder");
  const commands = JSON.stringify([{ name: "weather", description: "Tell the weather" }]);
  await as(maker.botToken, "bot", "commands", "set", commands);
  await list("listed");
  await asHolder("channel", "create", "--slug", ROOM, "--title", "Kitchen");
});
afterAll(() => service.stop());

const as = (token: string, ...args: string[]) =>
  commandResult(args, { BOTYARD_URL: service.url, BOTYARD_TOKEN: token });
const asHolder = (...args: string[]) => as(holderToken, ...args);
const list = (visibility: "listed" | "private") =>
  as(maker.ownerToken, "bot", "edit", maker.username, "--visibility", visibility);

it("makes the direct channel with a bot that another owner lists", async () => {
  const made = await asHolder("channel", "direct", maker.username, "--user", "user-8", "--username", "Zoe");
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/for Zoe \(user-8\)/) });
});

it("names similar bots, listed ones too", async () => {
  const { stderr } = await asHolder("bot", "profile", `${maker.username}x`);
  expect(stderr).toContain(`did you mean ${maker.username}?`);
});

it("keeps a bot in the channel that is listed no more, and chooses its commands", async () => {
  const set = await asHolder("channel", "set-bots", ROOM, maker.username, "--yes");
  expect(set).toMatchObject({ code: 0, stdout: expect.stringMatching(/ 1 +0\n/) });
  await list("private");
  const same = await asHolder("channel", "set-bots", ROOM, maker.username, "--yes");
  expect(same).toMatchObject({ code: 0, stdout: expect.stringMatching(/ 0 +0\n/) });
  const chosen = await asHolder("interaction", "choose", ROOM, maker.username, "weather", "--user", "user-8");
  expect(chosen).toMatchObject({ code: 0, stdout: expect.stringMatching(/^what +\/weather/m) });
  const strange = await asHolder("channel", "set-bots", ROOM, "nobody_bot", "--yes");
  expect(strange).toMatchObject({ code: 1, stderr: expect.stringContaining("nobody_bot") });
});
