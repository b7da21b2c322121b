import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Config } from "../config.js";
import { type Finding, ok, warning, wrong } from "./finding.js";

const MB = 1_000_000;
const FEW_BYTES = 1_000 * MB;
const TOO_FEW_BYTES = 100 * MB;
/** Open files beside connections: the database's, log and lock files, pipes. */
const OTHER_FILES = 100;
const OPEN_TO_OTHERS = 0o077;

/** The data folder: can it be used, is it closed to others, is there room? */
export async function checkDataDir({ dataDir, database }: Config): Promise<Finding[]> {
  const check = "data folder";
  const folder = nearestFolder(dataDir);
  if (!statSync(folder).isDirectory())
    return [wrong(check, `${folder} is not a folder`, "set DATA_DIR to a folder, or move that file away")];
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    return [
      wrong(
        check,
        `${folder} cannot be written to by this user`,
        "run doctor as the user of the service, or give that user the folder",
      ),
    ];
  }
  const { bavail, bsize, blocks } = await statfs(folder);
  // /proc and /sys, for example, report no blocks.
  if (blocks === 0 && !existsSync(dataDir))
    return [wrong(check, `no folder can be made in ${folder}`, "set DATA_DIR to a folder on a disk")];
  const says = existsSync(dataDir) ? dataDir : `${dataDir} is not there yet: the first start makes it`;
  const findings = [ok(check, says)];
  if (
    existsSync(dataDir) &&
    process.platform !== "win32" &&
    !database &&
    statSync(dataDir).mode & OPEN_TO_OTHERS
  )
    findings.push(warning(check, `${dataDir} can be entered by other users`, `chmod 700 ${dataDir}`));
  const free = bavail * bsize;
  const room = `${Math.round(free / MB).toLocaleString("en-US")} MB are free`;
  const mend = "make room, or lower RETENTION_DAYS; a full disk stops all writes";
  if (free < TOO_FEW_BYTES) findings.push(wrong("disk", room, mend));
  else if (free < FEW_BYTES) findings.push(warning("disk", room, mend));
  else findings.push(ok("disk", room));
  return findings;
}

/** Each connection is an open file. */
export function checkOpenFiles({ caps, webhooks, database }: Config): Finding[] {
  const most = openFilesLimit();
  if (most === undefined) return [];
  const wanted = caps.connections + webhooks.concurrency + (database?.poolSize ?? 0) + OTHER_FILES;
  const says = `${most.toLocaleString("en-US")} may be open here; MAX_CONNECTIONS and WEBHOOK_CONCURRENCY can take ${wanted.toLocaleString("en-US")}`;
  if (most >= wanted) return [ok("open files", says)];
  return [
    warning(
      "open files",
      says,
      `raise the limit of the service to ${wanted} (LimitNOFILE= in its unit, ulimit -n in a shell), or lower MAX_CONNECTIONS`,
    ),
  ];
}

/** The limit of this process, which Node has raised to its maximum; undefined where the system does not report it. */
function openFilesLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}
