import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSecretBox } from "#botyard/domain/secret-box.js";
import { openDatabase } from "#botyard/store/sqlite/binding.js";
import { commandResult } from "../support/command.js";
import { eventually } from "../support/eventually.js";
import { type Owner, ownerAt, readLog } from "../support/load.js";
import { type LoadedService, loadService } from "../support/loaded-service.js";
import { makeLongLog } from "../support/long-log.js";
import { botyard, environmentOf, run, type ServiceProcess, startServiceProcess } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const RATE = { RATE_LIMIT_BURST: "1000000", RATE_LIMIT_PER_SECOND: "1000000" };
/** Updates of a log that is large enough for a copy to take a while. */
const LONG_LOG = 60_000;

const parsed = ({ stdout }: { stdout: string }) => JSON.parse(stdout);
const backUp = (dataDir: string, to: string, env: Record<string, string> = {}) =>
  commandResult(["backup", "--to", to, "--json"], { DATA_DIR: dataDir, ...env });
const restore = (dataDir: string, from: string, ...args: string[]) =>
  commandResult(["restore", "--from", from, "--json", ...args], { DATA_DIR: dataDir });

describe("botyard backup and restore, under load", () => {
  const folder = temporaryFolder("backup");
  const dataDir = join(folder, "data");
  const file = join(folder, "backup.db");
  let service: ServiceProcess;
  let load: LoadedService;

  beforeAll(async () => {
    mkdirSync(dataDir, { mode: 0o700 });
    await makeLongLog(dataDir, LONG_LOG, 100);
    service = await startServiceProcess(dataDir, { ...RATE, LOG_LEVEL: "error" });
    load = await loadService(() => service, dataDir);
  });
  afterAll(async () => {
    await load.quiet();
    await service.stop("SIGKILL");
    await load.close();
  });

  it("keeps what was acknowledged before, while posts go on; what is restored delivers and goes on", async () => {
    await eventually("some posts", () => load.acknowledged() > 200);
    const before = load.acknowledged();
    const heads = await Promise.all(load.bots.map(({ id }) => totalOf(load.owner, id)));
    const made = await backUp(dataDir, file);
    const during = load.acknowledged() - before;
    expect(made, made.stderr).toMatchObject({ code: 0 });
    // One connection posts at least once in 20 ms; the backup takes many times that.
    expect(during).toBeGreaterThan(20);
    expect(parsed(made)).toMatchObject({
      key_files: ["owner-jwt.secret", "secret.key"],
      keys_outside: [],
      missing_keys: [],
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(["backup.db", "data"]);
    await load.quiet();
    await service.stop("SIGKILL");

    renameSync(dataDir, join(folder, "lost"));
    const restored = await restore(dataDir, file);
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    const { logs: moved, skipped, tables } = parsed(restored);
    expect({ moved, skipped }).toEqual({ moved: 4, skipped: 1_000_000 });
    expect(tables).toEqual(parsed(made).tables);
    service = await startServiceProcess(dataDir, { ...RATE, LOG_LEVEL: "error" });
    const owner = ownerAt(await environmentOf("alice", service, dataDir));
    for (const [index, { id, token }] of load.bots.entries()) {
      const kept = await readLog(service.url, token);
      expect(kept.map(({ update_id }) => update_id)).toEqual(kept.map((_, at) => at + 1));
      expect(kept.length).toBeGreaterThanOrEqual(heads[index] ?? 0);
      if ((await owner.get<{ url: string }>(`/v1/bot-api/bots/${id}/webhook`)).url === "") continue;
      await eventually("all that was kept is delivered", async () => {
        const stats = await owner.get<Record<string, number>>(`/v1/bot-api/bots/${id}/stats`);
        return stats["delivered_updates"] === stats["total_updates"];
      });
    }
  });
});

/** The length of a bot's log, of which all was acknowledged. */
async function totalOf(owner: Owner, botId: string): Promise<number> {
  return (await owner.get<{ total_updates: number }>(`/v1/bot-api/bots/${botId}/stats`)).total_updates;
}

describe("botyard backup", () => {
  const folder = temporaryFolder("backup-refusals");
  const dataDir = join(folder, "data");
  const to = join(folder, "backup.db");

  beforeAll(async () => {
    mkdirSync(dataDir, { mode: 0o700 });
    await makeLongLog(dataDir, LONG_LOG, 100);
  });

  it("is stopped by Ctrl-C, and leaves nothing behind", async () => {
    const before = readdirSync(folder);
    const program = run(process.execPath, [botyard, "backup", "--to", to], { DATA_DIR: dataDir });
    await eventually("it copies", () => program.stderr().includes("copying"));
    expect(await program.stop("SIGINT")).toBe(1);
    expect(program.stderr()).toContain("botyard: interrupted\n");
    expect(readdirSync(folder)).toEqual(before);
  });

  it("never overwrites, and says in which folder there is nothing to back up", async () => {
    writeFileSync(to, "precious");
    expect(await backUp(dataDir, to)).toMatchObject({
      code: 1,
      stderr: `botyard: ${to} is there already: give each backup a name of its own\n`,
    });
    expect(readFileSync(to, "utf8")).toBe("precious");
    rmSync(to);
    expect(await backUp(dataDir, folder)).toMatchObject({
      code: 1,
      stderr: `botyard: ${folder} is a folder: name a file in it that is not there yet\n`,
    });
    expect(await backUp(join(folder, "elsewhere"), to)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is no botyard.db in"),
    });
    const damaged = join(folder, "damaged");
    mkdirSync(damaged);
    writeFileSync(join(damaged, "botyard.db"), "no database, but long enough to be looked at".repeat(20));
    expect(await backUp(damaged, to)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("botyard.db cannot be backed up: file is not a database"),
    });
    expect(await backUp(dataDir, join(folder, "no", "backup.db"))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`cannot be written (there is no folder ${join(folder, "no")})`),
    });
  });

  it("says which keys it does not hold", async () => {
    const SECRET_KEY = randomBytes(32).toString("base64");
    const made = await backUp(dataDir, join(folder, "keys.db"), {
      SECRET_KEY,
      OWNER_JWT_SECRET: "x".repeat(32),
    });
    expect(parsed(made)).toMatchObject({ key_files: [], keys_outside: ["SECRET_KEY", "OWNER_JWT_SECRET"] });
    expect(made.stderr).toContain(
      "Keep beside it, because the service gets it from its environment: SECRET_KEY and OWNER_JWT_SECRET.",
    );
  });

  it("says how PostgreSQL is backed up and restored, with no password, and ends with 2", async () => {
    const env = { DATA_DIR: dataDir, DATABASE_URL: "postgres://me:hush@db.example/yard" };
    const made = await commandResult(["backup", "--to", "yard.dump"], env);
    expect(made).toMatchObject({ code: 2, stdout: "" });
    expect(made.stderr).toContain(
      "  pg_dump --format=custom --file='yard.dump' --dbname='postgres://me@db.example/yard'\n",
    );
    const restored = await commandResult(["restore", "--from", "yard.dump"], env);
    expect(restored).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("pg_restore --no-owner --dbname='postgres://me@db.example/yard'"),
    });
    expect(made.stderr + restored.stderr).not.toContain("hush");
  });
});

describe("botyard restore", () => {
  const folder = temporaryFolder("restore-refusals");
  const dataDir = join(folder, "data");
  const backup = join(folder, "backup.db");
  const target = join(folder, "target");

  beforeAll(async () => {
    mkdirSync(dataDir, { mode: 0o700 });
    await makeLongLog(dataDir, 2_000, 10);
    const key = randomBytes(32);
    writeFileSync(join(dataDir, "secret.key"), key.toString("base64"), { mode: 0o600 });
    const db = await openDatabase(join(dataDir, "botyard.db"), 0);
    const { id } = db.prepare("SELECT id FROM bots").get() as { id: string };
    db.prepare("UPDATE destinations SET secret = ?").run(createSecretBox([key]).seal("s3cret", id));
    db.close();
    expect(await backUp(dataDir, backup)).toMatchObject({ code: 0 });
  });

  const refusal = async (from: string, line: RegExp, into = target): Promise<void> => {
    const before = existsSync(into) ? readdirSync(into).sort() : [];
    const { code, stdout, stderr } = await restore(into, from);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.split("\n").at(-2)).toMatch(line);
    expect(
      readdirSync(into)
        .filter((name) => name !== "botyard.lock")
        .sort(),
    ).toEqual(before.filter((name) => name !== "botyard.lock"));
  };
  const changed = (name: string, change: (file: string) => void): string => {
    const file = join(folder, name);
    copyFileSync(backup, file);
    change(file);
    return file;
  };

  it("refuses what is no backup, or no longer whole", async () => {
    await refusal(join(folder, "nothing"), /cannot be read \(ENOENT\)$/);
    writeFileSync(join(folder, "text"), "no backup");
    await refusal(join(folder, "text"), /text is not a backup made by botyard backup$/);
    await refusal(join(dataDir, "botyard.db"), /is an SQLite database, but not a backup/);
    const cut = changed("cut", (file) => truncateSync(file, statSync(file).size - 4096));
    await refusal(cut, /is cut short or damaged: it has \d+ bytes of \d+$/);
    await refusal(
      changed("long", (file) => appendFileSync(file, "more")),
      /is cut short or damaged/,
    );
    const shuffled = changed("shuffled", (file) => {
      const bytes = readFileSync(file);
      bytes.fill(7, 8 * 4096, 12 * 4096);
      writeFileSync(file, bytes);
    });
    await refusal(shuffled, /shuffled cannot be restored: .*(damaged|malformed)/);
    await refusal(folder, /is a folder, not a backup$/);
  });

  it("refuses a backup that lacks rows", async () => {
    const file = changed("fewer", () => {});
    const db = await openDatabase(file, 0);
    db.exec("DELETE FROM events WHERE event_key = 7");
    db.close();
    await refusal(file, /is damaged: events has 1999 rows, and had 2000 when it was made$/);
  });

  it("refuses a folder with a database or with another key, and one that a service uses", async () => {
    await refusal(backup, /has a database already: restore into an empty folder/, dataDir);
    const other = join(folder, "other");
    mkdirSync(other, { mode: 0o700 });
    writeFileSync(join(other, "secret.key"), randomBytes(32).toString("base64"), { mode: 0o600 });
    await refusal(backup, /secret\.key is another key than that of the backup/, other);
    const used = join(folder, "used");
    mkdirSync(used, { mode: 0o700 });
    const service = await startServiceProcess(used);
    await refusal(backup, /another Botyard service uses/, used);
    await service.stop();
  });

  it("says when SECRET_KEY would not open what was restored, which a service prefers to the file", async () => {
    const SECRET_KEY = randomBytes(32).toString("base64");
    const env = { DATA_DIR: join(folder, "elsewhere"), SECRET_KEY };
    const restored = await commandResult(["restore", "--from", backup, "--json"], env);
    expect(restored).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("SECRET_KEY, as it is set now"),
    });
    expect(restored.stderr).not.toContain("Services may be started");
    expect(parsed(restored).missing_keys).toHaveLength(1);
  });

  it("puts back what was there, moves no log with --skip 0, and is done once", async () => {
    const restored = await restore(target, backup, "--skip", "0");
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    expect(parsed(restored)).toMatchObject({
      logs: 0,
      skipped: 0,
      key_files: ["secret.key"],
      tables: { events: 2000, entries: 2000 },
    });
    expect(readdirSync(target).sort()).toEqual(["botyard.db", "botyard.lock", "secret.key"]);
    for (const name of ["botyard.db", "secret.key"])
      expect(statSync(join(target, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(target, "secret.key"), "utf8").trim()).toBe(
      readFileSync(join(dataDir, "secret.key"), "utf8"),
    );
    await refusal(backup, /has a database already/);
  });

  it("is stopped by Ctrl-C, and leaves no database", async () => {
    const into = join(folder, "stopped");
    const program = run(process.execPath, [botyard, "restore", "--from", backup], { DATA_DIR: into });
    await eventually("it copies", () => program.stderr().includes("copying"));
    expect(await program.stop("SIGINT")).toBe(1);
    expect(readdirSync(into)).toEqual(["botyard.lock"]);
  });
});

it("a backup has what the platform decided about owners, and the audit log; a suspended owner stays so", async () => {
  const folder = temporaryFolder("backup-owners");
  const dataDir = join(folder, "data");
  const restored = join(folder, "restored");
  mkdirSync(dataDir, { mode: 0o700 });
  const env = { PLATFORM_TOKEN: "a-token-of-the-platform-0123456789", LOG_LEVEL: "error" };
  const look = async (service: ServiceProcess) => {
    const get = async (path: string) => {
      const answer = await fetch(`${service.url}${path}`, {
        headers: { authorization: `Bearer ${env.PLATFORM_TOKEN}` },
      });
      return (await answer.json()) as { items?: unknown[] };
    };
    return { owner: await get("/v1/platform/owners/alice"), audit: await get("/v1/platform/audit") };
  };

  const service = await startServiceProcess(dataDir, env);
  const alice = await environmentOf("alice", service, dataDir, env);
  const bot = await ownerAt(alice).createBot("bot", []);
  await fetch(`${service.url}/v1/platform/owners/alice`, {
    method: "PUT",
    headers: { authorization: `Bearer ${env.PLATFORM_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({
      suspended: true,
      reason: "spam",
      limits: { bots: 3, bytes_kept: 5000 },
      metadata: { plan: "free" },
    }),
  });
  const before = await look(service);
  expect(before.owner).toMatchObject({
    suspended: true,
    reason: "spam",
    limits: { bots: 3, bytes_kept: 5000 },
  });
  expect(before.audit.items?.length).toBeGreaterThan(1);
  expect(await backUp(dataDir, join(folder, "backup.db"))).toMatchObject({ code: 0 });
  await service.stop("SIGKILL");
  expect(await restore(restored, join(folder, "backup.db"))).toMatchObject({ code: 0 });

  const again = await startServiceProcess(restored, env);
  expect(await look(again)).toEqual(before);
  const me = await fetch(`${again.url}/v1/bot-api/me`, { headers: { authorization: `Bearer ${bot.token}` } });
  expect([me.status, me.headers.get("botyard-error")]).toEqual([401, "owner_suspended"]);
  await again.stop("SIGKILL");
});
