import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { signWebhook } from "@botyard/sdk/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { packPackages } from "../support/packages.js";
import { environmentOf, type Program, repository, run } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const SECRET = "open-sesame";
const DELIVERIES = 200;
/** What an orchestrator gives a process that is to stop, commonly. */
const GRACE_MS = 10_000;
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
/** What npm installs for a typed bot today, and where it is in this repository. */
const TOOLS = { typescript: "typescript7", "@types/node": "@types/node" };
const QUIET = { npm_config_userconfig: "/dev/null", npm_config_update_notifier: "false" };

/** What a user does who begins: the packed package makes a folder, in which everything works. */
describe("npm create botyard-bot", () => {
  const archives = temporaryFolder("archives");
  const home = temporaryFolder("create");
  const dataDir = temporaryFolder("create-data");
  const command = join(home, "create/bin/create-botyard-bot.js");
  let sdk: string;
  let service: InProcessService;
  let world: World;
  let program: Program | undefined;

  beforeAll(async () => {
    const packed = await packPackages(["sdk", "create-botyard-bot"], archives);
    sdk = packed.find((file) => file.includes("sdk")) ?? "";
    const own = packed.find((file) => file.includes("create-")) ?? "";
    mkdirSync(join(home, "create"));
    const unpack = ["--extract", "--strip-components=1", "--file", own, "--directory", join(home, "create")];
    expect(await run("tar", unpack).exit).toBe(0);
    service = await startInProcessService(dataDir);
    world = await makeWorld(api());
  }, 180_000);
  afterAll(async () => {
    await program?.stop("SIGKILL");
    await service.stop();
  });

  const api = () => ({
    url: service.url,
    ownerToken: async (user: string) => (await environmentOf(user, service, dataDir)).BOTYARD_TOKEN as string,
  });

  it("asks, and takes the beginnings of words", async () => {
    const made = await create([], "asked\nnonsense\n\nt\n");
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toContain("How it gets its updates, polling or webhook (polling): ");
    expect(made.stdout).toContain("npm run dev");
    expect(readdirSync(join(home, "asked"), { recursive: true }).map(String).toSorted()).toEqual([
      ".dockerignore",
      ".env",
      ".gitignore",
      "Dockerfile",
      "README.md",
      "package.json",
      "src",
      join("src", "bot.ts"),
      join("src", "main.ts"),
      "test",
      join("test", "bot.test.ts"),
      "tsconfig.json",
    ]);
    const { version } = JSON.parse(readFileSync(join(repository, "sdk/package.json"), "utf8"));
    const manifest = JSON.parse(readFileSync(join(home, "asked/package.json"), "utf8"));
    expect(manifest).toMatchObject({ name: "asked", dependencies: { "@botyard/sdk": `^${version}` } });
  });

  it.each([
    [["asked", "--yes"], /asked is not empty: choose another folder/],
    [["No Name", "--yes"], /"No Name" can be no name of a package/],
    [["--polling", "--webhook"], /give --polling or --webhook, not both/],
    [["a", "b"], /give one folder, not 2: a, b/],
    [["--typscript"], /Unknown option '--typscript'/],
    [[], /there is nobody to answer: use --yes/],
  ])("refuses %j in one line", async (args, message) => {
    const { code, stderr } = await create(args);
    expect({ code, lines: stderr.trim().split("\n").length }).toEqual({ code: 1, lines: 1 });
    expect(stderr).toMatch(message);
  });

  it("makes a bot by polling that passes its test and answers", async () => {
    expect(await create(["--yes", "--sdk", sdk])).toMatchObject({ code: 0 });
    const folder = await installed("my-bot");
    await expectTestToPass(folder);
    program = start(folder, {});
    await expectAnswer("hello there", "You said: hello there");
    expect(await program.stop()).toBe(0);
  }, 120_000);

  it.each(["javascript", "typescript"])(
    "starts a bot in %s anew when its code is changed",
    async (language) => {
      const name = `dev-${language}`;
      expect(await create([name, "--polling", `--${language}`, "--sdk", sdk])).toMatchObject({ code: 0 });
      const folder = await installed(name);
      const variables = readFileSync(join(folder, ".env"), "utf8");
      expect(variables).toBe("BOT_TOKEN=\nBOTYARD_URL=http://127.0.0.1:8080\n");
      writeFileSync(join(folder, ".env"), `BOT_TOKEN=${world.botToken}\nBOTYARD_URL=${service.url}\n`);
      program = run(npm, ["run", "dev", "--silent"], QUIET, folder);
      expect(await answerTo(`before, ${language}`)).toMatch(/^You said/);
      const file = join(folder, language === "typescript" ? "src/bot.ts" : "src/bot.js");
      writeFileSync(file, readFileSync(file, "utf8").replace("You said", "You wrote"));
      if (language === "typescript")
        expect(await run(npm, ["run", "build", "--silent"], QUIET, folder).exit).toBe(0);
      let posts = 0;
      await eventually("the new code answers", async () => {
        posts += 1;
        return (await answerTo(`after, ${language} ${posts}`)).startsWith("You wrote");
      });
      await program.stop();
    },
    120_000,
  );

  it("makes a typed bot by webhook that passes its test and answers", async () => {
    expect(await create(["hook", "--webhook", "--typescript", "--sdk", sdk])).toMatchObject({ code: 0 });
    const folder = await installed("hook");
    await expectTestToPass(folder);
    const port = await freePort();
    program = start(folder, { WEBHOOK_SECRET: SECRET, PORT: port });
    await eventually("it listens", () => program?.stdout().includes(`listening on port ${port}`));
    const set = await ask(service, "PUT", `/v1/bot-api/bots/${world.botId}/webhook`, {
      token: world.ownerToken,
      body: { url: `http://127.0.0.1:${port}/`, secret_token: SECRET },
    });
    expect(set.status).toBe(200);
    await expectAnswer("/hello", /^Hello, /);
    expect(await program.stop()).toBe(0);
  }, 120_000);

  it("stops in good order while deliveries are under way, and answers each of them once", async () => {
    const folder = join(home, "hook");
    const busy = await makeWorld(api());
    const asOwner = { token: busy.ownerToken };
    const posts = `/v1/channels/${busy.channelId}/posts`;
    const questions = Array.from({ length: DELIVERIES }, (_, index) => `question ${index}`);
    for (const body of questions) await ask(service, "POST", posts, { ...asOwner, body: { body } });
    const updates = await readLog(busy);
    expect(updates).toHaveLength(DELIVERIES);
    const answers = async () =>
      (await readLog(busy)).flatMap(({ payload: { body } }) => (body.startsWith("You said: ") ? [body] : []));

    const listening = async () => {
      const port = await freePort();
      program = start(folder, { BOT_TOKEN: busy.botToken, WEBHOOK_SECRET: SECRET, PORT: port });
      await eventually("it listens", () => program?.stdout().includes(`listening on port ${port}`));
      return { url: `http://127.0.0.1:${port}/`, stopped: program };
    };
    const { url, stopped } = await listening();
    const deliveries = updates.map(async (update) => {
      const body = JSON.stringify(update);
      const headers = await signWebhook({ secret: SECRET, body });
      // One that no answer comes to is delivered again.
      return await fetch(url, { method: "POST", body, headers }).then(
        ({ status }) => status,
        () => undefined,
      );
    });
    await eventually("it has begun to answer", async () => (await answers()).length > 0);
    const startedAt = performance.now();
    expect(await stopped.stop()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(GRACE_MS);
    const statuses = await Promise.all(deliveries);
    expect(statuses.filter((status) => status !== 200 && status !== undefined)).toEqual([]);
    // What it has acknowledged, it has answered.
    expect((await answers()).length).toBeGreaterThanOrEqual(
      statuses.filter((status) => status === 200).length,
    );

    const again = await listening();
    await ask(service, "PUT", `/v1/bot-api/bots/${busy.botId}/webhook`, {
      ...asOwner,
      body: { url: again.url, secret_token: SECRET },
    });
    await eventually("everything is delivered", async () => {
      const { body } = await ask(service, "GET", `/v1/bot-api/bots/${busy.botId}/webhook`, asOwner);
      return body.pending_update_count === 0;
    });
    expect((await answers()).toSorted()).toEqual(questions.map((body) => `You said: ${body}`).toSorted());
    expect(await again.stopped.stop()).toBe(0);
  }, 120_000);

  /** Everything in a bot's log. */
  async function readLog({ botToken: token }: World) {
    const items: { update_id: number; payload: { body: string } }[] = [];
    for (;;) {
      const path = `/v1/bot-api/updates?offset=${items.at(-1)?.update_id ?? 0}`;
      const { body } = await ask(service, "GET", path, { token });
      if (body.items.length === 0) return items;
      items.push(...body.items);
    }
  }

  /** @param answers what is typed; nobody is there when left out */
  async function create(args: readonly string[], answers = "") {
    const child = spawn(process.execPath, [command, ...args], { cwd: home });
    child.stdin.end(answers);
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve) => child.on("close", resolve)),
    ]);
    return { stdout, stderr, code };
  }

  /** With the compiler and the types of Node that this repository has: nothing may be fetched. */
  async function installed(name: string): Promise<string> {
    const folder = join(home, name);
    const manifest = join(folder, "package.json");
    const written = readFileSync(manifest, "utf8");
    // npm asks the registry even for what it leaves out.
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(written), devDependencies: {} }));
    const installing = run(npm, ["install", "--offline", "--no-audit", "--no-fund"], QUIET, folder);
    expect({ code: await installing.exit, stderr: installing.stderr() }).toEqual({ code: 0, stderr: "" });
    writeFileSync(manifest, written);
    const modules = join(folder, "node_modules");
    mkdirSync(join(modules, "@types"), { recursive: true });
    mkdirSync(join(modules, ".bin"), { recursive: true });
    for (const [tool, name] of Object.entries(TOOLS)) {
      symlinkSync(join(repository, "node_modules", name), join(modules, tool), "junction");
    }
    symlinkSync("../typescript/bin/tsc", join(modules, ".bin/tsc"));
    return folder;
  }

  async function expectTestToPass(folder: string): Promise<void> {
    const testing = run(npm, ["test"], QUIET, folder);
    expect({ code: await testing.exit, output: testing.stdout() + testing.stderr() }).toMatchObject({
      code: 0,
      output: expect.stringMatching(/pass 3\b/),
    });
  }

  /** By npm, which passes signals on. */
  function start(folder: string, env: Record<string, string>): Program {
    return run(
      npm,
      ["start", "--silent"],
      { ...QUIET, BOT_TOKEN: world.botToken, BOTYARD_URL: service.url, ...env },
      folder,
    );
  }

  /** Publishes a post, and waits for the bot's answer that repeats it. */
  async function answerTo(body: string): Promise<string> {
    const path = `/v1/channels/${world.channelId}/posts`;
    await ask(service, "POST", path, { token: world.ownerToken, body: { body } });
    return await eventually("the bot answers", async () => {
      const bodies = (await readLog(world)).map((update) => update.payload.body);
      return bodies.find((one) => one.endsWith(`: ${body}`));
    });
  }

  async function expectAnswer(body: string, wanted: string | RegExp): Promise<void> {
    const path = `/v1/channels/${world.channelId}/posts`;
    await ask(service, "POST", path, { token: world.ownerToken, body: { body } });
    const bodies = await eventually("the bot answers", async () => {
      const answer = await ask(service, "GET", path, { token: world.ownerToken });
      const posts = answer.body.items.map((one: { body: string }) => one.body) as string[];
      return posts[0] === body ? undefined : posts;
    });
    expect(bodies[0]).toMatch(wanted);
  }
});

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}
