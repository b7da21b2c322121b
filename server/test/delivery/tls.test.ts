import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { startProxy } from "../support/proxy.js";
import { type Receiver, startReceiver } from "../support/receiver.js";

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
const script = fileURLToPath(new URL("send-over-tls.mjs", import.meta.url));
const receivers: Receiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function aTlsReceiver(certificate: string): Promise<Receiver> {
  const receiver = await startReceiver(undefined, {
    key: readFileSync(fixture(`${certificate}.key.pem`), "utf8"),
    cert: readFileSync(fixture(`${certificate}.cert.pem`), "utf8"),
  });
  receivers.push(receiver);
  return receiver;
}

/** @param trusting whether the sending process trusts the authority of the fixtures */
async function sendTo(urls: string[], trusting = true, proxyUrl?: string): Promise<unknown> {
  const trust = trusting ? { NODE_EXTRA_CA_CERTS: fixture("authority.cert.pem") } : {};
  const env = { PATH: process.env["PATH"], ...trust, ...(proxyUrl ? { PROXY_URL: proxyUrl } : {}) };
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...urls], { env });
  return JSON.parse(stdout);
}

describe("a receiver with TLS", () => {
  it("is accepted by its address and by its name, whose certificate is checked", async () => {
    const receiver = await aTlsReceiver("good");
    const urls = [receiver.url, `https://localhost:${receiver.port}/hook`];
    expect(await sendTo(urls)).toEqual([{ accepted: true }, { accepted: true }]);
    expect(receiver.requests).toHaveLength(2);
  });

  it.each([
    ["expired", "TLS certificate has expired"],
    ["not-yet-valid", "TLS certificate is not valid yet"],
    ["wrong-name", "TLS certificate is not for this host"],
    ["self-signed", "TLS certificate is self-signed"],
  ])("is refused with a certificate that is %s", async (certificate, error) => {
    const receiver = await aTlsReceiver(certificate);
    expect(await sendTo([receiver.url])).toEqual([{ accepted: false, error }]);
    expect(receiver.requests).toHaveLength(0);
  });

  it.each([
    ["good", { accepted: true }],
    ["wrong-name", { accepted: false, error: "TLS certificate is not for this host" }],
    ["expired", { accepted: false, error: "TLS certificate has expired" }],
  ])("is checked through a proxy as well, inside the tunnel: %s", async (certificate, result) => {
    const receiver = await aTlsReceiver(certificate);
    const proxy = await startProxy(receiver.port);
    const proxyUrl = `http://127.0.0.1:${proxy.server.port}`;
    expect(await sendTo([`https://localhost:${receiver.port}/hook`], true, proxyUrl)).toEqual([result]);
    expect(proxy.heads.join("")).toMatch(new RegExp(`^CONNECT localhost:${receiver.port} HTTP`));
    expect(proxy.heads.join("")).not.toContain("/hook");
    await proxy.server.close();
  });

  it("is refused when its authority is unknown", async () => {
    const receiver = await aTlsReceiver("good");
    const error = "TLS certificate is from an unknown authority";
    expect(await sendTo([receiver.url], false)).toEqual([{ accepted: false, error }]);
    expect(receiver.requests).toHaveLength(0);
  });
});
