import { isLoopback } from "../config/egress.js";
import { MAX_POLL_TIMEOUT_S } from "../domain/limits.js";
import { compareClocks } from "./database.js";
import { type Finding, ok, warning, wrong } from "./finding.js";
import { reason } from "./keys.js";

const TIMEOUT_MS = 10_000;
/** The header `Date` counts whole seconds. */
const DATE_TOLERANCE_MS = 1_000;
/** A poll may end a little late. */
const POLL_SLACK_MS = 10_000;

/**
 * Checks the address at which clients reach the service, through any proxy in front of it.
 *
 * @param url without a slash at its end
 * @param botToken a bot's token; its poll shows whether a proxy in front lets it wait
 */
export async function checkAddress(url: string, botToken: string | undefined): Promise<Finding[]> {
  const check = "address";
  const askedAt = Date.now();
  let response: Response;
  try {
    response = await fetch(`${url}/readyz`, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    return [
      wrong(
        check,
        `${url} cannot be reached: ${reason(error)}`,
        "look at the name, the certificate, the firewall and the proxy in front of the service",
      ),
    ];
  }
  const body = await response.json().catch(() => ({}));
  if (response.status >= 300 && response.status < 400)
    return [
      wrong(
        check,
        `${url} redirects to ${response.headers.get("location")}`,
        "give clients that address, which needs no redirect",
      ),
    ];
  if (response.status === 503)
    return [
      wrong(
        check,
        `${url} answers 503: the service is not ready, or the proxy reaches none`,
        "look at the service's log",
      ),
    ];
  if ((body as { status?: string }).status !== "ready")
    return [
      wrong(
        check,
        `${url}/readyz answers ${response.status}, and not as Botyard does`,
        new URL(url).pathname === "/"
          ? "let the proxy pass all paths to the service"
          : "give the address without the path of a page, or let the proxy pass all paths below it to the service",
      ),
    ];
  const findings = [ok(check, `${url} is ready`)];
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:" && !isLoopback(hostname))
    findings.push(
      warning("address", "tokens travel unencrypted", "put TLS in front of the service, and use https://"),
    );
  const date = Date.parse(response.headers.get("date") ?? "");
  if (!Number.isNaN(date)) {
    const halfway = (askedAt + Date.now()) / 2;
    findings.push(
      compareClocks(
        url,
        date + DATE_TOLERANCE_MS / 2 - halfway,
        DATE_TOLERANCE_MS + (Date.now() - askedAt) / 2,
      ),
    );
  }
  return [...findings, await checkLongPoll(url, botToken)];
}

/** An offset above every log, so the poll waits until its time-out and returns nothing. */
const BEYOND_EVERY_LOG = Number.MAX_SAFE_INTEGER;

async function checkLongPoll(url: string, botToken: string | undefined): Promise<Finding> {
  const check = "long polls";
  if (botToken === undefined)
    return ok(check, "not tried: with a bot's token in BOTYARD_TOKEN one poll of 30 s is made");
  const startedAt = performance.now();
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1);
  const mend = "let the proxy wait longer than 30 s for an answer (docs/operations.md, Behind a proxy)";
  try {
    const response = await fetch(
      `${url}/v1/bot-api/updates?offset=${BEYOND_EVERY_LOG}&timeout=${MAX_POLL_TIMEOUT_S}`,
      {
        headers: { authorization: `Bearer ${botToken}` },
        signal: AbortSignal.timeout(MAX_POLL_TIMEOUT_S * 1000 + POLL_SLACK_MS),
      },
    );
    if (response.status === 200) return ok(check, `one that waited was answered after ${seconds()} s`);
    if (response.status === 401)
      return wrong(check, "the token in BOTYARD_TOKEN is refused", "use the token of a bot that is enabled");
    return wrong(check, `one was answered with ${response.status} after ${seconds()} s`, mend);
  } catch (error) {
    return wrong(check, `one was cut off after ${seconds()} s: ${reason(error)}`, mend);
  }
}
