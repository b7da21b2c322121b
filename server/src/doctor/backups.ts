import { existsSync, statSync } from "node:fs";
import type { Config } from "../config.js";
import { backupsIn } from "../store/backup/backup-folder.js";
import { type Finding, ok, warning, wrong } from "./finding.js";

const CHECK = "backups";
const MINUTE_MS = 60_000;

/** The backups by schedule: is there a new one, and is it on another disk than the database? */
export function checkBackups({ backups, dataDir }: Config): Finding[] {
  if (!backups) return [];
  const { folder, everyMs } = backups;
  const all = existsSync(folder) ? backupsIn(folder) : [];
  const newest = all.at(-1);
  if (!newest)
    return [warning(CHECK, `none in ${folder} yet`, "the service makes the first one when it starts")];
  const says = `${all.length} in ${folder}, the newest of ${newest.madeAt.toISOString()}`;
  // One may be late by the time that it takes.
  if (Date.now() - newest.madeAt.getTime() > 2 * everyMs + MINUTE_MS)
    return [wrong(CHECK, says, "is the service running? Its log has backup_failed with the reason")];
  if (existsSync(dataDir) && statSync(folder).dev === statSync(dataDir).dev)
    return [
      warning(CHECK, `${says}, on the disk of the database`, "set BACKUP_DIR to a folder on another disk"),
    ];
  return [ok(CHECK, says)];
}
