import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { environmentOf, type ServiceProcess, startServiceProcess } from "../support/program.js";
import { residentBytes } from "../support/resident-memory.js";

/** Each needs a descriptor here and one in the service; what else both have open is little. */
const CONNECTIONS = Math.min(10_000, openFilesAllowed() - 1_000);
/** Resident memory a connection may take: its socket, its parser, and the timers of both. */
const MAX_BYTES_EACH = 40 * 1024;
/** The limits are 10 s for a head and 15 s for a request; far beyond them means that they do not hold. */
const PATIENCE_MS = 90_000;

/** How many connections may wait to be accepted, where Linux says it. */
const MAY_WAIT = Number(/\d+/.exec(textOf("/proc/sys/net/core/somaxconn"))?.[0] ?? 0);

let home: StoreHome;
let service: ServiceProcess;
let token = "";
beforeAll(async () => {
  home = await engine.createHome();
  // A third of the clients send the owner's token; the rate limit is raised, since it is not tested here.
  service = await startServiceProcess(home.dataDir, {
    ...home.environment,
    RATE_LIMIT_BURST: "1000000",
    RATE_LIMIT_PER_SECOND: "100000",
  });
  token = (await environmentOf("owner", service, home.dataDir))["BOTYARD_TOKEN"] ?? "";
});
afterAll(async () => {
  await service.stop();
  await home.remove();
});

function openFilesAllowed(): number {
  return Number(/^Max open files +\d+ +(\d+)/m.exec(textOf("/proc/self/limits"))?.[1] ?? 4_000);
}

/** Empty where there is no such file. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

it("thousands of clients that never finish their requests cost little, for a limited time", {
  timeout: 180_000,
}, async () => {
  const port = Number(new URL(service.url).port);
  const halfBody = `POST /v1/channels HTTP/1.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`;
  const beginnings = ["", "GET /livez HTTP/1.1\r\nX-Slow: ", halfBody];
  const before = residentBytes(service) ?? 0;
  const sockets: Socket[] = [];
  let most = 0;
  const open = (): number => sockets.filter(({ closed }) => !closed).length;

  for (let count = 0; count < CONNECTIONS; count++) {
    const socket = connect(port, "127.0.0.1")
      .on("error", () => {})
      .resume();
    socket.write(beginnings[count % beginnings.length] ?? "");
    sockets.push(socket);
    // In rounds, so that the queue of those who wait to be accepted is never full, whatever the system allows.
    if (count % 200 === 199) {
      await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
      most = Math.max(most, open());
    }
    if (count % 2_000 === 1_999) expect((await ask(service, "GET", "/readyz")).status).toBe(200);
  }
  const grown = (residentBytes(service) ?? 0) - before;
  expect((await ask(service, "GET", "/v1/bot-api/bots", { token })).status).toBe(200);

  const deadline = Date.now() + PATIENCE_MS;
  while (open() > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(open()).toBe(0);
  expect(grown / CONNECTIONS).toBeLessThan(MAX_BYTES_EACH);
  expect((await ask(service, "GET", "/readyz")).status).toBe(200);
  expect(service.child.exitCode).toBeNull();
  console.error(`${most} connections at once, ${Math.round(grown / CONNECTIONS / 102.4) / 10} KiB each`);
});

it.runIf(MAY_WAIT > 1_000)(
  "a thousand clients who come at once while the service is busy are all connected",
  async () => {
    const port = Number(new URL(service.url).port);
    service.child.kill("SIGSTOP");
    const sockets = Array.from({ length: 1_000 }, () => connect(port, "127.0.0.1"));
    try {
      await eventually("all are connected", () => sockets.every(({ connecting }) => !connecting));
    } finally {
      service.child.kill("SIGCONT");
      for (const socket of sockets) socket.on("error", () => {}).destroy();
    }
    expect((await ask(service, "GET", "/readyz")).status).toBe(200);
  },
);
