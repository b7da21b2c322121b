import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { completedInBash } from "../support/completed-in-bash.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { type Environment, environmentOf } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const dataDir = temporaryFolder("cli-complete-names");
const folder = temporaryFolder("complete-names");
const script = join(folder, "botyard.bash");
let service: InProcessService;
let alice: Environment;
let bot: Environment;

beforeAll(async () => {
  writeFileSync(script, (await commandResult(["completion", "bash"])).stdout);
  service = await startInProcessService(dataDir);
  alice = await environmentOf("alice", service, dataDir);
  const token = alice.BOTYARD_TOKEN ?? "";
  const made = [];
  for (const username of ["echo", "Eager", "weather"])
    made.push(await ask(service, "POST", "/v1/bot-api/bots", { token, body: { username } }));
  bot = { ...alice, BOTYARD_TOKEN: made[0]?.body.token.token };
  const channels = [];
  for (const slug of ["news", "night", "games"])
    channels.push(await ask(service, "POST", "/v1/channels", { token, body: { slug, title: slug } }));
  const at = `/v1/bot-api/bots/${made[0]?.body.bot.id}/channels/${channels[0]?.body.id}`;
  await ask(service, "POST", at, { token });
});
afterAll(() => service.stop());

const named = async (env: Environment, ...words: string[]) => {
  const { code, stdout, stderr } = await commandResult(["complete-names", "--", ...words], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.split("\n").slice(0, -1).sort();
};

/** A machine that is busy may need longer than a completion waits: TAB is pressed again. */
const expectSoon = (completed: () => Promise<string[]>) => expect.poll(completed, { timeout: 20_000 });

describe("names in completion", () => {
  it("are those of the owner's bots and channels in bash, where a command wants them", async () => {
    const lines = [
      "botyard bot show e",
      "botyard bot attach echo n",
      "botyard bot attach echo news ",
      "botyard post --channel g",
      "botyard updates echo --channel=ni",
      "botyard webhook set echo --gen",
      "botyard channel set-bots news echo we",
    ];
    await expectSoon(() => completedInBash({ script, folder, lines, env: alice })).toEqual([
      "echo",
      "news night",
      expect.stringContaining("--role"),
      "games",
      "night",
      "--generate-secret",
      "weather",
    ]);
  });

  it("are found whatever their case, and only in the place of a name", async () => {
    await expectSoon(() => named(alice, "bot", "show", "E")).toEqual(["Eager", "echo"]);
    expect(await named(alice, "bot", "show", "echo", "e")).toEqual([]);
    expect(await named(alice, "bot", "edit", "--description", "e")).toEqual([]);
    await expectSoon(() => named(alice, "bot", "edit", "--description", "x", "e")).toEqual(["Eager", "echo"]);
    await expectSoon(() => named(alice, "channel", "posts", "")).toEqual(["games", "news", "night"]);
    expect(await named(alice, "nonsense", "")).toEqual([]);
  });

  it("are those of a bot's channels with its token", async () => {
    await expectSoon(() => named(bot, "post", "--channel", "n")).toEqual(["news"]);
    expect(await named(bot, "bot", "show", "e")).toEqual([]);
  });

  it("are left out silently without a token and without the service", async () => {
    const { BOTYARD_TOKEN: _, ...nobody } = alice;
    expect(await named(nobody, "bot", "show", "")).toEqual([]);
    expect(await named({ ...alice, BOTYARD_TOKEN: "wrong" }, "bot", "show", "")).toEqual([]);
    expect(await named({ ...alice, BOTYARD_URL: "http://127.0.0.1:9" }, "bot", "show", "")).toEqual([]);
    expect(await named({ ...alice, BOTYARD_URL: "nonsense" }, "bot", "show", "")).toEqual([]);
  });

  it("do not wait for a service that does not answer", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((listening) => silent.once("listening", listening));
    const { port } = silent.address() as AddressInfo;
    const env = { ...alice, BOTYARD_URL: `http://127.0.0.1:${port}` };
    expect(await named(env, "bot", "show", "")).toEqual([]);
    silent.closeAllConnections();
    silent.close();
  });

  it("are none that a shell would run", async () => {
    const hostile = createServer((_, response) => {
      const items = ["$(touch made)", "a b", "-x", "fine"].map((username) => ({ username }));
      response.setHeader("content-type", "application/json").end(JSON.stringify({ items }));
    }).listen(0, "127.0.0.1");
    await new Promise((listening) => hostile.once("listening", listening));
    const { port } = hostile.address() as AddressInfo;
    const env = { ...alice, BOTYARD_URL: `http://127.0.0.1:${port}` };
    const lines = ["botyard bot show "];
    await expectSoon(() => completedInBash({ script, folder, lines, env })).toEqual(["fine"]);
    expect(existsSync(join(folder, "made"))).toBe(false);
    hostile.closeAllConnections();
    hostile.close();
  });
});
