import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  deployFile,
  type Instruction,
  isPinned,
  notSettings,
  stagesOf,
  variablesOf,
} from "../support/deployment.js";
import { createHomeOn, type StoreHome } from "../support/engines.js";
import { repository, run, type ServiceProcess, startServiceProcess } from "../support/program.js";

/** Needs no container engine, so it cannot prove that the image builds, only find why it would not. */
describe("the Dockerfile", () => {
  const stages = stagesOf(deployFile("Dockerfile"));
  const instructions = stages.flat();
  const last = stages.at(-1) ?? [];
  const environment = Object.assign({}, ...named(last, "ENV").map(variablesOf)) as Record<string, string>;
  const stageNames = stages.map(([from]) => from?.words[2]);
  const copied = named(instructions, "COPY").filter(({ options }) => !options.from);

  it("has several stages, on base images that are pinned or earlier stages", () => {
    expect(stages.length).toBeGreaterThan(1);
    for (const [index, [from]] of stages.entries()) {
      const base = from?.words[0] ?? "";
      const isStage = stageNames.slice(0, index).includes(base);
      expect(isStage || isPinned(base), base).toBe(true);
    }
  });

  it("copies only files of the repository that .dockerignore allows", () => {
    const patterns = readFileSync(join(repository, ".dockerignore"), "utf8").split("\n");
    expect(patterns).toContain("*");
    const letIn = patterns.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
    const sources = copied.flatMap(({ words }) => words.slice(0, -1));
    expect(sources.length).toBeGreaterThan(5);
    for (const source of sources) {
      expect(existsSync(join(repository, source)), source).toBe(true);
      expect(
        letIn.some((path) => source === path || source.startsWith(`${path}/`)),
        `${source} in .dockerignore`,
      ).toBe(true);
    }
  });

  it("copies from earlier stages only", () => {
    for (const [index, stage] of stages.entries()) {
      for (const { options } of named(stage, "COPY")) {
        if (options.from) expect(stageNames.slice(0, index)).toContain(options.from);
      }
    }
  });

  it("copies the manifest of every workspace, which npm ci needs", () => {
    const { workspaces } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
    const sources = copied.flatMap(({ words }) => words.slice(0, -1));
    for (const workspace of workspaces) expect(sources).toContain(`${workspace}/package.json`);
  });

  it("has no development dependencies", () => {
    const fromBuild = named(last, "COPY").filter(({ options }) => options.from);
    expect(fromBuild.map(({ words }) => words[0])).toEqual([
      "/app/server/dist/bundle",
      "/app/server/pages",
      "/app/server/libraries",
    ]);
  });

  it("runs as a user other than root, by number, after the last build step", () => {
    const user = last.findIndex(({ name }) => name === "USER");
    expect(last[user]?.text).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const later = last.slice(user + 1).map(({ name }) => name);
    expect(later).not.toContain("RUN");
    expect(later).not.toContain("USER");
  });

  it("sets only known variables, and matches the image's own ports and folders", () => {
    const { NODE_ENV, ...settings } = environment;
    expect(NODE_ENV).toBe("production");
    expect(notSettings(Object.keys(settings))).toEqual([]);
    expect(settings.HOST).toBe("0.0.0.0");
    expect(named(last, "EXPOSE").map(({ text }) => text)).toEqual([settings.PORT]);
    expect(named(last, "VOLUME").map(({ text }) => text)).toEqual([settings.DATA_DIR]);
  });

  it("starts the command without a shell in between", () => {
    const [entry, command] = ["ENTRYPOINT", "CMD"].map((name) =>
      JSON.parse(named(last, name)[0]?.text ?? ""),
    );
    expect(entry).toEqual(["node", "server/bin/botyard.js"]);
    expect(existsSync(join(repository, entry[1]))).toBe(true);
    expect(command).toEqual(["serve", "--wait"]);
  });

  it("has the command on its PATH", () => {
    const link = named(last, "RUN").find(({ text }) => text.startsWith("ln "));
    const [target = "", place] = link?.words.slice(-2) ?? [];
    expect(place).toBe("/usr/local/bin/botyard");
    const file = join(repository, target.replace(/^\/app\//, ""));
    expect(statSync(file).mode & 0o111).toBe(0o111);
    expect(readFileSync(file, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    // The user that is set below it may not write there.
    expect(last.findIndex(({ name }) => name === "USER")).toBeGreaterThan(link ? last.indexOf(link) : 0);
  });

  describe("checks its health", () => {
    let home: StoreHome;
    let service: ServiceProcess;
    const [program = "", ...args] = healthCommand(last);
    const check = (port: string) => run(program, args, { PORT: port }).exit;

    beforeAll(async () => {
      home = await createHomeOn("sqlite");
      service = await startServiceProcess(home.dataDir);
    });
    afterAll(() => home.remove());

    it("with 0 while the service is ready and 1 after it has stopped", async () => {
      const { port } = new URL(service.url);
      expect(await check(port)).toBe(0);
      await service.stop();
      expect(await check(port)).toBe(1);
    });
  });
});

function named(stage: readonly Instruction[], name: string): Instruction[] {
  return stage.filter((instruction) => instruction.name === name);
}

function healthCommand(stage: readonly Instruction[]): string[] {
  const [check] = named(stage, "HEALTHCHECK");
  return JSON.parse(/^CMD (.*)$/.exec(check?.text ?? "")?.[1] ?? "[]");
}
