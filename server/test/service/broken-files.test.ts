import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { ownerAt, readLog, startPoster } from "../support/load.js";
import { botyardResult, environmentOf, startServiceProcess } from "../support/program.js";

/** What SQLite writes before each page in its log: a torn write leaves such a frame half done. */
const FRAME_BYTES = 24 + 4096;

/** Files of the embedded store as left by crashes, faulty disks and people. */
describe("a service whose files", () => {
  let crashed: string;
  let dataDir: string;
  let service: InProcessService | undefined;
  let channelId: string;
  let bot: { id: string; token: string };
  let acknowledged: string[];

  const settings = { RATE_LIMIT_BURST: "1000000", LOG_LEVEL: "error" };
  const start = async (): Promise<InProcessService> => {
    service = await startInProcessService(dataDir, settings);
    return service;
  };
  const logged = async () =>
    (await readLog(service?.url ?? "", bot.token)).map(({ payload }) => payload.post_id);
  const wal = () => join(dataDir, "botyard.db-wal");

  /** Posts that are in the log of SQLite only: the process is killed before they get into the database file. */
  beforeAll(async () => {
    crashed = mkdtempSync(join(tmpdir(), "botyard-files-"));
    const killed = await startServiceProcess(crashed, settings);
    const owner = ownerAt(await environmentOf("alice", killed, crashed));
    channelId = await owner.createChannel("channel");
    bot = await owner.createBot("bot", [channelId]);
    const poster = startPoster(() => killed.url, bot.token, channelId);
    await eventually("some posts", () => poster.acknowledged.length >= 50);
    await poster.stop();
    ({ acknowledged } = poster);
    await killed.stop("SIGKILL");
  });
  afterAll(() => rmSync(crashed, { recursive: true }));

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "botyard-files-"));
    cpSync(crashed, dataDir, { recursive: true });
  });
  afterEach(async () => {
    await service?.stop();
    service = undefined;
    chmodSync(dataDir, 0o700);
    rmSync(dataDir, { recursive: true });
  });

  it.each([
    ["garbage", () => appendFileSync(wal(), Buffer.alloc(3 * FRAME_BYTES + 17, 0xa5))],
    ["half a frame", () => appendFileSync(wal(), Buffer.alloc(FRAME_BYTES / 2))],
  ])("end in %s, as after a power cut, has everything it acknowledged", async (_, damage) => {
    damage();
    const started = await start();
    expect(await logged()).toEqual(acknowledged);
    expect((await ask(started, "GET", "/readyz")).status).toBe(200);
  });

  it("have lost the end of the WAL continues with everything before it, without a gap", async () => {
    // A crash cannot cause this, since acknowledged data was synced; a disk that ignores syncs, or a person, can.
    truncateSync(wal(), statSync(wal()).size - FRAME_BYTES - 1);
    const { url } = await start();
    const left = await logged();
    expect(left).toEqual(acknowledged.slice(0, left.length));
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(acknowledged.length);
    const poster = startPoster(() => url, bot.token, channelId);
    await eventually("new posts", () => poster.acknowledged.length >= 5);
    await poster.stop();
    expect(await logged()).toEqual([...left, ...poster.acknowledged]);
  });

  it("are not a database refuses to start in one line, and changes nothing", async () => {
    rmSync(wal());
    rmSync(join(dataDir, "botyard.db-shm"), { force: true });
    copyFileSync(join(dataDir, "owner-jwt.secret"), join(dataDir, "botyard.db"));
    appendFileSync(join(dataDir, "botyard.db"), Buffer.alloc(8192, "x"));
    const { size } = statSync(join(dataDir, "botyard.db"));
    const { code, stderr } = await botyardResult(["serve"], { DATA_DIR: dataDir, PORT: "0" });
    expect(code).toBe(1);
    expect(stderr.trim()).toMatch(/^botyard cannot start: .+$/);
    expect(statSync(join(dataDir, "botyard.db")).size).toBe(size);
  });

  it("were cut off refuses to start, and says what to do", async () => {
    const { stop } = await start();
    await stop();
    truncateSync(join(dataDir, "botyard.db"), 10 * 4096);
    const { code, stderr } = await botyardResult(["serve"], { DATA_DIR: dataDir, PORT: "0" });
    expect(code).toBe(1);
    expect(stderr.trim()).toMatch(/^botyard cannot start: .+botyard\.db is damaged .+ botyard restore$/);
  });

  // Root may write everywhere.
  it.skipIf(process.getuid?.() === 0)("cannot be written to is refused in one line", async () => {
    chmodSync(dataDir, 0o500);
    for (const name of ["botyard.db", "botyard.lock"]) chmodSync(join(dataDir, name), 0o400);
    const { code, stderr } = await botyardResult(["serve"], { DATA_DIR: dataDir, PORT: "0" });
    expect(code).toBe(1);
    expect(stderr.trim()).toMatch(/^botyard cannot start: .+$/);
  });
});
