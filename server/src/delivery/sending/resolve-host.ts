import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";

/** Every address of a name. Rejects with an error whose `code` says why there is none. */
export type ResolveHost = (host: string) => Promise<LookupAddress[]>;

/** A DNS server is given this long, and asked this often; a retry waits longer than the try before. */
const QUERY_TIMEOUT_MS = 1_500;
const QUERY_TRIES = 2;

/**
 * Resolves names as the system does, /etc/hosts included; or, with `servers`, by asking these DNS servers and nothing
 * else. The latter takes none of the few threads of the process, each of which a look-up of the system occupies until
 * its resolver gives up.
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

/** That a name has no address of a kind says less than that the question could not be answered. */
function worstOf(answers: PromiseSettledResult<unknown>[]): Error {
  const codes = answers.flatMap((answer) =>
    answer.status === "rejected" ? [(answer.reason as NodeJS.ErrnoException).code] : [],
  );
  const isAnswered = codes.every((code) => code === "ENOTFOUND" || code === "ENODATA");
  return Object.assign(new Error("the name cannot be resolved"), {
    code: isAnswered ? "ENOTFOUND" : "EAI_AGAIN",
  });
}

/** Looks a name up once for all connections that wait for it: a window of attempts on one dead name is one question. */
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
