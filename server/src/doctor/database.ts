import type { Config } from "../config.js";
import { RESTORE_INSTEAD } from "../process/lost-database.js";
import type { Inspection } from "../store/inspection.js";
import { type Finding, ok, warning, wrong } from "./finding.js";

const OLDEST_POSTGRES = 14;
/** Retries are due by the database's clock, owner tokens and retention by the service's. */
const CLOCK_WARNING_MS = 1_000;
const CLOCK_WRONG_MS = 60_000;

/** The database itself: its version, whether it can be written to, its pages, its schema. */
export async function checkDatabase(config: Config, inspection: Inspection): Promise<Finding[]> {
  const version = await inspection.version();
  const findings = [ok("database", `${inspection.name}, version ${version}`)];
  if (inspection.engine === "postgres" && Number.parseInt(version, 10) < OLDEST_POSTGRES)
    findings.push(
      wrong("database", `version ${version} is too old`, `use PostgreSQL ${OLDEST_POSTGRES} or newer`),
    );
  const readOnly = await inspection.whyReadOnly();
  if (readOnly !== undefined)
    findings.push(
      wrong(
        "writing",
        `nothing can be written: ${readOnly}`,
        inspection.engine === "sqlite"
          ? "look at the owner and mode of the files in DATA_DIR, and at the disk"
          : "connect to the primary server; a provider may have stopped writes because its disk is full",
      ),
    );
  const damage = await inspection.damage();
  if (damage !== undefined)
    findings.push(wrong("pages", `the database is damaged: ${damage}`, RESTORE_INSTEAD));
  else if (inspection.engine === "sqlite") findings.push(ok("pages", "all of them are sound"));
  const holder = await inspection.upkeepHolder();
  if (holder !== undefined)
    findings.push(ok("upkeep", holder ? `done by ${holder}` : "no instance does it at the moment"));
  return [...findings, ...(await checkDeliveries(config, inspection)), ...(await checkSchema(inspection))];
}

async function checkDeliveries({ deliveries }: Config, inspection: Inspection): Promise<Finding[]> {
  if (deliveries === "off")
    return [warning("deliveries", "nothing is sent to webhooks: DELIVERIES=off", "unset DELIVERIES to send")];
  if (!(await inspection.areDeliveriesOff())) return [];
  return [
    warning(
      "deliveries",
      "nothing is sent to webhooks: deliveries were switched off in this database",
      "to send, run botyard deliveries on, and start the services anew",
    ),
  ];
}

async function checkSchema(inspection: Inspection): Promise<Finding[]> {
  const { done, known, waiting } = await inspection.schema();
  if (done > known)
    return [
      wrong(
        "schema",
        `schema ${done} is of a newer Botyard; this one knows up to ${known}`,
        "run the newer version, or restore a backup from before the upgrade",
      ),
    ];
  if (waiting.length === 0) return [ok("schema", `schema ${done}, the newest`)];
  if (done === 0) return [ok("schema", "no tables yet: the first start makes them")];
  return [
    warning(
      "schema",
      `schema ${done}; the next start brings it to ${known}`,
      "see what that does with botyard migrate --check",
    ),
  ];
}

/** Connections of the server, beside those that an instance takes. With cells they are counted for each server. */
export async function checkConnections({ database }: Config, inspection: Inspection): Promise<Finding[]> {
  const connections = await inspection.connections();
  if (!database || !connections) return [];
  const wanted = database.poolSize + 1;
  const { most, open } = connections;
  if (open + wanted <= most) return [ok("connections", `${open} of ${most} are open`)];
  return [
    warning(
      "connections",
      `${open} of ${most} are open, and an instance takes up to ${wanted}`,
      "raise max_connections of the server, or lower DATABASE_POOL_SIZE",
    ),
  ];
}

/** The clock of a database server, beside that of this machine. */
export async function checkDatabaseClock(inspection: Inspection): Promise<Finding[]> {
  const clock = await inspection.clock();
  return clock ? [compareClocks("the database", clock.aheadMs, clock.toleranceMs)] : [];
}

/**
 * @param aheadMs how far the other clock is ahead of this machine's
 * @param toleranceMs how far that may be wrong
 */
export function compareClocks(other: string, aheadMs: number, toleranceMs: number): Finding {
  const difference = Math.max(0, Math.abs(aheadMs) - toleranceMs);
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  const says = `the clock of ${other} is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} this machine's`;
  const mend = "synchronise both (timedatectl, chrony)";
  if (difference >= CLOCK_WRONG_MS) return wrong("clock", says, mend);
  if (difference >= CLOCK_WARNING_MS) return warning("clock", says, mend);
  return ok("clock", `the same as that of ${other}`);
}
