import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import { openDatabase } from "#botyard/store/sqlite/binding.js";
import { openSqliteStore } from "#botyard/store/sqlite/open.js";
import { ask } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { engine } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { startInProcessService } from "../support/in-process-service.js";
import { makeAttachedBot, OWNER, publish } from "../support/store-fixtures.js";

const TOKEN = "a-token-for-the-metrics-of-this-service";
const PLATFORM_TOKEN = "a-token-of-the-platform-of-this-service";
const PAGE_BYTES = 4_096;
/** The service looks 10 s after its start. */
const FIRST_LOOK_MS = 10_000;

describe.runIf(engine.name === "sqlite")("the embedded database of a service", () => {
  let dataDir: string;
  let file: string;
  let channelId: string;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "botyard-damaged-"));
    file = join(dataDir, "botyard.db");
    await (await start()).stop();
    const store = await openSqliteStore({ dataDir });
    ({ channelId } = await makeAttachedBot(store));
    await publish(store, channelId, 200);
    await store.close();
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const start = () =>
    startInProcessService(dataDir, { LOG_LEVEL: "error", METRICS_TOKEN: TOKEN, PLATFORM_TOKEN });
  const refusal = () =>
    start().then(
      (service) => service.stop().then(() => "started"),
      ({ message }: Error) => message,
    );

  it("is not begun anew when the file is missing beside its key", async () => {
    rmSync(file);
    expect(await refusal()).toMatch(/botyard\.db is missing.*botyard restore.*remove .*secret\.key/);
    const doctor = await commandResult(["doctor"], { DATA_DIR: dataDir });
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining("botyard.db is missing") });
    rmSync(join(dataDir, "secret.key"));
    expect(await refusal()).toMatch("started");
  });

  it("is not begun anew when the file is empty", async () => {
    truncateSync(file, 0);
    expect(await refusal()).toMatch(/botyard\.db is empty \(0 bytes\).*botyard restore/);
    expect(statSync(file).size).toBe(0);
  });

  it.each([
    [
      "another file without tables",
      async () => {
        rmSync(file);
        const db = await openDatabase(file, 0);
        db.exec("CREATE TABLE t (x); DROP TABLE t");
        db.close();
      },
    ],
    [
      "the file, without its tables",
      async () => {
        const db = await openDatabase(file, 0);
        const tables = db
          .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
          .all() as { name: string }[];
        for (const { name } of tables) db.exec(`DROP TABLE ${name}`);
        db.close();
      },
    ],
  ])("is not begun anew in %s, while its key is there", async (_, empty) => {
    await empty();
    const says = /botyard\.db has no tables.*botyard restore.*remove it and .*secret\.key/;
    expect(await refusal()).toMatch(says);
    const doctor = await commandResult(["doctor"], { DATA_DIR: dataDir });
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(says) });
    const migrate = await commandResult(["migrate"], { DATA_DIR: dataDir });
    expect(migrate).toMatchObject({ code: 1, stderr: expect.stringMatching(says) });
    const to = join(dataDir, "empty-backup.db");
    expect(await commandResult(["backup", "--to", to], { DATA_DIR: dataDir })).toMatchObject({ code: 1 });
    expect(existsSync(to)).toBe(false);
  });

  it("is begun in a file without tables that a first start has left, before it made the key", async () => {
    rmSync(file);
    rmSync(join(dataDir, "secret.key"));
    const db = await openDatabase(file, 0);
    db.exec("PRAGMA journal_mode = WAL");
    db.close();
    expect(statSync(file).size).toBeGreaterThan(0);
    expect(await refusal()).toBe("started");
    expect((await commandResult(["doctor"], { DATA_DIR: dataDir })).stdout).toMatch(
      /schema +schema \d+, the newest/,
    );
  });

  it("is looked through for damaged pages: the service is not ready then, and says so", async ({
    onTestFinished,
  }) => {
    const sound = await commandResult(["doctor"], { DATA_DIR: dataDir });
    expect(sound.stdout).toMatch(/pages +all of them are sound/);
    await fillAudit();
    damage("entry 150");
    const found = await commandResult(["doctor"], { DATA_DIR: dataDir });
    expect(found).toMatchObject({ code: 1, stdout: expect.stringMatching(/damaged: table \w+/) });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const service = await start();
    const readiness = () => ask(service, "GET", "/readyz");
    expect((await readiness()).status).toBe(200);
    vi.advanceTimersByTime(FIRST_LOOK_MS);
    const { body } = await eventually("it is not ready", async () => {
      const answer = await readiness();
      return answer.status === 503 ? answer : undefined;
    });
    expect(body.error).toContain("damaged");
    expect(service.stdout()).toMatch(/"level":"error".*"event":"storage_damaged".*"damage":"table \w+/);
    const metrics = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(await metrics.text()).toContain("botyard_store_damaged 1");
    await service.stop();
  });

  it("is not ready either once a request has met a damaged page, which is answered with 503", async () => {
    damage('"post 100"');
    const service = await start();
    const read = () =>
      ask(service, "GET", `/v1/channels/${channelId}/posts?limit=100`, {
        token: PLATFORM_TOKEN,
        headers: { "botyard-owner": OWNER },
      });
    for (let times = 0; times < 2; times += 1)
      expect(await read()).toMatchObject({
        status: 503,
        body: { error: expect.stringContaining("damaged") },
      });
    expect((await ask(service, "GET", "/readyz")).status).toBe(503);
    expect(service.stdout().match(/"event":"storage_damaged"/g)).toHaveLength(1);
    await service.stop();
  });

  /** Entries that nothing reads by itself. */
  async function fillAudit(): Promise<void> {
    const db = await openDatabase(file, 0);
    const insert = db.prepare("INSERT INTO audit VALUES (?, '', '', '', '', '', '', '', '', NULL, ?, '{}')");
    for (let n = 0; n < 300; n += 1) insert.run(newId(), `entry ${n} ${"x".repeat(200)}`);
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
  }

  /** Overwrites the beginning of the page that has a text. */
  function damage(text: string): void {
    const place = readFileSync(file).indexOf(text);
    const handle = openSync(file, "r+");
    writeSync(handle, Buffer.alloc(64, 0xa5), 0, 64, place - (place % PAGE_BYTES));
    closeSync(handle);
  }
});
