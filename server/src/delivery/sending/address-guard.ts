import type { LookupAddress, LookupOptions } from "node:dns";
import { buildConnector } from "undici";
import { mayReachAddress, refusalOfHost, type WebhookReach } from "../../domain/delivery/webhook-reach.js";
import type { ResolveHost } from "./resolve-host.js";

type Connector = buildConnector.connector;

/** The receiver's host is, or resolves to, an address that webhooks may not go to. */
class AddressNotAllowed extends Error {
  override readonly name = "AddressNotAllowed";
  readonly code = "ADDRESS_NOT_ALLOWED";
}

/** The receiver's host is not one of those that webhooks may go to. */
class HostNotAllowed extends Error {
  override readonly name = "HostNotAllowed";
  readonly code = "HOST_NOT_ALLOWED";
}

export interface ConnectorOptions {
  reach: WebhookReach;
  resolve: ResolveHost;
  /** For resolving the name, the connection and the TLS handshake together. */
  timeoutMs: number;
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * A connector for undici that dials only addresses it has checked. The check happens for every connection, on the
 * addresses that the socket is given, which defeats DNS rebinding. TLS still verifies against the name.
 */
export function createConnector({ reach, resolve, timeoutMs }: ConnectorOptions): Connector {
  const checkedLookup = (host: string, options: LookupOptions, answer: LookupCallback): void => {
    resolve(host).then(
      (addresses) => answerLookup(reach, host, addresses, options, answer),
      (error: unknown) => answer(error as Error, []),
    );
  };
  return guardHosts(reach, buildConnector({ timeout: timeoutMs, lookup: checkedLookup }));
}

/**
 * Refuses hosts that are not allowed as they are written. A socket never looks up an IP literal, so literals are checked
 * only here.
 */
export function guardHosts(reach: WebhookReach, connect: Connector): Connector {
  return (options, callback) => {
    const refusal = refusalOfHost(reach, options.hostname);
    if (!refusal) return connect(options, callback);
    const error = refusal === "host" ? new HostNotAllowed() : new AddressNotAllowed();
    // Asynchronously, as every other connection error: undici is in the middle of a dispatch now.
    process.nextTick(callback, error, null);
  };
}

/** One address that is not allowed refuses the name: the socket may use any of them. */
function answerLookup(
  reach: WebhookReach,
  host: string,
  addresses: LookupAddress[],
  options: LookupOptions,
  answer: LookupCallback,
): void {
  const [first] = addresses;
  if (!first || !addresses.every(({ address }) => mayReachAddress(reach, address))) {
    answer(new AddressNotAllowed(host), []);
  } else if (options.all) {
    answer(null, addresses);
  } else {
    answer(null, first.address, first.family);
  }
}
