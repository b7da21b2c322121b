import { buildConnector, Pool, ProxyAgent } from "undici";
import type { WebhookReach } from "../../domain/webhook-reach.js";
import { createConnector, guardHosts } from "./address-guard.js";
import { createConnections, type Way } from "./connections.js";
import { createResolver } from "./resolve-host.js";

/** As much of an answer is read as lets a polite receiver keep its connection; the rest is cut off with it. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Idle connections are kept for this long, unless the receiver asks for less. */
const KEEP_ALIVE_MS = 4_000;

export interface EgressSettings {
  reach: WebhookReach;
  /** Through which all requests go; nothing but this leads to a proxy, no variable of the environment either. */
  proxyUrl?: string | undefined;
  /** DNS servers to ask instead of the system's resolver. */
  dnsServers?: readonly string[] | undefined;
  timeoutMs: number;
  /**
   * A connection gets no further request after this: it leads where its address was checked, whatever the name says by
   * now, and an owner who has moved a receiver must not wait for the old one to go away.
   */
  maxConnectionAgeMs?: number;
}

const MAX_CONNECTION_AGE_MS = 60_000;

/** The way out to the receivers: kept-alive connections, to addresses that were checked or through the proxy. */
export function createEgress(settings: EgressSettings): Way {
  const { reach, proxyUrl, dnsServers, timeoutMs, maxConnectionAgeMs = MAX_CONNECTION_AGE_MS } = settings;
  const options = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    pipelining: 1,
    maxResponseSize: MAX_ANSWER_BYTES,
    // One deadline rules the exchange, in send-attempt.ts. These would only start further timers.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (proxyUrl)
    return createProxyEgress(proxyUrl, { ...options, clientTtl: maxConnectionAgeMs, reach, timeoutMs });
  const connect = createConnector({ reach, timeoutMs, resolve: createResolver(dnsServers) });
  return createConnections({ ...options, connect, maxAgeMs: maxConnectionAgeMs });
}

/** The proxy itself gave no connection; which receiver was meant plays no part in it. */
class ProxyUnreachable extends Error {
  override readonly name = "ProxyUnreachable";
  readonly code = "PROXY_UNREACHABLE";
}

/**
 * Every receiver is reached through a tunnel (CONNECT). The proxy resolves the names, so what they resolve to is its
 * to check; the hosts as they are written are still checked here.
 */
function createProxyEgress(
  proxyUrl: string,
  { reach, timeoutMs, ...options }: Pool.Options & Pick<EgressSettings, "reach" | "timeoutMs">,
): Way {
  const connectToProxy = buildConnector({ timeout: timeoutMs });
  return new ProxyAgent({
    ...options,
    uri: proxyUrl,
    clientFactory: (origin) =>
      new Pool(origin, {
        headersTimeout: timeoutMs,
        connect: (target, callback) =>
          connectToProxy(target, (error, socket) =>
            error
              ? callback(new ProxyUnreachable("no connection", { cause: error }), null)
              : callback(null, socket),
          ),
      }),
    factory: (origin, given) => {
      const { connect, ...rest } = given as Pool.Options & { connect: buildConnector.connector };
      return new Pool(origin, { ...rest, connect: guardHosts(reach, connect) });
    },
  });
}
