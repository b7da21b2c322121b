import { run } from "#botyard/cli/run.js";
import type { Environment, Finished } from "./program.js";

/**
 * The `botyard` command within this process, to its end: for commands that ask a service and answer. A process for each
 * would take 0.4 s of processor time. One at a time, since it borrows this process's environment and output.
 *
 * @param env all variables it has
 */
export async function commandResult(args: readonly string[], env: Environment): Promise<Finished> {
  const written = { stdout: "", stderr: "" };
  const restore = [borrowOutput("stdout", written), borrowOutput("stderr", written)];
  const before = { ...process.env };
  for (const name of Object.keys(process.env)) if (name.startsWith("BOTYARD_")) delete process.env[name];
  Object.assign(process.env, env);
  try {
    const code = await run(args);
    return { code, ...written };
  } finally {
    for (const giveBack of restore) giveBack();
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
  }
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
