import ipaddr from "ipaddr.js";

/** The global unicast space of IANA. Other IPv6 addresses are special, wrap another address, or are not assigned. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/**
 * Whether an IP address belongs to the public internet. Only plain unicast does: not loopback, private, link-local, carrier
 * NAT or multicast addresses, nor the ranges that wrap another address (6to4, Teredo, NAT64). An IPv4 address mapped into
 * IPv6 is treated as the IPv4 address.
 *
 * @param address an address in any spelling that `ipaddr.js` reads
 * @returns false also for text that is no address
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(GLOBAL_UNICAST);
}
