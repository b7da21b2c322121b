import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { engine, onDatabase, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { type Owner, ownerAt, readLog } from "../support/load.js";
import { botyardResult, environmentOf } from "../support/program.js";
import { type Receiver, startReceiver } from "../support/receiver.js";

describe(`botyard after-restore on ${engine.name}`, () => {
  let home: StoreHome;
  let service: InProcessService | undefined;
  let receiver: Receiver;
  let owner: Owner;
  let bot: { id: string; token: string };
  let channelId: string;

  beforeEach(async () => {
    home = await engine.createHome();
    receiver = await startReceiver();
    await start();
    channelId = await owner.createChannel("channel");
    bot = await owner.createBot("bot", [channelId]);
    await owner.setWebhook(bot.id, receiver.url);
  });
  afterEach(async () => {
    await stop();
    await receiver.close();
    await home.remove();
  });

  const start = async () => {
    service = await startInProcessService(home.dataDir, { ...home.environment, LOG_LEVEL: "error" });
    owner = ownerAt(await environmentOf("alice", service, home.dataDir));
  };
  const stop = async () => {
    await service?.stop();
    service = undefined;
  };
  const url = () => service?.url ?? "";
  const post = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const path = `/v1/bot-api/channels/${channelId}/posts`;
      const { status } = await ask({ url: url() }, "POST", path, {
        token: bot.token,
        body: { body: `${n}` },
      });
      expect(status).toBe(201);
    }
  };
  const poll = async (offset: number) => {
    const path = `/v1/bot-api/updates?offset=${offset}`;
    const { body, headers } = await ask({ url: url() }, "GET", path, { token: bot.token });
    return {
      numbers: body.items.map((item: { update_id: number }) => item.update_id),
      head: headers.get("botyard-log-head"),
    };
  };
  const received = (count: number) =>
    eventually(`${count} deliveries`, () => receiver.requests.length === count);
  const afterRestore = (...args: string[]) =>
    commandResult(["after-restore", ...args], { DATA_DIR: home.dataDir, ...home.environment });

  /** A backup, made while no service runs. */
  const backUp = async (): Promise<() => Promise<void>> => {
    const { DATABASE_URL } = home.environment;
    if (!DATABASE_URL) {
      const backup = join(home.dataDir, "backup");
      mkdirSync(backup);
      cpSync(join(home.dataDir, "botyard.db"), join(backup, "botyard.db"));
      return async () => {
        for (const end of ["", "-wal", "-shm"])
          rmSync(join(home.dataDir, `botyard.db${end}`), { force: true });
        cpSync(join(backup, "botyard.db"), join(home.dataDir, "botyard.db"));
      };
    }
    const name = new URL(DATABASE_URL).pathname.slice(1);
    const server = DATABASE_URL.replace(/[^/]+$/, "postgres");
    await onDatabase(server, `CREATE DATABASE ${name}_backup TEMPLATE ${name}`);
    return async () => {
      await onDatabase(server, `DROP DATABASE ${name} WITH (FORCE)`);
      await onDatabase(server, `ALTER DATABASE ${name}_backup RENAME TO ${name}`);
    };
  };

  it("prevents repeated numbers after a backup is restored", async () => {
    await post(3);
    await received(3);
    await stop();
    const putBack = await backUp();
    await start();
    await post(4);
    await received(7);
    await stop();
    await putBack();

    const done = await afterRestore("--skip", "1000", "--json");
    expect(done, done.stderr).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("moved on by 1,000 numbers"),
    });
    expect(JSON.parse(done.stdout)).toEqual({ logs: 1, skipped: 1000 });
    await start();
    await post(2);
    await received(9);
    expect(receiver.requests.map(({ updateId }) => updateId)).toEqual([1, 2, 3, 4, 5, 6, 7, 1004, 1005]);
    expect(await poll(7)).toEqual({ numbers: [1004, 1005], head: null });
    expect((await readLog(url(), bot.token)).map((update) => update.update_id)).toEqual([
      1, 2, 3, 1004, 1005,
    ]);
    await eventually("all is counted", async () => {
      const stats = await owner.get<Record<string, number>>(`/v1/bot-api/bots/${bot.id}/stats`);
      return (
        stats["delivered_updates"] === 5 && stats["total_updates"] === 5 && stats["pending_updates"] === 0
      );
    });
  });

  it("can be repeated, prints a table, and refuses invalid numbers", async () => {
    await stop();
    for (const _ of [1, 2]) {
      const { code, stdout } = await afterRestore();
      expect({ code, stdout }).toEqual({ code: 0, stdout: "logs  skipped\n1     1000000\n" });
    }
    await start();
    await post(1);
    expect(await poll(0)).toMatchObject({ numbers: [2_000_001] });
    for (const skip of ["0", "1000000001"]) {
      const { code, stderr } = await afterRestore("--skip", skip);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `botyard: --skip must be an integer from 1 to 1000000000, not "${skip}"\n`,
      });
    }
  });

  it("refuses a folder in use; on PostgreSQL it works beside services", async () => {
    await post(1);
    await received(1);
    // In a process of its own, as the folder's lock is for others.
    const args = ["after-restore", "--skip", "10"];
    const env = { DATA_DIR: home.dataDir, ...home.environment };
    const { code, stderr } = await botyardResult(args, env);
    if (engine.name === "sqlite") {
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining("another Botyard service uses"),
      });
    } else {
      expect(code).toBe(0);
      await post(1);
      await received(2);
      expect(await poll(1)).toEqual({ numbers: [12], head: null });
    }
  });

  it.runIf(engine.name === "sqlite")(
    "refuses a folder in which there is no database, and makes none",
    async () => {
      const elsewhere = join(home.dataDir, "elsewhere");
      const { code, stderr } = await commandResult(["after-restore"], { DATA_DIR: elsewhere });
      expect([code, stderr]).toEqual([1, expect.stringContaining("there is no botyard.db in")]);
      expect(existsSync(elsewhere)).toBe(false);
    },
  );
});
