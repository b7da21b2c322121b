import { buildConnector, Pool, ProxyAgent } from "undici";
import type { WebhookReach } from "../../domain/delivery/webhook-reach.js";
import { createConnector, guardHosts } from "./address-guard.js";
import { limitAnswers } from "./answer-limit.js";
import { createConnections, type HttpClient } from "./connections.js";
import { createResolver } from "./resolve-host.js";

/** An answer that is longer is cut off together with its connection. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Idle connections are kept for this long, unless the receiver asks for less. */
const KEEP_ALIVE_MS = 4_000;

export interface EgressSettings {
  reach: WebhookReach;
  /** The proxy for all requests. Variables such as HTTP_PROXY have no effect. */
  proxyUrl?: string | undefined;
  /** DNS servers to ask instead of the system's resolver. */
  dnsServers?: readonly string[] | undefined;
  timeoutMs: number;
  /**
   * A connection gets no further request after this: it stays with the address that was checked, while the name may
   * resolve to another one by now, as when an owner has moved a receiver.
   */
  maxConnectionAgeMs?: number;
}

const MAX_CONNECTION_AGE_MS = 60_000;

/** The HTTP client for receivers: kept-alive connections, to addresses that were checked or through the proxy. */
export function createEgress(settings: EgressSettings): HttpClient {
  const { reach, proxyUrl, dnsServers, timeoutMs, maxConnectionAgeMs = MAX_CONNECTION_AGE_MS } = settings;
  const options = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    pipelining: 1,
    maxResponseSize: MAX_ANSWER_BYTES,
    // send-attempt.ts has one deadline for the whole exchange. These would only start further timers.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (proxyUrl)
    return createProxyEgress(proxyUrl, { ...options, clientTtl: maxConnectionAgeMs, reach, timeoutMs });
  const connect = createConnector({ reach, timeoutMs, resolve: createResolver(dnsServers) });
  return createConnections({ ...options, connect, maxAgeMs: maxConnectionAgeMs });
}

/** The proxy itself cannot be reached, whichever the receiver. */
class ProxyUnreachable extends Error {
  override readonly name = "ProxyUnreachable";
  readonly code = "PROXY_UNREACHABLE";
}

/**
 * Every receiver is reached through a tunnel (CONNECT). The proxy resolves the names, so it must check the addresses; the
 * hosts as they are written are still checked here.
 */
function createProxyEgress(
  proxyUrl: string,
  { reach, timeoutMs, ...options }: Pool.Options & Pick<EgressSettings, "reach" | "timeoutMs">,
): HttpClient {
  const connectToProxy = buildConnector({ timeout: timeoutMs });
  const agent = new ProxyAgent({
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
      return new Pool(origin, { ...rest, connect: limitAnswers(guardHosts(reach, connect)) });
    },
  });
  return {
    dispatch(request, handler) {
      agent.dispatch(request, handler);
      // Which connection it takes is not known here; the limit of an answer holds all the same.
      return () => 0;
    },
    destroy: () => agent.destroy(),
  };
}
