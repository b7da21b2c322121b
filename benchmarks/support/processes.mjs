import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Starts one of this folder's programs. It must print `ready` when it listens on the port it gets as its first argument.
 */
export async function startProgram(name, ...rest) {
  const port = await freePort();
  const program = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  return await started(port, [program, String(port), ...rest.map(String)], process.env);
}

/**
 * Starts Botyard on an empty data folder, with limits that do not limit.
 *
 * @param nodeArguments for Node itself, such as `--cpu-prof`
 */
export async function startBotyard(environment = {}, nodeArguments = []) {
  const port = await freePort();
  const dataDir = mkdtempSync(join(tmpdir(), "botyard-bench-"));
  const program = fileURLToPath(new URL("../../server/bin/botyard.js", import.meta.url));
  const service = await started(port, [...nodeArguments, program, "serve"], {
    ...process.env,
    PORT: String(port),
    DATA_DIR: dataDir,
    LOG_LEVEL: "warn",
    MAX_POLLS_PER_BOT: "100000",
    RATE_LIMIT_BURST: "1000000",
    RATE_LIMIT_PER_SECOND: "1000000",
    ...environment,
  });
  const stop = async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { ...service, stop, ownerSecret: readFileSync(join(dataDir, "owner-jwt.secret"), "utf8").trim() };
}

async function started(port, args, env) {
  const child = spawn(process.execPath, args, { env, stdio: "ignore" });
  // Nothing outlives the benchmark, even one that fails halfway.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([
    listening(url),
    once(child, "exit").then(() => Promise.reject(new Error(`${args[0]} ended`))),
  ]);
  return {
    url,
    pid: child.pid,
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

async function listening(url) {
  const giveUpAt = Date.now() + 20_000;
  while (Date.now() < giveUpAt) {
    try {
      await (await fetch(`${url}/livez`)).text();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`nothing listens at ${url}`);
}

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Resident memory of a process in bytes. */
export function residentBytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** Seconds of processor time a process has used. */
export function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
