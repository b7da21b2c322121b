import { execFile } from "node:child_process";

/**
 * Runs a program to its end.
 *
 * @returns what it printed
 * @throws Error with its output when it fails
 */
export function run(command, args, { folder, env = {} }) {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`));
      else resolve(stdout.trim());
    });
  });
}

/** Whether a program runs without an error. */
export async function runs(command, args, options) {
  try {
    await run(command, args, options);
    return true;
  } catch {
    return false;
  }
}
