import { readFileSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { ownerAt } from "../support/load.js";
import { folderBytes, installPackages, packWorkspaces } from "../support/packages.js";
import { type Environment, type Finished, type Program, repository, run } from "../support/program.js";
import { startReceiver } from "../support/receiver.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const MEBIBYTE = 2 ** 20;
/** The same ten lines in two kinds of modules, so that a type checker sees one and Node the other. */
const botLines = (imported: string) => `${imported}
const bot = new Bot(process.env.BOT_TOKEN ?? "", { url: process.env.BOTYARD_URL ?? "" });
bot.onPost((ctx) => ctx.reply(\`You said: \${ctx.payload.body}\`));
bot.catch((error) => { console.error(error.message); });
void bot.start();
`;

/** What a user has who never opens this repository: the two packages, in a folder that was empty. */
describe("the packages, installed", () => {
  const archives = temporaryFolder("archives");
  const folder = temporaryFolder("installed");
  const command = join(folder, "node_modules/.bin/botyard");
  let installed: Finished;
  let service: Program;
  let env: Environment;
  const programs: Program[] = [];

  beforeAll(async () => {
    installed = await installPackages(folder, await packWorkspaces(["server", "sdk"], archives));
    service = start(command, ["serve"], { PORT: "0" });
    const url = await eventually(
      "the service is ready",
      () => /address +(http:\S+)/.exec(service.stderr())?.[1],
    );
    const token = await botyard(["owner-token", "--user", "alice"]);
    env = { BOTYARD_URL: url, BOTYARD_TOKEN: token.trim() };
  }, 180_000);
  afterAll(async () => {
    for (const program of programs) await program.stop("SIGKILL");
  });

  it("are installed without a word of warning, and without a script", () => {
    expect(installed).toMatchObject({ code: 0, stderr: "" });
    const { packages } = JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8"));
    expect(Object.keys(packages).length).toBeLessThanOrEqual(120);
    expect(JSON.stringify(packages)).not.toContain("hasInstallScript");
  });

  it("take little room, and carry their licenses", async () => {
    expect(await folderBytes(join(folder, "node_modules"))).toBeLessThan(90 * MEBIBYTE);
    for (const file of [
      "botyard/LICENSE",
      "botyard/README.md",
      "@botyard/sdk/LICENSE",
      "@botyard/sdk/README.md",
    ])
      expect(readFileSync(join(folder, "node_modules", file), "utf8")).not.toBe("");
    const licenses = readFileSync(join(folder, "node_modules/botyard/libraries/LICENSES.txt"), "utf8");
    for (const library of ["fastify", "pg", "@photostructure/sqlite", "commander", "react"])
      expect(licenses).toMatch(new RegExp(`^${library} \\d`, "m"));
  });

  it("hold nothing of the workshop", async () => {
    const files = await readdir(join(folder, "node_modules/botyard"), { recursive: true });
    expect(files.filter((file) => /(^|\/)(test|src)(\/|$)|\.(pem|key|built|map|ts)$/.test(file))).toEqual([]);
  });

  it("have a command that npx finds", async () => {
    const program = start("npx", ["botyard", "--version"], {});
    expect(await program.exit).toBe(0);
    expect(program.stdout()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.runIf(process.platform === "linux")("stop with npx on SIGTERM, in good order", async () => {
    const program = start("npx", ["botyard", "serve"], { PORT: "0", DATA_DIR: "stopped", LOG_LEVEL: "info" });
    await eventually("the service is ready", () => program.stderr().includes("address"));
    expect(await program.stop("SIGTERM")).not.toBe(0);
    expect(program.stdout()).toContain('"event":"stopped"');
  });

  it("serve from the folder they were started in", async () => {
    expect(service.stderr()).toContain(`  data         ${join(folder, "data")}\n`);
    expect(await readdir(join(folder, "data"))).toContain("botyard.db");
  });

  it.each(["/console", "/docs", "/docs/scalar.js", "/openapi.json", "/readyz"])("serve %s", async (path) => {
    const { status } = await fetch(`${env["BOTYARD_URL"]}${path}`);
    expect(status).toBe(200);
  });

  it("serve the script of the console's first page", async () => {
    const page = await (await fetch(`${env["BOTYARD_URL"]}/console`)).text();
    const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(page)?.[1];
    expect((await fetch(`${env["BOTYARD_URL"]}${script}`)).status).toBe(200);
  });

  describe("with a channel", () => {
    it.each([
      ["typed", "bot.mts", 'import { Bot } from "@botyard/sdk";'],
      ["commonjs", "bot.cjs", 'const { Bot } = require("@botyard/sdk");'],
    ])("run a bot that answers: %s", async (username, file, imported) => {
      writeFileSync(join(folder, file), botLines(imported));
      const program = file.endsWith(".mts") ? await compile(file) : file;
      const { token, say } = await (username === "typed" ? createBotByCommand : createBot)(username);
      start(process.execPath, [program], { ...env, BOT_TOKEN: token });
      await say(`hello ${username}`);
      const tail = start(command, ["tail", "--json", "--from", "start"], { ...env, BOTYARD_TOKEN: token });
      await eventually("the update is in its log", () => tail.stdout().includes(`hello ${username}`));
      await eventually("its answer is in the channel", async () =>
        (await postsOf(username)).includes(`You said: hello ${username}`),
      );
    });

    it("forward updates to a receiver that has no public address", async () => {
      const receiver = await startReceiver();
      const { token, say } = await createBot("listener");
      await say("forward this");
      const forwarding = ["listen", "--from", "start", "--forward-to", receiver.url];
      start(command, forwarding, { ...env, BOTYARD_TOKEN: token });
      const request = await eventually("it arrives", () => receiver.requests[0]);
      expect(request.body).toContain("forward this");
      await receiver.close();
    });
  });

  function start(command: string, args: readonly string[], environment: Environment): Program {
    const program = run(command, args, { HOME: folder, ...environment }, folder);
    programs.push(program);
    return program;
  }

  async function botyard(args: readonly string[]): Promise<string> {
    const program = start(command, args, env ?? {});
    const code = await program.exit;
    expect({ code, stderr: program.stderr() }).toMatchObject({ code: 0 });
    return program.stdout();
  }

  /** A bot in a channel of the same name: two that answer in one would answer each other. */
  async function createBotByCommand(username: string) {
    const answer = JSON.parse(await botyard(["bot", "create", "--username", username, "--json"]));
    await botyard(["channel", "create", "--slug", username, "--title", username]);
    await botyard(["bot", "attach", username, username]);
    const say = (body: string) => botyard(["post", "--channel", username, "--body", body]);
    return { token: answer.token.token as string, say };
  }

  /** The same without commands, of which each takes a third of a second of processor time. */
  async function createBot(username: string) {
    const owner = ownerAt(env);
    const channelId = await owner.createChannel(username);
    const { token } = await owner.createBot(username, [channelId]);
    const path = `/v1/channels/${channelId}/posts`;
    return { token, say: (body: string) => owner.call("POST", path, { body }) };
  }

  async function postsOf(slug: string): Promise<string[]> {
    const headers = { authorization: `Bearer ${env["BOTYARD_TOKEN"]}` };
    const get = async (path: string) => (await fetch(`${env["BOTYARD_URL"]}${path}`, { headers })).json();
    const { items } = (await get("/v1/channels")) as { items: { id: string; slug: string }[] };
    const channel = items.find((item) => item.slug === slug);
    const posts = (await get(`/v1/channels/${channel?.id}/posts`)) as { items: { body: string }[] };
    return posts.items.map(({ body }) => body);
  }

  /**
   * As strict as it gets, for Node; with the compiler and the types of Node that this repository has. All declarations are
   * checked but those that come with the compiler, which would take another 2 s of processor time.
   */
  async function compile(file: string): Promise<string> {
    const options = ["--strict", "--module", "NodeNext", "--target", "ES2023", "--types", "node"];
    const types = ["--typeRoots", join(repository, "node_modules/@types"), "--skipDefaultLibCheck"];
    const compiler = join(repository, "node_modules/typescript7/bin/tsc");
    const program = start(process.execPath, [compiler, ...options, ...types, file], {});
    expect({ code: await program.exit, stdout: program.stdout() }).toEqual({ code: 0, stdout: "" });
    return file.replace(".mts", ".mjs");
  }
});
