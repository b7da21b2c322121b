import { afterAll, beforeAll, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { type Environment, environmentOf } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const dataDir = temporaryFolder("cli-consumers");
let service: InProcessService;
let alice: Environment;
let bot: Environment;
beforeAll(async () => {
  service = await startInProcessService(dataDir);
  alice = await environmentOf("alice", service, dataDir);
  const token = alice.BOTYARD_TOKEN ?? "";
  const made = await ask(service, "POST", "/v1/bot-api/bots", { token, body: { username: "echo" } });
  bot = { ...alice, BOTYARD_TOKEN: made.body.token.token };
  const channel = await ask(service, "POST", "/v1/channels", { token, body: { slug: "news", title: "N" } });
  await ask(service, "POST", `/v1/bot-api/bots/${made.body.bot.id}/channels/${channel.body.id}`, { token });
  for (const body of ["one", "two", "three"])
    await ask(service, "POST", `/v1/channels/${channel.body.id}/posts`, { token, body: { body } });
});
afterAll(() => service.stop());

it("moves, lists and deletes a bot's consumers, and shows them to its owner", async () => {
  const moved = await commandResult(["consumer", "move", "main", "2"], bot);
  expect(moved).toMatchObject({ code: 0, stderr: "" });
  expect(moved.stdout).toMatch(/^consumer +position +done +lag +last poll +created\nmain +2 +0 +1 +20\S+\n$/);
  const back = await commandResult(["consumer", "move", "main", "1"], bot);
  expect(back).toMatchObject({ code: 1, stdout: "" });
  expect(back.stderr).toMatch(/must not be below 2/);
  expect((await commandResult(["consumer", "move", "main", "1", "--rewind"], bot)).code).toBe(0);
  expect((await commandResult(["consumer", "move", "main", "x"], bot)).code).toBe(2);
  const seen = await commandResult(["bot", "consumers", "echo", "--json"], alice);
  expect(JSON.parse(seen.stdout).items).toMatchObject([{ name: "main", position: 1, lag: 2 }]);
  expect((await commandResult(["bot", "stats", "echo"], alice)).stdout).toMatch(/consumer is behind +2\n/);
  const wrong = await commandResult(["consumer", "list"], alice);
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toMatch(/token of a bot.*botyard bot consumers/);
  expect((await commandResult(["consumer", "delete", "main"], bot)).stdout).toMatch(/main +deleted/);
  expect(JSON.parse((await commandResult(["consumer", "list", "--json"], bot)).stdout)).toEqual({
    items: [],
  });
});
