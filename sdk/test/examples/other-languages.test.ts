import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { freePort } from "../../../server/test/support/postgres-server.js";
import { type Environment, type Program, repository, run } from "../../../server/test/support/program.js";
import { makeWorld, type RealService, startService, type World } from "../support/service.js";

const exec = promisify(execFile);
const python = join(repository, "examples/python");
const go = join(repository, "examples/go");
const SECRET_TOKEN = "open-sesame";
/** With the echoes, no more than one page of a channel. */
const POSTS = 40;
/** So a program is killed four times while it has work. */
const ECHOES_PER_KILL = 8;
/** Compiling takes longer where nothing is cached. */
const COMPILING_MS = 300_000;

const has = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const hasPython = has("python3", "--version");
const hasHttpx = hasPython && has("python3", "-c", "import httpx");
const hasGo = has("go", "version");
/** The compiler's heap may grow fivefold before its garbage is collected: a tenth less processor time. */
const goEnvironment = { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0", GOGC: "400" };
/**
 * Go compiles its whole library where nothing is cached. That takes half of the processor time, 21 s, without optimizations, C and what
 * debuggers need.
 */
const QUICKLY = ["-gcflags=all=-N -l -dwarf=false", "-ldflags=-s -w"];
const named = (name: string, isHere: boolean) =>
  isHere ? name : `${name}, which this machine does not have`;

/** Its name, whether this machine has it, and the command that runs the program. */
type Language = [name: string, isHere: boolean, command: () => string[]];

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "botyard-languages-"));
  if (hasGo)
    await exec("go", ["build", ...QUICKLY, "-o", folder, "./poll", "./receive"], {
      cwd: go,
      env: goEnvironment,
    });
}, COMPILING_MS);
afterAll(() => rmSync(folder, { recursive: true }));

describe("a bot through kills", () => {
  let service: RealService;
  let world: World;
  let running: Program | undefined;
  beforeAll(async () => {
    service = await startService({ WEBHOOK_RETRY_SCHEDULE: Array(50).fill("200ms").join(",") });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    world = await makeWorld(service);
  });
  afterEach(() => running?.stop("SIGKILL"));

  const start = ([command = "", ...args]: string[], more: Environment = {}) => {
    const env = { BOT_TOKEN: world.token, BOTYARD_URL: service.url, PYTHONDONTWRITEBYTECODE: "1", ...more };
    running = run(command, args, env);
    return running;
  };
  const bodies = async () => {
    const { items } = await service.owner.listChannelPosts(world.channel.id, { limit: 100 });
    return items.map(({ body }) => body);
  };
  const echoes = async () => (await bodies()).filter((body) => body.startsWith("echo: "));
  const publish = (n: number) => service.owner.createChannelPost(world.channel.id, { body: `post ${n}` });

  /** Posts, kills the program again and again while it answers, and expects each answer exactly once. */
  const killAndExpectAll = async (restart: () => Program, isOver: () => Promise<boolean>) => {
    let program = restart();
    for (let n = 1; n <= POSTS; n += 1) {
      await publish(n);
      if (n % ECHOES_PER_KILL > 0) continue;
      await eventually(`it answers\n${program.stderr()}`, async () => {
        return (await echoes()).length > n - ECHOES_PER_KILL;
      });
      await program.stop("SIGKILL");
      program = restart();
    }
    await eventually("all is handled", isOver);
    expect(program.stderr()).toBe("");
    const wanted = Array.from({ length: POSTS }, (_, n) => `echo: post ${n + 1}`);
    expect((await echoes()).toSorted()).toEqual(wanted.toSorted());
  };

  const loops: Language[] = [
    ["Python", hasPython, () => ["python3", join(python, "poll.py")]],
    ["Python with httpx", hasHttpx, () => ["python3", join(python, "poll_httpx.py")]],
    ["Go", hasGo, () => [join(folder, "poll")]],
  ];
  for (const [language, isHere, command] of loops) {
    it.runIf(isHere)(`polls in ${named(language, isHere)}`, async () => {
      const isOver = async () => (await service.owner.getBotStats(world.bot.id)).slowest_consumer_lag === 0;
      await killAndExpectAll(() => start(command()), isOver);
    });
  }

  const receivers: Language[] = [
    ["Python", hasPython, () => ["python3", join(python, "receive.py")]],
    ["Go", hasGo, () => [join(folder, "receive")]],
  ];
  for (const [language, isHere, command] of receivers) {
    it.runIf(isHere)(`receives in ${named(language, isHere)}`, async () => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/hook`;
      await service.owner.putWebhook(world.bot.id, { url, secret_token: SECRET_TOKEN });
      const isOver = async () => {
        const stats = await service.owner.getBotStats(world.bot.id);
        return stats.delivered_updates === stats.total_updates;
      };
      await killAndExpectAll(() => start(command(), { PORT: String(port), SECRET_TOKEN }), isOver);
      // All may have been handled before the last kill.
      await eventually("it listens again", () => fetch(url).catch(() => undefined));
      expect(await service.owner.testWebhook(world.bot.id)).toMatchObject({ delivered: true });
    });
  }

  it("ends with the reason when its token is not valid", async () => {
    for (const [, , command] of loops.filter(([, isHere]) => isHere)) {
      const program = start(command(), { BOT_TOKEN: `bot_${"x".repeat(43)}` });
      expect(await program.exit).toBe(1);
      expect(program.stderr()).toContain("401 token_invalid");
    }
  });

  it.runIf(has("curl", "--version"))("does what the page's commands do", async () => {
    const commands = blocksOf("sh").join("");
    expect(commands).toContain("curl");
    const env = { ...process.env, BOT_TOKEN: world.token, BOTYARD_URL: service.url };
    const { stdout } = await exec("bash", ["-ec", commands], {
      env: { ...env, CHANNEL: world.channel.id },
    });
    expect(stdout).toContain(world.bot.username);
    expect(await bodies()).toEqual(["Good morning"]);
  });
});

describe("a receiver comes to the result of every test vector", () => {
  it.runIf(hasPython)(`in ${named("Python", hasPython)}`, async () => {
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
    const { stderr } = await exec("python3", ["-m", "unittest"], { cwd: python, env });
    expect(stderr).toMatch(/^Ran 2 tests/m);
  });

  it.runIf(hasGo)(
    `in ${named("Go", hasGo)}`,
    async () => {
      const { stdout } = await exec("go", ["test", ...QUICKLY, "-vet=off", "-count=1", "./receive"], {
        cwd: go,
        env: goEnvironment,
      });
      expect(stdout).toMatch(/^ok/);
    },
    COMPILING_MS,
  );
});

describe("the page", () => {
  it("shows nothing that is not in the programs", () => {
    const programs = (folder: string) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => /\.(py|go)$/.test(file))
        .map((file) => readFileSync(join(folder, file), "utf8"));
    const shown = [...blocksOf("python"), ...blocksOf("go")];
    expect(shown.length).toBeGreaterThan(4);
    const all = [...programs(python), ...programs(go)];
    expect(shown.filter((code) => !all.some((program) => program.includes(code)))).toEqual([]);
  });
});

/** The code of a language on the page. */
function blocksOf(language: string): string[] {
  const page = readFileSync(join(repository, "docs/without-the-sdk.md"), "utf8");
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, code = ""]) => code,
  );
}
