import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { unusable } from "./environment.js";
import { listed } from "./listed.js";

/** The peers whose `X-Forwarded-For` is trusted: addresses and networks; none when the variable is not set. */
export function trustedProxies(text: string | undefined): readonly string[] {
  const proxies = listed(text ?? "");
  if (
    text !== undefined &&
    !(proxies.length > 0 && proxies.every((proxy) => isAddress(proxy) || isNetwork(proxy)))
  ) {
    throw unusable("TRUSTED_PROXIES", text);
  }
  return Object.freeze(proxies);
}

function isAddress(text: string): boolean {
  return isIP(text) !== 0;
}

/** With a network of all addresses, every client could choose its own. */
function isNetwork(text: string): boolean {
  return ipaddr.isValidCIDR(text) && ipaddr.parseCIDR(text)[1] > 0;
}
