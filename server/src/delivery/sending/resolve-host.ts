import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";

/** Every address of a name. Rejects with an error whose `code` says why there is none. */
export type ResolveHost = (host: string) => Promise<LookupAddress[]>;

/** For each query to a DNS server, and the number of queries; the second may take longer than the first. */
const QUERY_TIMEOUT_MS = 1_500;
const QUERY_TRIES = 2;

/**
 * Resolves names as the system does, /etc/hosts included; or, with `servers`, only by asking these DNS servers. A look-up of
 * the system occupies one of the few threads of libuv's pool until its resolver gives up; asking servers takes none.
 *
 * @param servers addresses, each with or without a port
 */
export function createResolver(servers?: readonly string[]): ResolveHost {
  return shareLookups(servers ? askServers(servers) : (host) => lookup(host, { all: true }));
}

function askServers(servers: readonly string[]): ResolveHost {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  resolver.setServers(servers);
  return async (host) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = [...addressesOf(v4, 4), ...addressesOf(v6, 6)];
    if (found.length > 0) return found;
    throw worstOf([v4, v6]);
  };
}

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === "fulfilled" ? answer.value.map((address) => ({ address, family })) : [];
}

/** "No such address" is certain only when both queries were answered. */
function worstOf(answers: PromiseSettledResult<unknown>[]): Error {
  const codes = answers.flatMap((answer) =>
    answer.status === "rejected" ? [(answer.reason as NodeJS.ErrnoException).code] : [],
  );
  const isAnswered = codes.every((code) => code === "ENOTFOUND" || code === "ENODATA");
  return Object.assign(new Error("the name cannot be resolved"), {
    code: isAnswered ? "ENOTFOUND" : "EAI_AGAIN",
  });
}

/** Shares one look-up between all connections that wait for the same name. */
function shareLookups(resolve: ResolveHost): ResolveHost {
  const underWay = new Map<string, Promise<LookupAddress[]>>();
  return (host) => {
    const known = underWay.get(host);
    if (known) return known;
    const found = resolve(host).finally(() => underWay.delete(host));
    underWay.set(host, found);
    return found;
  };
}
