import { run } from "#botyard/cli/run.js";
import type { Environment, Finished } from "./program.js";

/** The command that runs now, since each borrows this process's environment and output. */
let running: Promise<unknown> = Promise.resolve();

/**
 * The `botyard` command within this process, to its end: a process for each would take 0.3 s of processor time. A process
 * (`botyardResult`) is for what depends on one: `serve`, signals, standard input, a terminal, and a command that is to meet
 * the locks of this process.
 *
 * @param env its variables, besides `PATH` and `HOME`
 */
export function commandResult(args: readonly string[], env: Environment = {}): Promise<Finished> {
  const result = running.then(() => resultOf(args, env));
  running = result.catch(() => {});
  return result;
}

async function resultOf(args: readonly string[], env: Environment): Promise<Finished> {
  const written = { stdout: "", stderr: "" };
  const giveBack = [
    borrowEnvironment(env),
    borrowExitCode(),
    borrowOutput("stdout", written),
    borrowOutput("stderr", written),
  ];
  try {
    const code = await run(args);
    // As in the command's own process: a command may have set the code of a failure already.
    return { code: code === 0 ? Number(process.exitCode ?? 0) : code, ...written };
  } finally {
    for (const restore of giveBack) restore();
  }
}

function borrowEnvironment(env: Environment): () => void {
  const before = { ...process.env };
  replaceEnvironment({ PATH: before["PATH"], HOME: before["HOME"], ...env });
  return () => replaceEnvironment(before);
}

function replaceEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
}

function borrowExitCode(): () => void {
  const before = process.exitCode;
  process.exitCode = undefined;
  return () => {
    process.exitCode = before;
  };
}

function borrowOutput(name: "stdout" | "stderr", written: Record<string, string>): () => void {
  const stream = process[name];
  const { write } = stream;
  stream.write = (text: string | Uint8Array, ...rest: unknown[]) => {
    written[name] += String(text);
    const done = rest.at(-1);
    if (typeof done === "function") done();
    return true;
  };
  return () => {
    stream.write = write;
  };
}
