import dns from "node:dns";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadConfig } from "#botyard/config.js";
import { createLogger } from "#botyard/process/log.js";
import { startService } from "#botyard/service.js";
import { botyardResult, type ServiceProcess, startServiceProcess } from "../support/program.js";

describe("the service as a process", () => {
  let dataDir: string;
  let running: ServiceProcess | undefined;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "botyard-start-"));
  });

  afterEach(async () => {
    await running?.stop("SIGKILL");
    running = undefined;
    rmSync(dataDir, { recursive: true });
  });

  it("prints its URL and the next steps on stderr, at any log level", async () => {
    running = await startServiceProcess(dataDir, { LOG_LEVEL: "silent" });
    const { url } = running;
    expect(running.stderr()).toContain(`API docs     ${url}/docs`);
    expect(running.stderr()).toContain(`data         ${dataDir}`);
    expect(running.stderr()).toContain(`${join(dataDir, "owner-jwt.secret")} (signs owner tokens)`);
    expect(running.stderr()).toContain(`${join(dataDir, "secret.key")} (encrypts webhook secrets)`);
    expect(running.stderr()).toContain(`DATA_DIR=${dataDir} npx botyard owner-token --user alice\n`);
    expect(running.stderr()).toContain(`export BOTYARD_URL=${url}\n`);
    expect(running.stdout()).toBe("");
  });

  it("logs JSON lines on stdout, warnings about misspelt variables among them, and answers", async () => {
    running = await startServiceProcess(dataDir, { WEBHOOK_TIMEOUT: "5000" });
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
    expect(await running.stop()).toBe(0);
    const lines = running
      .stdout()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { level: string; time: string; msg: string });
    expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(["started", "draining", "stopped"]));
    expect(lines.find(({ level }) => level === "warn")?.msg).toContain("WEBHOOK_TIMEOUT is not a setting");
    expect(lines.every(({ time }) => !Number.isNaN(Date.parse(time)))).toBe(true);
  });

  it("refuses a data folder that another service uses, in one line", async () => {
    running = await startServiceProcess(dataDir);
    await expectRefusal({ DATA_DIR: dataDir, PORT: "0" }, dataDir);
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
  });

  it("refuses a port that is taken, in one line", async () => {
    running = await startServiceProcess(dataDir);
    const { port } = new URL(running.url);
    await expectRefusal(
      { DATA_DIR: join(dataDir, "other"), PORT: port },
      `port ${port} of 127.0.0.1 is taken`,
    );
  });

  it.each([
    [{ PORT: "eighty" }, 'PORT must be a whole number from 0 to 65535, not "eighty"'],
    [{ OWNER_JWT_PUBLIC_KEY: "-----BEGIN PUBLIC KEY-----\nnonsense" }, "OWNER_JWT_PUBLIC_KEY"],
    [{ HOST: "203.0.113.1", PORT: "0" }, "HOST 203.0.113.1 is not an address of this machine"],
    [
      { DATA_DIR: "/dev/null/data" },
      "DATA_DIR /dev/null/data cannot be used: /dev/null is not a folder. Set DATA_DIR",
    ],
  ])("refuses %j in one line", async (env, reason) => {
    await expectRefusal({ DATA_DIR: dataDir, ...env }, reason);
  });

  async function expectRefusal(env: Record<string, string>, reason: string): Promise<void> {
    const { code, stdout, stderr } = await botyardResult(["serve"], env);
    expect(stderr).toContain(reason);
    expect(stderr).toMatch(/^botyard cannot start: [^\n]+\n$/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  }
});

describe("a service on localhost", () => {
  it("listens on one address of the name, with the limits and the drain of one server", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "botyard-start-"));
    const lookup = vi.spyOn(dns, "lookup").mockImplementation(lookupOfTwo);
    const config = loadConfig({ DATA_DIR: dataDir, PORT: "0", HOST: "localhost" });
    const service = await startService(
      config,
      createLogger({ logLevel: "silent", logFormat: "json" }),
    ).finally(() => lookup.mockRestore());
    const { hostname, port } = new URL(service.url);
    expect(hostname).toBe("localhost");
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await expect(fetch(`http://127.0.0.2:${port}/readyz`)).rejects.toMatchObject({
      cause: { code: "ECONNREFUSED" },
    });
    await service.stop();
    rmSync(dataDir, { recursive: true });
  });

  /** `localhost` as on a machine where it has two addresses. */
  function lookupOfTwo(name: string, ...rest: unknown[]): void {
    const [options, answer] = rest.length > 1 ? rest : [{}, rest[0]];
    const addresses = (name === "localhost" ? ["127.0.0.1", "127.0.0.2"] : [name]).map((address) => ({
      address,
      family: 4,
    }));
    if ((options as { all?: boolean }).all) (answer as Answer)(null, addresses);
    else (answer as Answer)(null, addresses[0]?.address, 4);
  }
  type Answer = (...parameters: unknown[]) => void;
});

describe("a start that fails halfway", () => {
  it("closes what it had opened", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "botyard-start-"));
    const blocker = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => blocker.once("listening", resolve));
    const port = String((blocker.address() as AddressInfo).port);
    const logger = createLogger({ logLevel: "silent", logFormat: "json" });
    await expect(startService(loadConfig({ DATA_DIR: dataDir, PORT: port }), logger)).rejects.toThrow(
      `port ${port}`,
    );
    blocker.close();

    const service = await startService(loadConfig({ DATA_DIR: dataDir, PORT: port }), logger);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await service.stop();
    rmSync(dataDir, { recursive: true });
  });
});
