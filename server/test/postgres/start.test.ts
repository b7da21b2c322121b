import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { engine, onDatabase, type StoreHome } from "../support/engines.js";
import { freePort } from "../support/postgres-server.js";
import { botyardResult, type ServiceProcess, startServiceProcess } from "../support/program.js";

const PASSWORD = "s3cret-p%40ss";

describe("a service on PostgreSQL", () => {
  let home: StoreHome;
  const running: ServiceProcess[] = [];

  beforeEach(async () => {
    home = await engine.createHome();
  });

  afterEach(async () => {
    for (const service of running.splice(0)) await service.stop("SIGKILL");
    await home.remove();
  });

  const start = async (env: Record<string, string> = {}): Promise<ServiceProcess> => {
    const service = await startServiceProcess(home.dataDir, { ...home.environment, ...env });
    running.push(service);
    return service;
  };

  it("prints which database it uses, without the password", async () => {
    const url = new URL(home.environment.DATABASE_URL ?? "");
    const service = await start();
    expect(service.stderr()).toContain(`database     PostgreSQL, ${url.pathname.slice(1)} at ${url.host}\n`);
    expect(service.stderr()).toContain(`data         ${home.dataDir}\n`);
    expect(await service.stop()).toBe(0);
    expect(service.stdout()).toContain(`"database":"${url.pathname.slice(1)} at ${url.host}"`);
    expect(service.stdout() + service.stderr()).not.toContain(url.password);
  });

  it("warns in one line of keys that its instances do not share", async () => {
    const alone = await start();
    expect(warningsOf(alone)).toEqual([
      "instances that share DATABASE_URL must be given the same SECRET_KEY and OWNER_JWT_SECRET; this one uses its own of DATA_DIR",
    ]);
    const shared = await start({ SECRET_KEY: "11".repeat(32), OWNER_JWT_SECRET: "s".repeat(32) });
    expect(warningsOf(shared)).toEqual([]);
  });

  it("shares its database, and even its folder, with others that start at the same time", async () => {
    const services = await Promise.all([start(), start(), start()]);
    for (const service of services) expect((await ask(service, "GET", "/readyz")).status).toBe(200);
  });

  it("takes the URL from a file", async () => {
    const file = `${home.dataDir}/database-url`;
    writeFileSync(file, `${home.environment.DATABASE_URL}\n`);
    const service = await startServiceProcess(home.dataDir, { DATABASE_URL_FILE: file });
    running.push(service);
    expect(service.stderr()).toContain("PostgreSQL, ");
  });

  describe("refuses to start, in one line and without the password,", () => {
    const refusal = async (change: (url: URL) => void): Promise<string> => {
      const url = new URL(home.environment.DATABASE_URL ?? "");
      url.password = PASSWORD;
      change(url);
      const env = { DATA_DIR: home.dataDir, DATABASE_URL: url.href, PORT: "0" };
      const { code, stdout, stderr } = await botyardResult(["serve"], env);
      const log = stdout.split("\n").filter((line) => line && !line.includes('"level":"warn"'));
      expect({ code, log }).toEqual({ code: 1, log: [] });
      expect(stderr).toMatch(/^botyard cannot start: [^\n]+\n$/);
      expect(stdout + stderr).not.toContain(PASSWORD);
      expect(stdout + stderr).not.toContain(decodeURIComponent(PASSWORD));
      return stderr;
    };

    it("when nothing listens there", async () => {
      const port = await freePort();
      const reason = await refusal((url) => (url.port = String(port)));
      expect(reason).toContain(
        `the database of DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:${port}`,
      );
    });

    it("when nothing listens at any address of the name", async () => {
      const port = await freePort();
      const reason = await refusal((url) => (url.host = `localhost:${port}`));
      expect(reason).toContain("ECONNREFUSED");
    });

    it("when the server never answers", async () => {
      const silent = await listenSilently();
      const { port } = silent.address() as { port: number };
      const reason = await refusal((url) => (url.port = String(port)));
      expect(reason).toContain("the database of DATABASE_URL cannot be used: ");
      expect(reason).toMatch(/timeout/);
      silent.close();
    });

    it("when the password is wrong", async () => {
      expect(await refusal(() => {})).toContain('password authentication failed for user "postgres"');
    });

    it("when there is no such database", async () => {
      const right = new URL(home.environment.DATABASE_URL ?? "").password;
      const reason = await refusal((url) => {
        url.password = right;
        url.pathname = "/nowhere";
      });
      expect(reason).toContain('database "nowhere" does not exist');
    });

    it("when a newer Botyard has used it", async () => {
      const service = await start();
      await service.stop();
      await onDatabase(home.environment.DATABASE_URL ?? "", "INSERT INTO botyard_schema VALUES (1000)");
      const right = new URL(home.environment.DATABASE_URL ?? "").password;
      const reason = await refusal((url) => (url.password = right));
      expect(reason).toContain("the database has schema 1000");
    });
  });
});

function warningsOf(service: ServiceProcess): string[] {
  return service
    .stdout()
    .split("\n")
    .filter((line) => line.includes('"level":"warn"'))
    .map((line) => (JSON.parse(line) as { msg: string }).msg);
}

async function listenSilently(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return server;
}
