import ipaddr from "ipaddr.js";

/** What IANA has given out as global unicast so far; all other IPv6 is special, wraps another address, or is nobody's. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/**
 * Whether an IP address is one of the public internet. Everything that is not plain unicast is not: loopback, private,
 * link-local, carrier NAT, multicast, and the ranges that only wrap another address (6to4, Teredo, NAT64). An IPv4
 * address mapped into IPv6 counts as the IPv4 address.
 *
 * @param address an address in any spelling that `ipaddr.js` reads
 * @returns false also for what is no address at all
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(GLOBAL_UNICAST);
}
