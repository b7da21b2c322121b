import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "#botyard/store/postgres/connection/client.js";
import { ask, makeWorld } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { environmentOf } from "../support/program.js";
import { type RawServer, startRawServer } from "../support/raw-server.js";

/** An address of the tests' server, whose sessions can be read-only, as those of a standby are. */
interface Address {
  server: RawServer;
  /** From now on; breaks its connections, as a server that changes its role does. */
  become(role: "primary" | "standby"): void;
}

async function startAddress(target: URL, first: "primary" | "standby"): Promise<Address> {
  let role = first;
  const open = new Set<Socket>();
  const server = await startRawServer((socket: Socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.once("data", (startup) => {
      const onward = connect(Number(target.port), target.hostname);
      for (const end of [socket, onward]) end.on("error", () => {});
      socket.on("close", () => onward.destroy());
      onward.on("close", () => socket.destroy());
      onward.write(role === "standby" ? readOnly(startup) : startup);
      socket.pipe(onward).pipe(socket);
    });
  });
  return {
    server,
    become(next) {
      role = next;
      for (const socket of open) socket.destroy();
    },
  };
}

/** The message with which a session begins, and one parameter more. */
function readOnly(startup: Buffer): Buffer {
  const option = Buffer.from("options\0-c default_transaction_read_only=on\0\0");
  const message = Buffer.concat([startup.subarray(0, -1), option]);
  message.writeInt32BE(message.length, 0);
  return message;
}

describe("a database with several servers", () => {
  let home: StoreHome;
  let addresses: Address[];
  let DATABASE_URL: string;
  let service: InProcessService | undefined;

  beforeEach(async () => {
    home = await engine.createHome();
    const url = new URL(home.environment["DATABASE_URL"] ?? "");
    addresses = [await startAddress(url, "standby"), await startAddress(url, "primary")];
    const [one, two] = addresses.map(({ server }) => `127.0.0.1:${server.port}`);
    // Nobody listens at the first one.
    DATABASE_URL = `postgres://${url.username}:${url.password}@127.0.0.1:1,${one},${two}${url.pathname}?target_session_attrs=read-write`;
  });
  afterEach(async () => {
    await service?.stop();
    service = undefined;
    for (const { server } of addresses) await server.close();
    await home.remove();
  });

  it("is used where it can be written to, also after the servers have changed their roles", async () => {
    service = await startInProcessService(home.dataDir, { DATABASE_URL });
    const { BOTYARD_TOKEN = "" } = await environmentOf("owner", service, home.dataDir);
    const world = await makeWorld({ url: service.url, ownerToken: async () => BOTYARD_TOKEN });
    const path = `/v1/bot-api/channels/${world.channelId}/posts`;
    const post = async (body: string) =>
      (await ask({ url: service?.url ?? "" }, "POST", path, { token: world.botToken, body: { body } }))
        .status;
    expect(await post("before")).toBe(201);
    addresses[1]?.become("standby");
    addresses[0]?.become("primary");
    await eventually("it writes at the other server", async () => (await post("after")) === 201);
    const check = await commandResult(["doctor", "--json"], { DATA_DIR: home.dataDir, DATABASE_URL });
    const { findings } = JSON.parse(check.stdout);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "database",
        result: "ok",
        says: expect.stringContaining("127.0.0.1:1,"),
      }),
    );
    expect(findings.filter(({ check }: { check: string }) => check === "writing")).toEqual([]);
  });

  it("cannot be used while none can be written to, and the reason names each", async () => {
    addresses[1]?.become("standby");
    const { code, stderr } = await commandResult(["rekey"], { DATA_DIR: home.dataDir, DATABASE_URL });
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /no server can be written to \(127\.0\.0\.1: .*ECONNREFUSED.*; 127\.0\.0\.1: this server is read-only.*; 127\.0\.0\.1: this server is read-only/,
    );
  });

  it.each([
    ["a folder as host", (folder: string) => `/DB?host=${folder}&port=PORT`],
    ["an escaped folder", (folder: string) => `${encodeURIComponent(folder)}:PORT/DB`],
    [
      "no server, and a folder as host",
      (folder: string) => `/DB?port=PORT&host=${encodeURIComponent(folder)}`,
    ],
    ["several, a socket first", (folder: string) => `${encodeURIComponent(folder)}:PORT,localhost:1/DB`],
  ])("is reached by a Unix socket: %s", async (_what, form) => {
    const url = new URL(home.environment["DATABASE_URL"] ?? "");
    const over = createClient({ url: url.href });
    await over.connect();
    const { rows } = await over.query("SHOW unix_socket_directories");
    await over.end();
    const [folder = ""] = rows[0].unix_socket_directories.split(",");
    const rest = form(folder).replace("PORT", url.port).replace("DB", url.pathname.slice(1));
    const client = createClient({ url: `postgres://${url.username}:${url.password}@${rest}` });
    await client.connect();
    const where = await client.query("SELECT inet_server_addr() AS address, current_database() AS name");
    await client.end();
    expect(where.rows).toEqual([{ address: null, name: url.pathname.slice(1) }]);
  });
});
