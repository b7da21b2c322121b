import ipaddr from "ipaddr.js";

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
  return parsed.kind() === "ipv4" || !wrapsIpv4(parsed as ipaddr.IPv6);
}

/** `::/96`, the deprecated IPv4-compatible form, which some stacks still route as IPv4. */
function wrapsIpv4(address: ipaddr.IPv6): boolean {
  return address.parts.slice(0, 6).every((part) => part === 0);
}

/** Whether a URL's host is an IP literal (IPv6 in brackets) or a `localhost` name that is not of the public internet. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  return ipaddr.isValid(host) && !isPublicAddress(host);
}
