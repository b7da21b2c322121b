import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { freePort } from "../support/postgres-server.js";
import { type Environment, type Program, repository, run } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const readme = readFileSync(join(repository, "README.md"), "utf8");

/** What stands in the README's code block of this name. */
function block(name: string): string {
  const [, text = ""] = new RegExp(`^\`\`\`\\w+ ${name}\\n(.*?)^\`\`\`$`, "ms").exec(readme) ?? [];
  expect(text, name).not.toBe("");
  return text;
}

describe("the commands of a clone", () => {
  const folder = temporaryFolder("clone");
  const commands = block("clone")
    .trim()
    .split("\n")
    .map((line) => line.split("#")[0]?.trim());
  const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };

  it("are two, one a line, and are there", () => {
    expect(commands).toEqual(["npm start", "npm test"]);
    expect(scripts).toMatchObject({ start: expect.any(String), test: "node scripts/test.mjs" });
  });

  it("passes options on to the service", async () => {
    const help = run("sh", ["-c", `exec ${commands[0]} -- --help`]);
    expect(await help.exit).toBe(0);
    expect(help.stdout()).toContain("Usage: botyard serve");
  });

  it("run the service", async () => {
    const env = { DATA_DIR: join(folder, "data"), PORT: String(await freePort()) };
    const service = run("sh", ["-c", `exec ${commands[0]}`], env);
    await eventually("the service is ready", () => {
      if (service.child.exitCode !== null) throw new Error(service.stderr());
      return service.stderr().includes("is running");
    });
    await service.stop("SIGTERM");
  });
});

/** As a reader does it, in a folder with the packages: nothing but ports and the bot's token is changed in what stands there. */
describe("the README's quick start", () => {
  const folder = temporaryFolder("quick-start");
  const programs: Program[] = [];
  let ports: { service: number; receiver: number };
  let env: Environment;
  let asOwner: Environment = {};
  let botToken = "bot_…";
  let bot: Program | undefined;

  beforeAll(async () => {
    ports = { service: await freePort(), receiver: await freePort() };
    env = { BOTYARD_URL: `http://127.0.0.1:${ports.service}`, PORT: String(ports.service) };
    symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
    for (const file of ["bot.mjs", "receiver.mjs"])
      writeFileSync(join(folder, file), onTheirPorts(block(file)));
  });
  afterAll(async () => {
    for (const program of programs) await program.stop("SIGKILL");
  });

  it("starts the service", async () => {
    const service = inForeground("service");
    await eventually("the service is ready", () => {
      if (service.child.exitCode !== null) throw new Error(service.stderr());
      return service.stderr().includes("is running");
    });
  });

  it("makes a bot, and shows what the README shows", async () => {
    const made = await inTerminal(`${block("quick-start")}printenv BOTYARD_TOKEN`);
    asOwner = { BOTYARD_TOKEN: made.trim().split("\n").at(-1) ?? "" };
    [botToken = ""] = /bot_[\w-]{10,}/.exec(made) ?? [];
    expect(botToken).not.toBe("");
    const [heading = ""] = /^id +username +token$/m.exec(readme) ?? [];
    expect(columnsOf(made)).toContainEqual(columnsOf(heading)[0]);
  });

  it("runs a bot that answers", async () => {
    bot = inForeground("bot");
    const { child, stdout } = bot;
    await inTerminal(block("post"));
    await eventually("the bot prints what was posted", () => {
      if (child.exitCode !== null) throw new Error(bot?.stderr());
      return stdout().includes("alice: Hello\n");
    });
    const [, posts = ""] = block("post").trim().split("\n");
    await eventually("its answer is in the channel", async () =>
      (await inTerminal(posts)).includes("You said: Hello"),
    );
    expect(bot.stderr()).toBe("");
  });

  it("delivers by webhook", async () => {
    expect(await bot?.stop("SIGINT")).toBe(0);
    const receiver = inForeground("receiver");
    await inTerminal(block("webhook"));
    await eventually("the receiver prints the update", () =>
      receiver.stdout().includes("update 3: Hello again\n"),
    );
    expect(receiver.stdout()).not.toContain("update 1");
  });

  function onTheirPorts(text: string): string {
    return text.replaceAll(":8080", `:${ports.service}`).replaceAll("9000", String(ports.receiver));
  }

  /** The second terminal is one shell for the reader, who becomes an owner once, and one for each step here. */
  async function inTerminal(commands: string): Promise<string> {
    const program = start(commands, { ...env, ...asOwner });
    expect({ code: await program.exit, stderr: program.stderr() }).toMatchObject({ code: 0 });
    return program.stdout();
  }

  /** A command that stays in the foreground takes the place of the shell, so that signals reach it. */
  function inForeground(name: string): Program {
    return start(`exec env ${block(name).replace("npx botyard", "node_modules/.bin/botyard")}`);
  }

  function start(commands: string, environment = env): Program {
    const here = onTheirPorts(commands).replaceAll("bot_…", botToken);
    const program = run("bash", ["-euo", "pipefail", "-c", here], environment, folder);
    programs.push(program);
    return program;
  }
});

const columnsOf = (text: string): string[][] => text.split("\n").map((line) => line.trim().split(/ {2,}/));
