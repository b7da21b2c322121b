import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { loadConfig } from "#botyard/config.js";
import { signOwnerToken } from "#botyard/process/sign-owner-token.js";
import { eventually } from "./eventually.js";
import { QUICK_TO_BEGIN } from "./quick-to-begin.js";

export const repository = fileURLToPath(new URL("../../..", import.meta.url));
/** The program behind the `botyard` command. */
export const botyard = fileURLToPath(new URL("../../bin/botyard.js", import.meta.url));

/** A running program. */
export interface Program {
  child: ChildProcess;
  /** Its output so far. */
  stdout(): string;
  stderr(): string;
  /** Its exit code, or the signal that ended it. */
  exit: Promise<number | NodeJS.Signals>;
  /** Sends a signal, by default SIGTERM, and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/** 30 days, as the command's: tests set the clock. */
const OWNER_TOKEN_MS = 2_592_000_000;

export type Environment = Record<string, string>;

/** Starts a program; of this process's environment it gets only `PATH` and `HOME`. */
export function run(
  command: string,
  args: readonly string[],
  env: Environment = {},
  folder = repository,
): Program {
  const { PATH = "", HOME = "" } = process.env;
  const options = command === process.execPath ? QUICK_TO_BEGIN : [];
  const child = spawn(command, [...options, ...args], {
    cwd: folder,
    env: { PATH, HOME, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const written = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (written.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (written.stderr += text));
  const exit = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.on("error", reject).on("close", (code, signal) => resolve(code ?? signal ?? "SIGKILL"));
  });
  return {
    child,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    exit,
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return exit;
    },
  };
}

/** Runs the `botyard` command. */
function runBotyard(args: readonly string[], env: Environment = {}): Program {
  return run(process.execPath, [botyard, ...args], env);
}

export interface Finished {
  code: number | NodeJS.Signals;
  stdout: string;
  stderr: string;
}

/** Runs the `botyard` command to its end. */
export async function botyardResult(args: readonly string[], env: Environment = {}): Promise<Finished> {
  const program = runBotyard(args, env);
  const code = await program.exit;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

export interface ServiceProcess extends Program {
  url: string;
}

/** Starts the service as a process on a free port, and waits until it is ready. */
export async function startServiceProcess(dataDir: string, env: Environment = {}): Promise<ServiceProcess> {
  const service = runBotyard(["serve"], { DATA_DIR: dataDir, PORT: "0", ...env });
  const url = await eventually("the service prints its address", () => {
    if (service.child.exitCode !== null || service.child.signalCode !== null)
      throw new Error(`the service did not start: ${service.stderr()}`);
    return /address +(http:\S+)/.exec(service.stderr())?.[1];
  }).catch(async (error: unknown) => {
    await service.stop("SIGKILL");
    throw error;
  });
  return { ...service, url };
}

/** The start of a process that is under way, if any. */
let starting: Promise<unknown> = Promise.resolve();

/**
 * As {@link startServiceProcess}, one after the other: tests that run beside each other would otherwise take each other's
 * time to start, which on a busy machine is limited.
 */
export function startServiceInTurn(dataDir: string, env: Environment): Promise<ServiceProcess> {
  const started = starting.then(() => startServiceProcess(dataDir, env));
  starting = started.catch(() => {});
  return started;
}

/** The environment that makes the `botyard` command use `service` as an owner. */
export async function environmentOf(
  user: string,
  service: Pick<ServiceProcess, "url">,
  dataDir: string,
  settings: Environment = {},
): Promise<Environment> {
  const config = loadConfig({ DATA_DIR: dataDir, ...settings });
  const signed = await signOwnerToken(config, user, Date.now() + OWNER_TOKEN_MS);
  if (!signed) throw new Error("this service verifies owner tokens with a public key");
  return { BOTYARD_URL: service.url, BOTYARD_TOKEN: signed.token };
}
