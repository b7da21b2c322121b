import type { Socket } from "node:net";
import type { Config } from "../config.js";
import { createConnector } from "../delivery/sending/address-guard.js";
import { errorText } from "../delivery/sending/failure-text.js";
import { createResolver } from "../delivery/sending/resolve-host.js";
import { createSender } from "../delivery/sending/send-attempt.js";
import { encodeTestEvent } from "../domain/delivery/webhook.js";
import { refusalOfHost } from "../domain/delivery/webhook-reach.js";
import { type Finding, ok, wrong } from "./finding.js";

/**
 * Whether deliveries can reach a URL, by the rules of deliveries: its name is resolved, its address checked, a connection
 * made, and TLS with it.
 *
 * @param isSent whether a test event is sent over it too, unsigned
 */
export async function checkWebhook(
  { webhooks }: Config,
  text: string,
  isSent: boolean,
  userAgent: string,
): Promise<Finding[]> {
  const check = "webhook";
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    return [wrong(check, `${text} is no http:// or https:// URL`, "give the URL of a webhook")];
  const url = new URL(text);
  const refusal = refusalOfHost(webhooks.reach, url.hostname);
  if (refusal)
    return [
      wrong(
        check,
        `${url.hostname} is no ${refusal} that webhooks may go to`,
        "see WEBHOOK_ALLOW_HOSTS, WEBHOOK_ALLOW_NETWORKS and WEBHOOK_ALLOW_PRIVATE",
      ),
    ];
  const reached = webhooks.proxyUrl
    ? ok(
        check,
        `${url.host} would be reached through the proxy of WEBHOOK_PROXY_URL, which only a request shows (--send)`,
      )
    : await connect(url, webhooks);
  if (!isSent || reached.result !== "ok") return [reached];
  return [reached, await send(url, webhooks, userAgent)];
}

async function connect(url: URL, { reach, dnsServers, timeoutMs }: Config["webhooks"]): Promise<Finding> {
  const check = "webhook";
  const startedAt = performance.now();
  const connector = createConnector({ reach, resolve: createResolver(dnsServers), timeoutMs });
  const isTls = url.protocol === "https:";
  try {
    const socket = await new Promise<Socket>((resolve, reject) => {
      const { hostname, host, protocol } = url;
      const port = url.port || (isTls ? "443" : "80");
      connector({ hostname, host, protocol, port }, (error, made) => (error ? reject(error) : resolve(made)));
    });
    const address = socket.remoteAddress;
    socket.destroy();
    const tookMs = Math.round(performance.now() - startedAt);
    return ok(
      check,
      `${url.host} is reached at ${address} in ${tookMs} ms${isTls ? ", and its certificate holds" : ""}`,
    );
  } catch (error) {
    return wrong(check, `${url.host}: ${errorText(error as Error, timeoutMs)}`, mendOf(error as Error));
  }
}

function mendOf(error: Error & { code?: string }): string {
  switch (error.code) {
    case "ADDRESS_NOT_ALLOWED":
      return "its address is not public: see WEBHOOK_ALLOW_NETWORKS and WEBHOOK_ALLOW_PRIVATE";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "look at the name, and at the DNS of this machine (WEBHOOK_DNS_SERVERS)";
    default:
      return isOfCertificate(error)
        ? "give the receiver a certificate for this name, of an authority that Node knows or that NODE_EXTRA_CA_CERTS names"
        : "look at the receiver, and at the firewall of this machine";
  }
}

/** Recognised by the text, because Node and OpenSSL have a separate code for each fault of a certificate. */
function isOfCertificate(error: Error): boolean {
  return errorText(error, 0).startsWith("TLS certificate");
}

async function send(url: URL, settings: Config["webhooks"], userAgent: string): Promise<Finding> {
  const check = "webhook";
  const sender = createSender({ ...settings, userAgent });
  try {
    const endpoint = { origin: url.origin, path: url.pathname + url.search };
    const result = await new Promise<Parameters<Parameters<typeof sender.send>[2]>[0]>((resolve) =>
      sender.send(endpoint, encodeTestEvent("doctor", "doctor", Date.now()), resolve, { keepsAnswer: true }),
    );
    if (result.accepted) return ok(check, `a test event was accepted with ${result.status}`);
    const answer = result.status === undefined ? "got no answer" : "was refused";
    return wrong(
      check,
      `a test event without a signature ${answer}: ${result.error}`,
      mendOfAnswer(result.status),
    );
  } finally {
    await sender.close();
  }
}

/** What to do about an answer that does not accept, or when there is none. */
function mendOfAnswer(status: number | undefined): string {
  if (status === undefined)
    return "let the receiver answer every request at once, before it works on the update (WEBHOOK_TIMEOUT_MS)";
  if (status >= 300 && status < 400)
    return "redirects are not followed: set the webhook to the URL that it leads to";
  if (status === 400 || status === 401 || status === 403)
    return "a receiver that checks signatures refuses this one rightly: try botyard webhook test, which signs";
  return "look at the receiver, and at the path of the URL";
}
