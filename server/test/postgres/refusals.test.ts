import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";
import { createPostgresDatabase, lockTables, onDatabase, type TestDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { environmentOf } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Much longer than any answer may take. */
const PATIENCE_MS = 30_000;

describe("a service whose database", () => {
  const dataDir = temporaryFolder("refusals");
  let database: TestDatabase;
  let role: string;
  let service: InProcessService;
  let world: World;

  // Each test ends with a database that serves everything again.
  beforeAll(async () => {
    database = await createPostgresDatabase();
    role = `role_${randomUUID().replaceAll("-", "")}`;
    await onServer(
      `CREATE ROLE ${role} LOGIN PASSWORD 'first'; ALTER DATABASE ${nameOf(database.url)} OWNER TO ${role}`,
    );
  });
  afterAll(async () => {
    await database.drop();
    await onServer(`DROP ROLE ${role}`);
  });

  beforeEach(async () => {
    const url = new URL(database.url);
    url.username = role;
    url.password = "first";
    service = await startInProcessService(dataDir, {
      DATABASE_URL: url.href,
      DATABASE_POOL_SIZE: "2",
      RATE_LIMIT_BURST: "1000000",
    });
    const ownerToken = async (userId: string) =>
      (await environmentOf(userId, service, dataDir)).BOTYARD_TOKEN ?? "";
    world = await makeWorld({ url: service.url, ownerToken });
  });
  afterEach(() => service.stop());

  it("refuses connections answers 503, and serves again when they are accepted", async () => {
    const name = nameOf(database.url);
    await onServer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await cutConnections();
    await expectNothingServed();
    await onServer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await expectAllServed();
  });

  it("fails over to a read-only one answers 503 to writes, serves reads, and recovers when it can write", async () => {
    const name = nameOf(database.url);
    await onServer(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await cutConnections();
    await eventually("writes are refused", async () => (await say("to a standby")).status === 503);
    const read = await ask(service, "GET", "/v1/bot-api/updates", { token: world.botToken });
    expect({ status: read.status, body: read.body }).toEqual({ status: 200, body: { items: [] } });
    await onServer(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await cutConnections();
    await eventually("writes are taken", async () => (await say("to the primary")).status === 201);
    const { body } = await ask(service, "GET", "/v1/bot-api/updates", { token: world.botToken });
    expect(body.items).toHaveLength(1);
  });

  it("rejects the password answers 503, and serves again when it accepts it", async () => {
    await onServer(`ALTER ROLE ${role} PASSWORD 'second'`);
    await cutConnections();
    await expectNothingServed();
    await onServer(`ALTER ROLE ${role} PASSWORD 'first'`);
    await expectAllServed();
    expect(service.stdout()).not.toMatch(/first|second/);
  });

  it("blocks every connection of the pool answers 503, also to reads, and stores nothing of refused posts", async () => {
    const unlock = await lockTables(database.url);
    let isLocked = true;
    const insist = async () => {
      while (isLocked) expectFailure("createBotPost", await say("not now"), 503);
    };
    const insisting = Promise.all(Array.from({ length: 4 }, insist));
    const read = () => ask(service, "GET", "/v1/bot-api/me", { token: world.botToken });
    await eventually("a read is refused", async () => (await read()).status === 503);
    isLocked = false;
    await insisting;
    await unlock();
    await expectAllServed();
  });

  it("blocks one statement serves all others", async () => {
    const unlock = await lockTables(database.url, ["events"]);
    const waiting = say("while posts are locked");
    const read = await ask(service, "GET", "/v1/bot-api/updates", { token: world.botToken });
    expect({ status: read.status, body: read.body }).toEqual({ status: 200, body: { items: [] } });
    await unlock();
    const { status } = await waiting;
    const { body } = await ask(service, "GET", "/v1/bot-api/updates", { token: world.botToken });
    // Whether the lock is released in time depends on the machine, but the log must match the answer.
    expect([201, 503]).toContain(status);
    expect(body.items).toHaveLength(status === 201 ? 1 : 0);
  });

  const say = (body: string) =>
    ask(service, "POST", `/v1/bot-api/channels/${world.channelId}/posts`, {
      token: world.botToken,
      body: { body },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });

  async function expectNothingServed(): Promise<void> {
    await eventually("a post is refused", async () => (await say("not now")).status === 503);
    expectFailure("createBotPost", await say("nor now"), 503, "the service cannot reach its storage now");
    expect((await ask(service, "GET", "/readyz")).status).toBe(503);
    expect((await ask(service, "GET", "/livez")).status).toBe(200);
  }

  /** Refused posts are not in the log; the next post is its first. */
  async function expectAllServed(): Promise<void> {
    await eventually(
      "the service is ready",
      async () => (await ask(service, "GET", "/readyz")).status === 200,
    );
    expect((await say("now")).status).toBe(201);
    const { body } = await ask(service, "GET", "/v1/bot-api/updates", { token: world.botToken });
    expect(body.items).toMatchObject([{ update_id: 1, payload: { body: "now" } }]);
  }

  const cutConnections = () =>
    onServer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${nameOf(database.url)}'`,
    );
});

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

function onServer(statement: string): Promise<void> {
  return onDatabase(`${inject("postgresUrl")}/postgres`, statement);
}
