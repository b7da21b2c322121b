import ipaddr from "ipaddr.js";
import { isPublicAddress } from "./public-address.js";

/** Where webhooks may go. */
export interface WebhookReach {
  /** Whether loopback, private and other non-public addresses are allowed like public ones. */
  allowPrivate: boolean;
  /** Networks whose addresses are allowed even if they are not public, each as `10.1.0.0/16`. */
  networks: readonly string[];
  /** When given, the only hosts: names, `*.example.com` for the names below one, or addresses; lower case. */
  hosts: readonly string[] | undefined;
}

/** Why a webhook may not go somewhere: its host is not listed, or its address is not public. */
export type Refusal = "host" | "address";

/** Whether a connection to an address, from the URL or from a look-up, is allowed. */
export function mayReachAddress(reach: WebhookReach, address: string): boolean {
  return reach.allowPrivate || isPublicAddress(address) || isInNetworks(reach.networks, address);
}

/**
 * Whether a URL's host is refused as it is written. What a name resolves to is checked when connecting.
 *
 * @param hostname as a parsed URL has it: lower case, IPv4 as four decimal numbers, IPv6 with or without brackets
 */
export function refusalOfHost(reach: WebhookReach, hostname: string): Refusal | undefined {
  const host = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (reach.hosts && !isListed(reach.hosts, host)) return "host";
  const isLocalName = host === "localhost" || host.endsWith(".localhost");
  const address = isLocalName ? "127.0.0.1" : host;
  return ipaddr.isValid(address) && !mayReachAddress(reach, address) ? "address" : undefined;
}

function isListed(hosts: readonly string[], host: string): boolean {
  return hosts.some((listed) => (listed.startsWith("*.") ? host.endsWith(listed.slice(1)) : host === listed));
}

function isInNetworks(networks: readonly string[], address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  });
}
