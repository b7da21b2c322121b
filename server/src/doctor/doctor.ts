import type { Config } from "../config.js";
import { inspectStore } from "../open-store.js";
import { emptiedDatabase, lostDatabase } from "../process/lost-database.js";
import { VERSION } from "../process/version.js";
import type { CellTables } from "../store/cells/directory.js";
import type { Inspection } from "../store/inspection.js";
import { checkAddress } from "./address.js";
import { checkAudit } from "./audit.js";
import { checkBackups } from "./backups.js";
import { checkConnections, checkDatabase, checkDatabaseClock } from "./database.js";
import { checkDeliveries, type RepairOptions } from "./deliveries.js";
import { type Finding, ok, warning, wrong } from "./finding.js";
import { checkKeys } from "./keys.js";
import { checkDataDir, checkOpenFiles } from "./machine.js";
import { checkWebhook } from "./webhook.js";

export interface DoctorOptions extends RepairOptions {
  /** The address from outside, without a slash at its end. */
  url?: string | undefined;
  /** A bot's token: with it, one poll waits at that address. */
  botToken?: string | undefined;
  /** A webhook's URL. */
  webhook?: string | undefined;
  /** Whether a test event is sent to it. */
  isSent: boolean;
  onFinding(finding: Finding): void;
}

/**
 * Checks everything that a service with this configuration needs, one thing after the other. Changes nothing, unless it is to
 * repair, and does not delay a running service.
 */
export async function examine(config: Config, options: DoctorOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  const tell = (found: readonly Finding[]): void => {
    for (const finding of found) {
      findings.push(finding);
      options.onFinding(finding);
    }
  };
  /** A check that throws becomes a finding. */
  const look = async (check: string, work: () => Promise<readonly Finding[]>): Promise<void> => {
    tell(
      await work().catch((error: unknown) => [
        wrong(check, (error as Error).message, mendOf((error as Error).message)),
      ]),
    );
  };

  tell([ok("configuration", `Botyard ${VERSION} on Node ${process.versions.node}`)]);
  tell(config.warnings.map((text) => warning("configuration", text, mendOfSetting(text))));
  await look("data folder", () => checkDataDir(config));
  tell(checkOpenFiles(config));
  await look("backups", async () => checkBackups(config));
  let inspection: Inspection | undefined;
  let isReached = false;
  let tables: CellTables = {};
  await look("database", async () => {
    const lost = config.database ? undefined : lostDatabase(config.dataDir);
    if (lost !== undefined) return [wrong("database", "it was lost", lost)];
    inspection = await inspectStore(config);
    isReached = true;
    if (!inspection) return [ok("database", `none in ${config.dataDir} yet: the first start makes it`)];
    const emptied = config.database ? undefined : emptiedDatabase(config.dataDir);
    if (emptied !== undefined && (await inspection.schema()).done === 0)
      return [wrong("database", "it was lost", emptied)];
    tables = await inspection.cells();
    return [
      ...(await checkDatabase(config, inspection)),
      ...(tables.list ? [] : await checkConnections(config, inspection)),
      ...(await checkDatabaseClock(inspection)),
    ];
  });
  const looked = inspection;
  const ownCell = tables.list ? tables.cell?.name : "";
  if (looked && ownCell !== undefined)
    await look("deliveries", () => checkDeliveries(config, looked, options, ownCell));
  if (looked) await look("audit log", () => checkAudit(config, looked));
  await look("keys", () => checkKeys(config, inspection, isReached));
  const { database } = config;
  if (looked && database && (tables.list || tables.cell)) {
    const { checkCells } = await import("./cells.js");
    const cells = checkCells(config, database, looked, options);
    await look("cell", async () => {
      for await (const found of cells) tell(found);
      return [];
    });
  }
  const { url, botToken, webhook, isSent } = options;
  if (url !== undefined) await look("address", () => checkAddress(url, botToken));
  if (webhook !== undefined)
    await look("webhook", () => checkWebhook(config, webhook, isSent, `Botyard/${VERSION}`));
  await inspection?.close();
  return findings;
}

function mendOfSetting(text: string): string {
  return text.includes("must be given")
    ? "set it, to the same for all instances"
    : "change or remove the setting";
}

/** Advice by the error messages of the system and of PostgreSQL. */
const MENDS: readonly [RegExp, string][] = [
  [/ECONNREFUSED/, "start the server there, or correct host and port"],
  [/ENOTFOUND|EAI_AGAIN/, "correct the host, or look at the DNS of this machine"],
  [/ETIMEDOUT|timeout|timed out/i, "look at the host and the port, and at the firewall in between"],
  [/password authentication|role ".*" does not exist/, "correct user and password"],
  [/database ".*" does not exist/, "create that database (createdb), or correct its name"],
];

function mendOf(message: string): string {
  const [, mend] = MENDS.find(([pattern]) => pattern.test(message)) ?? [];
  return mend ?? "mend that, and run botyard doctor again";
}
