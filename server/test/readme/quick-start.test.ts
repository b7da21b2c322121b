import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { type Environment, type Program, repository, run } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const readme = readFileSync(join(repository, "README.md"), "utf8");

/** The shell commands of the quick start, as they stand in the README: what each of the three terminals runs. */
function commandsOf(terminal: "service" | "receiver" | "quick-start"): string {
  return [...readme.matchAll(/^```sh (\S+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === terminal)
    .map(([, , commands]) => commands)
    .join("\n");
}

/** Where the quick start really runs here; nothing but the two ports in its commands is changed for it. */
describe("the README's quick start", () => {
  const dataDir = temporaryFolder("readme");
  let ports: { service: string; receiver: string };
  let env: Environment;
  const programs: Program[] = [];

  beforeAll(async () => {
    ports = { service: await freePort(), receiver: await freePort() };
    env = { DATA_DIR: dataDir };
  });

  afterAll(async () => {
    for (const program of programs) await program.stop("SIGKILL");
  });

  it("ends with a post of the bot at a receiver, verified, and in a long poll", {
    timeout: 180_000,
  }, async () => {
    const service = inForeground(commandsOf("service"), { ...env, PORT: ports.service });
    await eventually("the service is ready", () => {
      if (service.child.exitCode !== null) throw new Error(service.stderr());
      return service.stderr().includes("is running");
    });
    const receiver = inForeground(commandsOf("receiver"), { ...env, PORT: ports.receiver });
    await eventually("the receiver listens", () => receiver.stdout().includes("listens on"));

    const newcomer = inTerminal(commandsOf("quick-start"), env);
    expect({ code: await newcomer.exit, stderr: newcomer.stderr() }).toMatchObject({ code: 0 });

    const hello = "Hello from a bot";
    const answers = newcomer.stdout();
    expect(answers).toContain('"role":"moderator"');
    expect(answers).toContain(`"author_username":"echo","body":"${hello}"`);
    expect(answers).toMatch(
      new RegExp(
        `\\{"items":\\[\\{"update_id":1,"event_type":"channel.post_created","payload":\\{"body":"${hello}"`,
      ),
    );
    expect(answers).not.toContain('"error"');
    await eventually("the receiver prints the update", () =>
      receiver.stdout().includes(`verified update 1 channel.post_created: echo: ${hello}\n`),
    );
    expect(receiver.stdout()).not.toContain("refused");

    expect(await service.stop()).toBe(0);
  });

  function inTerminal(commands: string, environment: Environment): Program {
    expect(commands).not.toBe("");
    const here = commands.replaceAll(":8080", `:${ports.service}`).replaceAll(":9000", `:${ports.receiver}`);
    const program = run("bash", ["-euo", "pipefail", "-c", here], environment);
    programs.push(program);
    return program;
  }

  /** A command that stays in the foreground takes the place of the shell, so that signals reach it. */
  function inForeground(command: string, environment: Environment): Program {
    return inTerminal(`exec env ${command}`, environment);
  }
});

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}
