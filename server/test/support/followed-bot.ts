import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type Answer, ask, makeWorld, type World } from "./api-client.js";
import { type InProcessService, startInProcessService } from "./in-process-service.js";
import { botyard, type Environment, environmentOf, type Program, run } from "./program.js";
import { temporaryFolder } from "./temporary-folder.js";

/** A bot whose log commands follow; anew for each test. */
export interface FollowedBot {
  readonly service: InProcessService;
  readonly world: World;
  /** The home of whoever runs the commands. */
  readonly home: string;
  /** The environment of the commands, with the bot's token. */
  readonly env: Environment;
  /** Starts `botyard`, which ends with the test. */
  start(...args: string[]): Program;
  startProgram(command: string, args: readonly string[]): Program;
  /** Publishes a post that the bot gets. */
  publish(body: string): Promise<Answer>;
}

export function useFollowedBot(name: string): FollowedBot {
  const dataDir = temporaryFolder(name);
  let home: string;
  let service: InProcessService;
  let world: World;
  let env: Environment;
  const programs: Program[] = [];

  beforeAll(async () => {
    service = await startInProcessService(dataDir);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), "botyard-home-"));
    const ownerToken = async (user: string) =>
      (await environmentOf(user, service, dataDir)).BOTYARD_TOKEN as string;
    world = await makeWorld({ url: service.url, ownerToken });
    env = { BOTYARD_URL: service.url, BOTYARD_TOKEN: world.botToken, HOME: home };
  });
  afterEach(async () => {
    for (const program of programs.splice(0)) await program.stop("SIGKILL");
    rmSync(home, { recursive: true });
  });

  const startProgram = (command: string, args: readonly string[]) => {
    const program = run(command, args, env);
    programs.push(program);
    return program;
  };
  return {
    get service() {
      return service;
    },
    get world() {
      return world;
    },
    get home() {
      return home;
    },
    get env() {
      return env;
    },
    startProgram,
    start: (...args) => startProgram(process.execPath, [botyard, ...args]),
    publish: (body) =>
      ask(service, "POST", `/v1/channels/${world.channelId}/posts`, {
        token: world.ownerToken,
        body: { body },
      }),
  };
}

export const interrupt = (program: Program) => program.stop("SIGINT");
export const linesOf = (program: Program) => program.stdout().split("\n").slice(0, -1);
