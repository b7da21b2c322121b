import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import { CHANNEL, lockNumber } from "#botyard/store/postgres/schema/database-schema.js";
import { migrate } from "#botyard/store/postgres/schema/migrate.js";
import { ask, makeWorld } from "../support/api-client.js";
import { type DatabaseService, startDatabaseService } from "../support/database-service.js";
import {
  createHomeOn,
  createPostgresDatabase,
  onDatabase,
  type StoreHome,
  type TestDatabase,
} from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { botyardResult, environmentOf } from "../support/program.js";

/** Services of different schemas share a database as if each had one of its own. */
describe("two services in two schemas of one database", () => {
  let database: TestDatabase;
  let client: pg.Client;
  let sqlite: StoreHome;
  let services: DatabaseService[] = [];
  const start = (schema: string) => startDatabaseService(database.url, { DATABASE_SCHEMA: schema });

  beforeAll(async () => {
    database = await createPostgresDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    sqlite = await createHomeOn("sqlite");
    services = await Promise.all([start("one"), start("two")]);
  });
  afterAll(async () => {
    for (const service of services) await service.remove();
    await client.end();
    await sqlite.remove();
    await database.drop();
  });

  const value = async (sql: string): Promise<unknown> =>
    Object.values((await client.query(sql)).rows[0] as object)[0];
  const worldOf = async (service: DatabaseService) => {
    const { BOTYARD_TOKEN = "" } = await environmentOf("alice", service, service.dataDir);
    return await makeWorld({ url: service.url, ownerToken: async () => BOTYARD_TOKEN });
  };

  it("keep their tables apart, and leave public alone", async () => {
    const [one, two] = services as [DatabaseService, DatabaseService];
    const world = await worldOf(one);
    const posted = await ask(one, "POST", `/v1/bot-api/channels/${world.channelId}/posts`, {
      token: world.botToken,
      body: { body: "in one" },
    });
    expect(posted.status).toBe(201);
    expect((await ask(two, "GET", "/v1/bot-api/me", { token: world.botToken })).status).toBe(401);
    expect(await value("SELECT count(*) FROM one.events")).toBe("1");
    expect(await value("SELECT count(*) FROM two.events")).toBe("0");
    expect(await value("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")).toBe("0");
  });

  it("hear only hints of their own", async () => {
    const [one, two] = services as [DatabaseService, DatabaseService];
    const worlds = [await worldOf(one), await worldOf(two)] as const;
    const heard: string[] = [];
    const listener = new pg.Client({ connectionString: database.url });
    listener.on("notification", ({ channel, payload = "" }) => {
      for (const [index, { botId }] of worlds.entries())
        if (payload.includes(botId)) heard.push(`${channel} of ${index + 1}`);
    });
    await listener.connect();
    await listener.query(`LISTEN "botyard.one"; LISTEN "botyard.two"; LISTEN botyard`);
    for (const [index, { channelId, botToken }] of worlds.entries())
      await ask(services[index] as DatabaseService, "POST", `/v1/bot-api/channels/${channelId}/posts`, {
        token: botToken,
        body: { body: "hello" },
      });
    await eventually("both are heard", () => new Set(heard).size >= 2);
    await listener.end();
    expect([...new Set(heard)].sort()).toEqual(["botyard.one of 1", "botyard.two of 2"]);
    // The name under which releases before speak to each other.
    expect(await value(`SELECT ${CHANNEL}`)).toBe("botyard");
  });

  it("do not wait for each other's migrations, and say who has the lock of their own", async () => {
    const hanging = new pg.Client({ connectionString: database.url, application_name: "the hanging one" });
    await hanging.connect();
    await hanging.query("CREATE SCHEMA three; SET search_path = three");
    await hanging.query(`SELECT pg_advisory_lock(${lockNumber("migration")})`);
    await expect(migrate(database.url, { schema: "three", lockTimeoutMs: 300 })).rejects.toThrow(
      'application "the hanging one"',
    );
    await migrate(database.url, { schema: "four", lockTimeoutMs: 300 });
    expect(await value("SELECT count(*) FROM four.bots")).toBe("0");
    await hanging.end();
    // The numbers by which releases before wait for each other.
    expect(await value(`SELECT ${lockNumber("migration")}`)).toBe("7232904431");
    expect(await value(`SELECT ${lockNumber("copy")}`)).toBe("7232904432");
  });

  it("can be copied into, beside a service of another schema but not of the same", async () => {
    await (await sqlite.open()).close();
    const copy = (schema: string) =>
      botyardResult(
        ["copy", "--from", `sqlite:${sqlite.dataDir}`, "--to", database.url, "--to-schema", schema, "--json"],
        { DATA_DIR: sqlite.dataDir },
      );
    const copied = await copy("five");
    expect(copied, copied.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(copied.stdout).start_with).toContain("DATABASE_SCHEMA=five");
    expect(await copy("one")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/running services use .*, schema one \(\d+ connections\)/),
    });
    expect(await copy("One; DROP")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--to-schema must be"),
    });
  });

  it("say in one line when the schema cannot be made", async () => {
    await onDatabase(database.url, "CREATE ROLE guest LOGIN PASSWORD 'guest'");
    const url = new URL(database.url);
    [url.username, url.password] = ["guest", "guest"];
    const options = { url: url.href, schema: "six", poolSize: 2, onConnectionError() {} };
    await expect(openPostgresStore(options)).rejects.toThrow(
      /^the schema six of DATABASE_SCHEMA does not exist and cannot be made \(permission denied .*\): CREATE SCHEMA six AUTHORIZATION <the role of DATABASE_URL>$/,
    );
    await onDatabase(database.url, "DROP ROLE guest");
  });
});
