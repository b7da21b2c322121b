import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { WebhookReach } from "../domain/delivery/webhook-reach.js";
import { unusable } from "./environment.js";
import { listed } from "./listed.js";
import type { Environment } from "./schema.js";

/** Where webhooks may go. */
export function webhookReach(environment: Environment): WebhookReach {
  const networks = networkList(environment.WEBHOOK_ALLOW_NETWORKS);
  return Object.freeze({
    allowPrivate:
      environment.WEBHOOK_ALLOW_PRIVATE ?? (networks.length === 0 && isLoopback(environment.HOST)),
    networks,
    hosts: hostList(environment.WEBHOOK_ALLOW_HOSTS),
  });
}

/** The proxy that webhook requests go through; undefined when it is not set. */
export function proxyUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (URL.canParse(text)) {
    const { pathname, search, hash } = new URL(text);
    if (pathname === "/" && search === "" && hash === "") return text;
  }
  throw unusable("WEBHOOK_PROXY_URL", text);
}

/** The DNS servers to ask; undefined when the system is to be asked. */
export function dnsServers(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const servers = listed(text);
  if (servers.length === 0 || !servers.every(isServer)) throw unusable("WEBHOOK_DNS_SERVERS", text);
  return Object.freeze(servers);
}

function isServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, address = "", port = ""] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(text) ?? [];
  return isIP(address.replace(/^\[|\]$/g, "")) !== 0 && Number(port) >= 1 && Number(port) <= 65_535;
}

function networkList(text: string | undefined): readonly string[] {
  const networks = listed(text ?? "");
  if (
    text !== undefined &&
    !(networks.length > 0 && networks.every((network) => ipaddr.isValidCIDR(network)))
  ) {
    throw unusable("WEBHOOK_ALLOW_NETWORKS", text);
  }
  return Object.freeze(networks);
}

/** Each as a parsed URL spells it: `ü.example` as `xn--tda.example`, `[::0001]` as `::1`. */
function hostList(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const hosts = listed(text).map(hostIn);
  if (hosts.length === 0 || hosts.includes(undefined)) throw unusable("WEBHOOK_ALLOW_HOSTS", text);
  return Object.freeze(hosts as string[]);
}

function hostIn(text: string): string | undefined {
  const [, wildcard = "", name = ""] = /^(\*\.)?([^\s/?#@:*\\]+|\[?[0-9a-f:.]+\]?)$/i.exec(text) ?? [];
  const url = `http://${isIP(name) === 6 ? `[${name}]` : name}/`;
  if (!URL.canParse(url)) return undefined;
  return wildcard + new URL(url).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** Whether only this machine can reach a service that listens on `host`. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
