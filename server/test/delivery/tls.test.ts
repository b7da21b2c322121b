import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
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
async function sendTo(urls: string[], trusting = true): Promise<unknown> {
  const trust = trusting ? { NODE_EXTRA_CA_CERTS: fixture("authority.cert.pem") } : {};
  const env = { PATH: process.env["PATH"], ...trust };
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

  it("is refused when nobody knows its authority", async () => {
    const receiver = await aTlsReceiver("good");
    const error = "TLS certificate is from an unknown authority";
    expect(await sendTo([receiver.url], false)).toEqual([{ accepted: false, error }]);
    expect(receiver.requests).toHaveLength(0);
  });
});
