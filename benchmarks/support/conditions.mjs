import { execFileSync } from "node:child_process";
import { cpus, totalmem } from "node:os";

/** The machine, the Node version and the commit that were measured. */
export function conditions() {
  const [cpu] = cpus();
  return {
    machine: `${cpus().length} × ${cpu?.model.trim() ?? "unknown processor"}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: `Node ${process.version}`,
    commit: `commit ${commit()}`,
    date: new Date().toISOString(),
  };
}

function commit() {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}
