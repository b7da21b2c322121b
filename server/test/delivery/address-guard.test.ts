import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Sender } from "#botyard/delivery/sending/send-attempt.js";
import { type DnsServer, startDnsServer } from "../support/dns-server.js";
import { eventually } from "../support/eventually.js";
import { PRIVATE_URLS, TREACHEROUS_NAMES } from "../support/hostile-urls.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { attempt, makeSender, PUBLIC_ONLY } from "../support/senders.js";

const REFUSED = { accepted: false, error: "address not allowed" };

let receiver: Receiver;
let sender: Sender | undefined;
let dns: DnsServer | undefined;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await sender?.close();
  await dns?.close();
  await receiver.close();
  sender = dns = undefined;
});

const at = (url: string): string => {
  const dialled = new URL(url);
  dialled.port = String(receiver.port);
  return dialled.href;
};

describe("the address guard", () => {
  it("refuses a private address in any spelling", async () => {
    sender = makeSender({ reach: PUBLIC_ONLY });
    expect(new Set(PRIVATE_URLS).size).toBeGreaterThanOrEqual(150);
    for (const url of PRIVATE_URLS) expect(await attempt(sender, at(url)), url).toEqual(REFUSED);
    expect(receiver.connections()).toBe(0);
  });

  it("refuses a name that has any private address", async () => {
    dns = await startDnsServer((name) => TREACHEROUS_NAMES[name] ?? "no such name");
    sender = makeSender({ reach: PUBLIC_ONLY, dnsServers: [dns.address] });
    for (const name of Object.keys(TREACHEROUS_NAMES)) {
      expect(await attempt(sender, at(`http://${name}/`)), name).toEqual(REFUSED);
      expect(dns.questions, name).toContain(name);
    }
    expect(receiver.connections()).toBe(0);
  });

  it("checks the answers of the system's resolver as well", async () => {
    // Whether /etc/hosts is case-insensitive depends on the machine; every system knows localhost.
    sender = makeSender({ reach: { ...PUBLIC_ONLY, hosts: ["localhost"] } });
    expect(await attempt(sender, at("http://localhost/"))).toEqual(REFUSED);
    expect(receiver.connections()).toBe(0);
  });

  it.each(["127.0.0.1", "localhost"])("lets %s through when private addresses are allowed", async (host) => {
    sender = makeSender();
    expect(await attempt(sender, at(`http://${host}/`))).toEqual({ accepted: true });
    expect(receiver.requests[0]?.headers.host).toBe(`${host}:${receiver.port}`);
  });

  it("refuses each of many attempts at once", async () => {
    const strict = makeSender({ reach: PUBLIC_ONLY });
    sender = strict;
    const attempts = Array.from({ length: 50 }, () => attempt(strict, at("http://localhost/")));
    expect(await Promise.all(attempts)).toEqual(attempts.map(() => REFUSED));
  });
});

/** No public address can be dialled here, so one loopback address counts as allowed and others as not. */
const ONE_ALLOWED = { ...PUBLIC_ONLY, networks: ["127.0.0.1/32"] };

describe("networks that are allowed", () => {
  it("are reached by address and by name, and nothing else is", async () => {
    dns = await startDnsServer((name) => (name === "inside.example" ? ["127.0.0.1"] : ["127.0.0.2"]));
    sender = makeSender({ reach: ONE_ALLOWED, dnsServers: [dns.address] });
    expect(await attempt(sender, at("http://127.0.0.1/"))).toEqual({ accepted: true });
    expect(await attempt(sender, at("http://[::ffff:127.0.0.1]/"))).not.toEqual(REFUSED);
    expect(await attempt(sender, at("http://inside.example/"))).toEqual({ accepted: true });
    expect(await attempt(sender, at("http://beside.example/"))).toEqual(REFUSED);
    for (const host of ["127.0.0.2", "10.0.0.1", "[::1]"]) {
      expect(await attempt(sender, at(`http://${host}/`)), host).toEqual(REFUSED);
    }
  });
});

describe("a name whose address changes", () => {
  it("is checked on every connection", async () => {
    let address = "127.0.0.1";
    dns = await startDnsServer(() => [address]);
    sender = makeSender({ reach: ONE_ALLOWED, dnsServers: [dns.address] });
    receiver.answerWith((response) => response.setHeader("connection", "close").end());
    for (const [next, result] of [
      ["127.0.0.1", { accepted: true }],
      ["169.254.169.254", REFUSED],
      ["127.0.0.1", { accepted: true }],
      ["127.0.0.2", REFUSED],
      ["::1", REFUSED],
    ] as const) {
      address = next;
      expect(await attempt(sender, at("http://rebinding.example/")), next).toEqual(result);
    }
    expect(receiver.connections()).toBe(2);
  });

  it("with each look-up is refused as well: the address that is dialled was checked", async () => {
    let questions = 0;
    dns = await startDnsServer(() => [questions++ % 2 === 0 ? "127.0.0.1" : "127.0.0.2"]);
    sender = makeSender({ reach: ONE_ALLOWED, dnsServers: [dns.address] });
    for (let count = 0; count < 20; count++) {
      const result = await attempt(sender, at(`http://name-${count}.example/`));
      expect([{ accepted: true }, REFUSED]).toContainEqual(result);
    }
    expect(receiver.requests.length).toBe(receiver.connections());
  });

  it("keeps the connection that was checked, and is checked again for the next one", async () => {
    let address = "127.0.0.1";
    dns = await startDnsServer(() => [address]);
    sender = makeSender({ reach: ONE_ALLOWED, dnsServers: [dns.address] });
    expect(await attempt(sender, at("http://rebinding.example/"))).toEqual({ accepted: true });
    address = "127.0.0.2";
    // The same connection, and so the same machine as before: nothing that the new answer names was dialled.
    receiver.answerWith((response) => response.setHeader("connection", "close").end());
    expect(await attempt(sender, at("http://rebinding.example/"))).toEqual({ accepted: true });
    expect(receiver.connections()).toBe(1);
    expect(await attempt(sender, at("http://rebinding.example/"))).toEqual(REFUSED);
    expect(receiver.connections()).toBe(1);
  });

  it("is checked again after a while, even on a busy connection", async () => {
    let address = "127.0.0.1";
    dns = await startDnsServer(() => [address]);
    const busy = makeSender({ reach: ONE_ALLOWED, dnsServers: [dns.address], maxConnectionAgeMs: 200 });
    sender = busy;
    expect(await attempt(busy, at("http://rebinding.example/"))).toEqual({ accepted: true });
    address = "127.0.0.2";
    await eventually("the old connection is given up", async () => {
      const result = await attempt(busy, at("http://rebinding.example/"));
      return !result.accepted && result.error === REFUSED.error;
    });
    expect(receiver.connections()).toBe(1);
  });
});

describe("a DNS server", () => {
  it.each([
    ["no such name", "host not found"],
    [[], "host not found"],
    ["server failure", "host look-up failed"],
    ["silence", "host look-up failed"],
  ] as const)("that answers %j ends the attempt in words", async (answer, error) => {
    dns = await startDnsServer(() => answer);
    sender = makeSender({ reach: ONE_ALLOWED, dnsServers: [dns.address] });
    expect(await attempt(sender, at("http://some.example/"))).toEqual({ accepted: false, error });
  });

  it("gets one query for all attempts that wait for the same name", async () => {
    dns = await startDnsServer(() => ["127.0.0.1"]);
    const patient = makeSender({ reach: ONE_ALLOWED, dnsServers: [dns.address] });
    sender = patient;
    await Promise.all(Array.from({ length: 16 }, () => attempt(patient, at("http://some.example/"))));
    expect(dns.questions).toEqual(["some.example", "some.example"]);
  });
});
