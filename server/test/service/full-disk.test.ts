import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { ownerAt, readLog } from "../support/load.js";
import { environmentOf, type ServiceProcess, startServiceProcess } from "../support/program.js";

/**
 * Simulates a full disk by Linux's limit on the size of a process's files: SQLite's write fails as
 * without space, and the limit can be raised while the process runs.
 */
const canLimitFiles = spawnSync("prlimit", ["--version"]).status === 0;
const FILE_BYTES = 1_000_000;

describe.runIf(canLimitFiles)("a service whose disk is full", () => {
  let dataDir: string;
  let service: ServiceProcess;

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "botyard-disk-"));
    service = await startServiceProcess(dataDir, { RATE_LIMIT_BURST: "1000000", LOG_LEVEL: "warn" });
  });

  afterEach(async () => {
    await service.stop("SIGKILL");
    rmSync(dataDir, { recursive: true });
  });

  const limitFiles = (bytes: string) =>
    execFileSync("prlimit", ["--pid", String(service.child.pid), `--fsize=${bytes}:unlimited`]);

  it("answers 503, stores nothing of refused posts, and recovers when there is space", async () => {
    const owner = ownerAt(await environmentOf("alice", service, dataDir));
    const channelId = await owner.createChannel("channel");
    const bot = await owner.createBot("bot", [channelId]);
    const post = () =>
      fetch(`${service.url}/v1/bot-api/channels/${channelId}/posts`, {
        method: "POST",
        headers: { authorization: `Bearer ${bot.token}`, "content-type": "application/json" },
        body: JSON.stringify({ body: "x".repeat(4000) }),
      });

    limitFiles(String(FILE_BYTES));
    const acknowledged: string[] = [];
    const refused = await eventually("the disk is full", async () => {
      const answer = await post();
      if (answer.status !== 201) return answer;
      acknowledged.push(((await answer.json()) as { id: string }).id);
      return undefined;
    });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toEqual({ error: expect.any(String) });
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    // The check writes very little, and fills the rest that is too small for a post.
    await eventually(
      "it says that it is not ready",
      async () => (await fetch(`${service.url}/readyz`)).status === 503,
    );
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
    const logged = async () => (await readLog(service.url, bot.token)).map(({ payload }) => payload.post_id);
    expect(await logged()).toEqual(acknowledged);

    limitFiles("unlimited");
    await eventually("posts are taken again", async () => {
      const answer = await post();
      if (answer.status !== 201) return false;
      acknowledged.push(((await answer.json()) as { id: string }).id);
      return true;
    });
    expect(await logged()).toEqual(acknowledged);
    // A failure is told for a second.
    await eventually("it is ready", async () => (await fetch(`${service.url}/readyz`)).status === 200);
  });
});
