import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openDatabase } from "#botyard/store/sqlite/binding.js";
import { ask } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { eventually } from "../support/eventually.js";
import { ownerAt } from "../support/load.js";
import { environmentOf, startServiceProcess } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const CONFIG = fileURLToPath(new URL("../../../deploy/litestream.yml", import.meta.url));
const isInstalled = spawnSync("litestream", ["version"]).status === 0;
/** Posts that are checked for; some more are made while the service is killed. */
const SHIPPED = 200;

it.skipIf(!isInstalled)(
  "litestream.yml ships what was acknowledged, and restores it after both were killed (needs litestream 0.5 on the PATH)",
  async () => {
    const folder = temporaryFolder("litestream");
    const dataDir = join(folder, "data");
    const restored = join(folder, "restored");
    const service = await startServiceProcess(dataDir);
    const env = { ...process.env, DATA_DIR: dataDir, REPLICA_DIR: join(folder, "replica") };
    /** @returns the database as the replica has it now, restored into a folder */
    const replicaAt = (name: string): string => {
      const to = join(folder, name, "botyard.db");
      rmSync(join(folder, name), { recursive: true, force: true });
      spawnSync("litestream", ["restore", "-config", CONFIG, "-o", to, join(dataDir, "botyard.db")], { env });
      return to;
    };
    const shipping = spawn("litestream", ["replicate", "-config", CONFIG], { env, stdio: "ignore" });
    try {
      const owner = ownerAt(await environmentOf("alice", service, dataDir));
      const path = `/v1/channels/${await owner.createChannel("room")}/posts`;
      const post = async (): Promise<string> =>
        (await ask(service, "POST", path, { token: owner.token, body: { body: "hello" } })).body.id;
      const shipped: string[] = [];
      for (let i = 0; i < SHIPPED; i++) shipped.push(await post());
      await eventually("they are shipped", async () => (await postsIn(replicaAt("check"))) >= SHIPPED);
      for (let i = 0; i < 20; i++) await post();
      const ended = [once(shipping, "exit"), service.stop("SIGKILL")];
      shipping.kill("SIGKILL");
      await Promise.all(ended);

      expect(await postsIn(replicaAt("restored"))).toBeGreaterThanOrEqual(SHIPPED);
      for (const key of ["secret.key", "owner-jwt.secret"])
        copyFileSync(join(dataDir, key), join(restored, key));
      expect(await commandResult(["after-restore"], { DATA_DIR: restored })).toMatchObject({ code: 0 });
      const second = await startServiceProcess(restored);
      try {
        const found = new Set<string>();
        for (let query = ""; ; ) {
          const { items } = (await ask(second, "GET", `${path}?limit=100${query}`, { token: owner.token }))
            .body;
          for (const { id } of items) found.add(id);
          if (items.length < 100) break;
          query = `&before=${items.at(-1).id}`;
        }
        expect(shipped.filter((id) => !found.has(id))).toEqual([]);
      } finally {
        await second.stop("SIGKILL");
      }
    } finally {
      shipping.kill("SIGKILL");
      await service.stop("SIGKILL");
    }
  },
);

async function postsIn(file: string): Promise<number> {
  if (!existsSync(file)) return 0;
  const db = await openDatabase(file, 0);
  const { posts } = db.prepare("SELECT count(*) AS posts FROM events").get() as { posts: number };
  db.close();
  return posts;
}
