import { slipsBetween } from "../domain/similar-names.js";
import { ConfigError } from "./config-error.js";

/** Shorter names of ours, HOST and PORT, resemble too many others. */
const MIN_NAME_CHARS = 8;
/** Two slips are certain to be slips in long names only: `DATABASE_SSL` is no misspelt `DATABASE_URL`. */
const TWO_SLIPS_FROM_CHARS = 16;
/** What Kubernetes sets for each service of the namespace, and Docker for each link. */
const OF_A_SERVICE = /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/;
const ADDRESS_OF_A_SERVICE = /^(tcp|udp|sctp):\/\//;
/** Words for a setting that are no slips of the pen. */
const MEANT: Readonly<Record<string, string>> = { DELIVERY: "DELIVERIES" };
/** Everyday names of other programs that resemble ours. */
const OF_OTHERS = new Set(["LOGLEVEL", "LOG_LEVELS", "LOGFORMAT", "DATADIR", "DATA_DIRS"]);

/**
 * Refuses a variable that is almost certainly one of ours, misspelt: it would be ignored, and the default used instead. A name
 * that is set as well is not meant by another one.
 *
 * @param known the names of all settings
 * @throws ConfigError with the name that was meant
 */
export function refuseMisspelt(env: Record<string, string | undefined>, known: readonly string[]): void {
  const names = new Set(known);
  for (const [name, value] of Object.entries(env)) {
    if (!value || names.has(name) || isOfOthers(name, value)) continue;
    const meant = known.find(
      (other) => env[other] === undefined && (MEANT[name] === other || isSlip(name, other)),
    );
    if (meant !== undefined)
      throw new ConfigError(
        `${name} is not a setting; did you mean ${meant}? (If it is another program's, set ${meant} too: empty for its default.)`,
      );
  }
}

function isOfOthers(name: string, value: string): boolean {
  return OF_OTHERS.has(name) || OF_A_SERVICE.test(name) || ADDRESS_OF_A_SERVICE.test(value);
}

/** Numbers are not typed by mistake: `DATABASE_URL_2` is another database. */
function isSlip(name: string, ours: string): boolean {
  const { length } = ours;
  if (length < MIN_NAME_CHARS || Math.abs(length - name.length) > 2 || /\d/.test(name)) return false;
  const most = length < TWO_SLIPS_FROM_CHARS ? 1 : 2;
  return slipsBetween(name, ours, most) <= most;
}
