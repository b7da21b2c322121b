import type { LookupAddress, LookupOptions } from "node:dns";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { buildConnector } from "undici";
import { isPublicAddress } from "../domain/public-address.js";

/** The receiver's host is, or resolves to, an address that is not of the public internet. */
class AddressNotAllowed extends Error {
  override readonly name = "AddressNotAllowed";
  readonly code = "ADDRESS_NOT_ALLOWED";
}

export interface ConnectorOptions {
  /** Whether loopback, private and other non-public addresses may be dialled. */
  allowPrivate: boolean;
  /** For resolving the name, the connection and the TLS handshake together. */
  timeoutMs: number;
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * A connector for undici that dials only addresses it has checked. The check happens on every connection and on the
 * very addresses handed to the socket, so a name that resolves to something else the next time gains nothing. TLS
 * still verifies against the name.
 */
export function createConnector({ allowPrivate, timeoutMs }: ConnectorOptions): buildConnector.connector {
  const resolve = shareLookups();
  const connect = buildConnector({ timeout: timeoutMs, lookup: allowPrivate ? undefined : checkedLookup });

  function checkedLookup(host: string, options: LookupOptions, answer: LookupCallback): void {
    resolve(host).then(
      (addresses) => answerLookup(host, addresses, options, answer),
      (error: unknown) => answer(error as Error, []),
    );
  }

  return (options, callback) => {
    // A socket never looks up an IP literal, so literals are checked here. The refusal comes a tick later, as every
    // other connection error does: undici is in the middle of a dispatch now.
    if (!allowPrivate && isIP(options.hostname) !== 0 && !isPublicAddress(options.hostname)) {
      process.nextTick(callback, new AddressNotAllowed(options.hostname), null);
      return;
    }
    connect(options, callback);
  };
}

/** One address out of bounds spoils the name: which of them the socket would pick is not ours to guess. */
function answerLookup(
  host: string,
  addresses: LookupAddress[],
  options: LookupOptions,
  answer: LookupCallback,
): void {
  const [first] = addresses;
  if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
    answer(new AddressNotAllowed(host), []);
  } else if (options.all) {
    answer(null, addresses);
  } else {
    answer(null, first.address, first.family);
  }
}

/**
 * Looks a name up once for all connections that wait for it. A look-up occupies one of four threads of the process
 * until the resolver gives up, and a window of attempts on one dead name would take them all.
 */
function shareLookups(): (host: string) => Promise<LookupAddress[]> {
  const underWay = new Map<string, Promise<LookupAddress[]>>();
  return (host) => {
    const known = underWay.get(host);
    if (known) return known;
    const found = lookup(host, { all: true }).finally(() => underWay.delete(host));
    underWay.set(host, found);
    return found;
  };
}
