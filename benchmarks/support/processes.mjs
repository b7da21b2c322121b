import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Starts a program of this folder or of a neighbouring one. It must listen on the port in its first argument.
 */
export async function startProgram(name, ...rest) {
  const port = await freePort();
  const program = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  return await startProcess(port, [program, String(port), ...rest.map(String)], process.env);
}

/**
 * Starts Botyard, on an empty data folder unless `DATA_DIR` names one, with limits too high to matter.
 *
 * @param nodeArguments for Node itself, such as `--cpu-prof`
 */
export async function startBotyard(environment = {}, nodeArguments = []) {
  const port = await freePort();
  const ownDir = environment.DATA_DIR ? undefined : mkdtempSync(join(tmpdir(), "botyard-bench-"));
  const program = fileURLToPath(new URL("../../server/bin/botyard.js", import.meta.url));
  const env = {
    ...process.env,
    PORT: String(port),
    DATA_DIR: ownDir,
    LOG_LEVEL: "warn",
    MAX_POLLS_PER_BOT: "100000",
    RATE_LIMIT_BURST: "1000000",
    RATE_LIMIT_PER_SECOND: "1000000",
    MAX_BOTS_PER_OWNER: "100000",
    MAX_WAITING_POSTS: "100000",
    MAX_CONNECTIONS: "100000",
    ...environment,
  };
  const service = await startProcess(port, [...nodeArguments, program, "serve"], env);
  const stop = async () => {
    await service.stop();
    if (ownDir) rmSync(ownDir, { recursive: true, force: true });
  };
  return {
    ...service,
    stop,
    ownerSecret: readFileSync(join(env.DATA_DIR, "owner-jwt.secret"), "utf8").trim(),
  };
}

async function startProcess(port, args, env) {
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  killOnExit(child);
  let stderrTail = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderrTail = (stderrTail + text).slice(-2_000);
  });
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([
    waitUntilListening(url),
    once(child, "exit").then(() => Promise.reject(new Error(`${args.join(" ")} ended:\n${stderrTail}`))),
  ]);
  return {
    url,
    pid: child.pid,
    /** Sends a message to a module loaded into the program, and returns its answer. */
    async ask(message) {
      child.send(message);
      const [answer] = await once(child, "message");
      return answer;
    },
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

const running = new Set();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Kills the process when the benchmark ends, even by a failure. */
export function killOnExit(child) {
  running.add(child);
  child.once("exit", () => running.delete(child));
}

async function waitUntilListening(url) {
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
