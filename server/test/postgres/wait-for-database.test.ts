import { connect, createServer, type Server } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { freePort } from "../support/postgres-server.js";
import { botyard, type Program, run } from "../support/program.js";
import { startRawServer } from "../support/raw-server.js";

let home: StoreHome;
let service: Program;
/** Where the service looks for its database; nobody listens there at first. */
let databasePort: number;
let port: number;
let way: Server | undefined;

beforeEach(async () => {
  home = await engine.createHome();
  databasePort = await freePort();
  port = await freePort();
});
afterEach(async () => {
  await service.stop("SIGKILL");
  await new Promise((resolve) => (way ? way.close(resolve) : resolve(undefined)));
  way = undefined;
  await home.remove();
});

/** The database's URL with another port. */
function urlAt(there: number): string {
  const url = new URL(home.environment.DATABASE_URL ?? "");
  url.port = String(there);
  return url.href;
}

function serve(args: readonly string[], env: Record<string, string> = {}): void {
  service = run(process.execPath, [botyard, "serve", ...args], {
    DATA_DIR: home.dataDir,
    DATABASE_URL: urlAt(databasePort),
    PORT: String(port),
    ...env,
  });
}

/** From now on, connections to that port lead to the database. */
async function openTheWay(): Promise<void> {
  const server = createServer((socket) => {
    const onward = connect(Number(new URL(home.environment.DATABASE_URL ?? "").port), "127.0.0.1");
    socket.on("error", () => onward.destroy()).on("close", () => onward.destroy());
    onward.on("error", () => socket.destroy()).on("close", () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(databasePort, "127.0.0.1", resolve));
  way = server;
}

const status = async (path: string): Promise<number | undefined> =>
  await fetch(`http://127.0.0.1:${port}${path}`).then(
    (response) => response.status,
    () => undefined,
  );
const waitingLines = (): { reason: string; waitedMs: number }[] =>
  service
    .stdout()
    .split("\n")
    .filter((line) => line.includes('"event":"waiting_for_database"'))
    .map((line) => JSON.parse(line));

describe("botyard serve --wait", () => {
  it("waits for the database, lives meanwhile and is not ready, and then serves", async () => {
    serve(["--wait"]);
    await eventually("it answers", async () => (await status("/livez")) === 200);
    expect(await status("/readyz")).toBe(503);
    expect(await status("/v1/bot-api/updates")).toBe(503);
    expect(waitingLines()).toEqual([
      expect.objectContaining({ reason: expect.stringMatching("ECONNREFUSED") }),
    ]);
    await openTheWay();
    await eventually("it is ready", async () => (await status("/readyz")) === 200);
    expect(waitingLines()).toHaveLength(1);
    expect(await service.stop()).toBe(0);
  });

  it("ends at once when it is told to", async () => {
    serve(["--wait"]);
    await eventually("it waits", () => waitingLines().length > 0);
    const stoppedAt = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(2_000);
  });

  it("waits no longer than it may", async () => {
    serve(["--wait", "100ms"]);
    expect(await service.exit).toBe(1);
    expect(service.stderr()).toMatch(
      /^botyard cannot start: .* does not serve after \d+ ms: connect ECONNREFUSED/m,
    );
  });

  it("waits for a server that is starting up, and not for one that refuses the password", async () => {
    const answer = (state: string, message: string) =>
      startRawServer((socket) => {
        const fields = Buffer.from(`SFATAL\0C${state}\0M${message}\0\0`);
        const head = Buffer.from([0x45, 0, 0, 0, fields.length + 4]);
        socket.once("data", () => socket.end(Buffer.concat([head, fields])));
      });
    const starting = await answer("57P03", "the database system is starting up");
    serve(["--wait"], { DATABASE_URL: urlAt(starting.port) });
    await eventually("it waits", () => waitingLines().length > 0);
    expect(waitingLines()[0]?.reason).toBe("the database system is starting up");
    await service.stop();
    await starting.close();
    const refusing = await answer("28P01", "password authentication failed");
    serve(["--wait"], { DATABASE_URL: urlAt(refusing.port) });
    expect(await service.exit).toBe(1);
    expect(service.stderr()).toContain("password authentication failed");
    expect(waitingLines()).toEqual([]);
    await refusing.close();
  });
});
