import type { Config } from "../config.js";
import { timeOfId } from "../domain/ids.js";
import type { Inspection } from "../store/inspection.js";
import { type Finding, ok, warning, wrong } from "./finding.js";

const CHECK = "audit log";
const DAY_MS = 86_400_000;
/** The upkeep looks once an hour, and may be elsewhere while instances change. */
const LATE_MS = DAY_MS;
/** Clocks of instances differ by a moment. */
const AHEAD_MS = 60_000;

/**
 * Its ids are its order and its times: one of a clock that was ahead stays the newest, and is not removed in time. What is older than the retention
 * tells that nothing removes it.
 */
export async function checkAudit(
  { auditRetentionDays }: Config,
  inspection: Inspection,
  now = Date.now(),
): Promise<Finding[]> {
  const ids = await inspection.auditEnds();
  if (!ids) return [ok(CHECK, "no entry yet")];
  const [oldest, newest] = ids.map((id) => new Date(timeOfId(id))) as [Date, Date];
  if (newest.getTime() > now + AHEAD_MS)
    return [
      warning(
        CHECK,
        `the newest entry is of ${newest.toISOString()}, which is in the future`,
        "the clock of an instance was ahead, or is: set it by NTP",
      ),
    ];
  if (oldest.getTime() < now - auditRetentionDays * DAY_MS - LATE_MS)
    return [
      wrong(
        CHECK,
        `the oldest entry is of ${oldest.toISOString()}, older than AUDIT_RETENTION_DAYS=${auditRetentionDays}`,
        "is a service running? Its log has retention_failed with the reason",
      ),
    ];
  return [ok(CHECK, `from ${oldest.toISOString()} to ${newest.toISOString()}`)];
}
