import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { type Owner, ownerAt } from "../support/load.js";
import { environmentOf, type ServiceProcess, startServiceProcess } from "../support/program.js";
import { scrape } from "../support/scrape.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const KEEP = 2;
const NAME = /^botyard-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/;

const running = new Set<{ stop(signal?: NodeJS.Signals): Promise<unknown> }>();
afterEach(async () => {
  for (const service of running) await service.stop("SIGKILL");
  running.clear();
});

async function start(dataDir: string, env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await startServiceProcess(dataDir, { LOG_LEVEL: "info", ...env });
  running.add(service);
  return service;
}

/** One that is not killed. */
async function startHere(dataDir: string, env: Record<string, string> = {}): Promise<InProcessService> {
  const service = await startInProcessService(dataDir, env);
  running.add(service);
  return service;
}

async function kill(service: ServiceProcess): Promise<void> {
  await service.stop("SIGKILL");
  running.delete(service);
}

const ownerOf = async (service: { url: string }, dataDir: string): Promise<Owner> =>
  ownerAt(await environmentOf("alice", service, dataDir));

async function postsOf(owner: Owner, channelId: string): Promise<string[]> {
  const ids: string[] = [];
  for (let query = ""; ; ) {
    const path = `/v1/channels/${channelId}/posts?limit=100${query}`;
    const page = await owner.get<{ items: { id: string }[] }>(path);
    ids.push(...page.items.map(({ id }) => id));
    if (page.items.length < 100) return ids;
    query = `&before=${ids.at(-1)}`;
  }
}

describe("with BACKUP_EVERY", () => {
  it("every post that was acknowledged before a backup is in it, also when the service is killed at any time", async () => {
    const folder = temporaryFolder("scheduled-backups");
    const [dataDir, backups] = [join(folder, "data"), join(folder, "backups")];
    const env = { BACKUP_EVERY: "1s", BACKUP_KEEP: String(KEEP), BACKUP_DIR: backups };
    const names = () =>
      readdirSync(backups)
        .filter((name) => name !== "backups.id")
        .sort();
    const acknowledged: { id: string; at: number }[] = [];
    let channelId = "";
    let restored = 0;

    for (let round = 0; round < 3; round++) {
      const service = await start(dataDir, env);
      const owner = await ownerOf(service, dataDir);
      channelId ||= await owner.createChannel("room");
      // A backup that was begun earlier may lack the channel.
      const before = `botyard-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}Z.db`;
      // Killed while a backup is being written, and a while after one was.
      const isTime = () =>
        names().some((name) => (round === 1 ? name.endsWith(".part") : NAME.test(name) && name > before));
      while (!isTime()) {
        const path = `/v1/channels/${channelId}/posts`;
        const { body } = await ask(service, "POST", path, { token: owner.token, body: { body: "hello" } });
        acknowledged.push({ id: body.id, at: Date.now() });
      }
      await kill(service);

      const there = names().filter((name) => NAME.test(name));
      expect(there.length).toBeLessThanOrEqual(KEEP + 1);
      const newest = there.at(-1) ?? "";
      const madeAt = Date.parse(newest.slice(8, -4).replace(/T(\d\d)-(\d\d)-(\d\d)/, "T$1:$2:$3Z"));
      const copy = join(folder, `restored-${round}`);
      const result = await commandResult(["restore", "--from", backups, "--json"], { DATA_DIR: copy });
      expect(result, result.stderr).toMatchObject({ code: 0 });
      expect(result.stderr).toContain(newest);
      const second = await startHere(copy);
      const found = new Set(await postsOf(await ownerOf(second, copy), channelId));
      const missing = acknowledged.filter(({ id, at }) => at < madeAt && !found.has(id));
      expect(missing).toEqual([]);
      restored += found.size;
      await second.stop();
    }
    expect(restored).toBeGreaterThan(0);

    const service = await start(dataDir, env);
    await eventually(
      "what a kill has left is removed, and older ones are",
      () => names().length === KEEP && names().every((name) => NAME.test(name)),
    );
    await kill(service);
    const early = await commandResult(["restore", "--from", backups, "--before", "2020-01-01T00:00:00Z"], {
      DATA_DIR: join(folder, "early"),
    });
    expect(early).toMatchObject({ code: 2 });
    expect(early.stderr).toMatch(/the oldest backup in .* is of 20/);
  });

  it("says when one cannot be made, goes on, and makes it later", async () => {
    const folder = temporaryFolder("scheduled-backups");
    const backups = join(folder, "backups");
    const env = { BACKUP_EVERY: "1s", BACKUP_DIR: backups, METRICS_TOKEN: "0123456789abcdef" };
    const service = await startHere(join(folder, "data"), env);
    const made = () => readdirSync(backups).filter((name) => NAME.test(name)).length;
    const sample = async (name: string) =>
      (await scrape(`${service.url}/metrics`, env.METRICS_TOKEN)).get(name);
    await eventually("the first one is made", () => made() > 0);
    expect(await sample("botyard_newest_backup_timestamp_seconds")).toBeGreaterThan(Date.now() / 1000 - 60);
    expect(await sample("botyard_backup_failures_total")).toBe(0);
    renameSync(backups, `${backups}-unmounted`);
    await eventually("it fails", () => service.stdout().includes('"backup_failed"'));
    expect(await sample("botyard_backup_failures_total")).toBeGreaterThan(0);
    // As the empty folder that a disk was mounted on.
    mkdirSync(backups);
    const failures = await sample("botyard_backup_failures_total");
    await eventually(
      "it goes on failing",
      async () => ((await sample("botyard_backup_failures_total")) ?? 0) > (failures ?? 0) + 1,
    );
    expect(readdirSync(backups)).toEqual([]);
    rmSync(backups, { recursive: true });
    renameSync(`${backups}-unmounted`, backups);
    const before = made();
    await eventually("it is made again", () => made() > before);
  });

  it.each([
    ["keys in files", {}],
    [
      "keys in the environment",
      { SECRET_KEY: "ab".repeat(32), OWNER_JWT_SECRET: "a secret of more than thirty-two bytes" },
    ],
  ])(
    "does not replace the backups of another data folder, with %s",
    async (_, keys: Record<string, string>) => {
      const folder = temporaryFolder("scheduled-backups");
      const [dataDir, backups] = [join(folder, "data"), join(folder, "backups")];
      const env = { BACKUP_EVERY: "1s", BACKUP_KEEP: "1", BACKUP_DIR: backups, ...keys };
      const first = await startHere(dataDir, env);
      await eventually("a backup", () => readdirSync(backups).some((name) => NAME.test(name)));
      await first.stop();
      const there = readdirSync(backups);
      const drill = join(folder, "drill");
      const restored = await commandResult(["restore", "--from", backups, "--no-deliveries"], {
        DATA_DIR: drill,
        ...keys,
      });
      expect(restored, restored.stderr).toMatchObject({ code: 0 });
      for (const other of [drill, join(folder, "not-mounted")])
        await expect(startHere(other, env)).rejects.toThrow(
          /BACKUP_DIR .* has the backups of another data folder/,
        );
      expect(readdirSync(backups)).toEqual(there);
      renameSync(backups, `${backups}-unmounted`);
      await expect(startHere(dataDir, env)).rejects.toThrow(
        /is not the folder that it was: is its disk mounted/,
      );
      rmSync(backups, { recursive: true });
      renameSync(`${backups}-unmounted`, backups);
      await (await startHere(dataDir, env)).stop();
      const another = { ...env, BACKUP_DIR: join(folder, "another") };
      await (await startHere(dataDir, another)).stop();
    },
  );
});
