import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";
import { type DatabaseService, startDatabaseService } from "../support/database-service.js";
import { createDatabaseAt } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type LoadedService, loadService } from "../support/loaded-service.js";
import { createPostgresServer, type PostgresServer } from "../support/postgres-server.js";

/** Of each kind; they go on at the same service. */
const ROUNDS = 1;
/** Of each poster. */
const POST_EVERY_MS = 50;

describe("a service whose database server fails under load", () => {
  let server: PostgresServer;
  let service: DatabaseService;
  let load: LoadedService;

  beforeAll(async () => {
    server = await createPostgresServer();
    await server.start();
    service = await startDatabaseService((await createDatabaseAt(server.url)).url);
  });
  afterAll(async () => {
    await service.remove();
    await server.remove();
  });

  beforeEach(async () => {
    load = await loadService(() => service, service.dataDir, POST_EVERY_MS);
    await eventually("deliveries are under way", () => load.received() > 50);
  });
  afterEach(async () => {
    await load.quiet();
    await load.close();
  });

  const stop = (): Promise<void> => server.stop();
  const crash = (): Promise<void> => server.crash();

  it.each([
    ["is restarted", stop],
    ["crashes", crash],
  ])("and %s answers 503 meanwhile, recovers by itself and loses nothing", async (_, goAway) => {
    const count = (text: string) => service.log().filter(({ msg }) => msg === text).length;
    const outages = () => count("the connection to the database broke");
    const outagesBefore = outages();
    for (let round = 0; round < ROUNDS; round++) {
      const before = outages();
      await goAway();
      await expectUnavailable();
      await server.start();
      await expectToServe();
      // One that began before the end of the last was noted would be the same one to the log.
      await eventually(
        "the outage and its end are logged",
        () => outages() > before && count("the database serves again") === outages(),
      );
      await sleep(Math.random() * 500);
    }
    await load.quiet();
    await load.expectNothingLost();
    expect(service.log().filter(({ level }) => level === "fatal")).toEqual([]);
    // Of a round the log may see the end too early, once; of each broken connection it never has a line.
    expect(outages() - outagesBefore).toBeLessThanOrEqual(2 * ROUNDS);
  });

  it("and hangs answers 503 meanwhile, recovers by itself and loses nothing", async () => {
    const thaw = await server.freeze();
    try {
      await expectUnavailable();
    } finally {
      thaw();
    }
    await expectToServe();
    await load.quiet();
    await load.expectNothingLost();
  });

  // The last one, since all tests are about one service.
  it("stops with 0 during an outage of its database", async () => {
    await load.quiet();
    await server.stop();
    expect(await service.stop()).toBe(0);
  });

  /** By every kind of request: one that only reads, one that only authenticates, one that writes, and the check of readiness. */
  async function expectUnavailable(): Promise<void> {
    const token = load.bots[0]?.token ?? "";
    const [identity, polled] = await Promise.all([
      ask(service, "GET", "/v1/bot-api/me", { token }),
      ask(service, "GET", "/v1/bot-api/updates?timeout=1", { token }),
    ]);
    expectFailure("getMe", identity, 503, "the service cannot reach its storage now");
    expectFailure("pollUpdates", polled, 503);
    // The last result is reported for a second.
    await eventually(
      "the service is not ready",
      async () => (await ask(service, "GET", "/readyz")).status === 503,
    );
    expect((await ask(service, "GET", "/livez")).status).toBe(200);
  }

  /** Posts are acknowledged and updates arrive again. */
  async function expectToServe(): Promise<void> {
    await eventually(
      "the service is ready",
      async () => (await ask(service, "GET", "/readyz")).status === 200,
    );
    const [acknowledged, received] = [load.acknowledged(), load.received()];
    await eventually("posts are acknowledged", () => load.acknowledged() > acknowledged + 20);
    await eventually("updates are delivered", () => load.received() > received + 20);
  }
});
