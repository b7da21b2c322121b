import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort, killOnExit } from "./processes.mjs";

/** @returns the version of the machine's redis-server, or undefined when it has none */
export function redisVersion() {
  try {
    const text = execFileSync("redis-server", ["--version"], { encoding: "utf8" });
    return /v=(\S+)/.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

/**
 * Starts a Redis as BullMQ requires: nothing is evicted, and every write goes to the append-only file.
 *
 * @param {"always" | "everysec"} appendfsync
 */
export async function startRedis(appendfsync) {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "botyard-bench-redis-"));
  const settings = {
    port: String(port),
    bind: "127.0.0.1",
    dir: folder,
    save: "",
    appendonly: "yes",
    appendfsync,
    "maxmemory-policy": "noeviction",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn("redis-server", args, { stdio: "ignore" });
  killOnExit(child);
  await waitUntilListening(port);
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid,
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function waitUntilListening(port) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const socket = connect(port, "127.0.0.1");
    const [event] = await Promise.race([
      once(socket, "connect").then(() => ["connected"]),
      new Promise((resolve) => socket.once("error", () => resolve(["refused"]))),
    ]);
    socket.destroy();
    if (event === "connected") return;
    await pause(50);
  }
  throw new Error("redis-server does not listen");
}
