import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Sender } from "#botyard/delivery/sending/send-attempt.js";
import { eventually } from "../support/eventually.js";
import { PRIVATE_URLS } from "../support/hostile-urls.js";
import { type Proxy, startProxy } from "../support/proxy.js";
import { type Receiver, refuse, startReceiver } from "../support/receiver.js";
import { attempt, makeSender, PUBLIC_ONLY } from "../support/senders.js";

let receiver: Receiver;
let sender: Sender | undefined;
let proxy: Proxy | undefined;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await sender?.close();
  await proxy?.server.close();
  await receiver.close();
  sender = proxy = undefined;
});

describe("an egress proxy", () => {
  it("carries every request, by name, with the credentials of its URL", async () => {
    proxy = await startProxy(receiver.port);
    const proxyUrl = `http://me:p%40ss@127.0.0.1:${proxy.server.port}`;
    sender = makeSender({ reach: PUBLIC_ONLY, proxyUrl });
    expect(await attempt(sender, "http://hooks.example.com/updates?x=1")).toEqual({ accepted: true });
    expect(await attempt(sender, "http://hooks.example.com/updates?x=1")).toEqual({ accepted: true });
    const [head = "", ...others] = proxy.heads;
    expect(others).toEqual([]);
    expect(head).toMatch(/^CONNECT hooks\.example\.com:80 HTTP\/1\.1\r\n/);
    expect(head).toContain(`proxy-authorization: Basic ${Buffer.from("me:p@ss").toString("base64")}`);
    expect(receiver.requests[0]).toMatchObject({ method: "POST", path: "/updates?x=1", body: "{}" });
    expect(receiver.requests[0]?.headers).toMatchObject({
      host: "hooks.example.com",
      "user-agent": "Botyard/test",
    });
    expect(receiver.requests[0]?.headers["proxy-authorization"]).toBeUndefined();
  });

  it("is never asked for a host that is a private address", async () => {
    proxy = await startProxy(receiver.port);
    sender = makeSender({ reach: PUBLIC_ONLY, proxyUrl: `http://127.0.0.1:${proxy.server.port}` });
    for (const url of PRIVATE_URLS) {
      expect(await attempt(sender, url), url).toEqual({ accepted: false, error: "address not allowed" });
    }
    expect(proxy.heads).toEqual([]);
  });

  it("that refuses is named in the error", async () => {
    proxy = await startProxy(receiver.port, "403 Forbidden");
    sender = makeSender({ proxyUrl: `http://127.0.0.1:${proxy.server.port}` });
    const error = "egress proxy answered 403";
    expect(await attempt(sender, "http://hooks.example.com/")).toEqual({ accepted: false, error });
  });

  it("that cannot be reached is named in the error, and nothing is sent without it", async () => {
    proxy = await startProxy(receiver.port);
    const { port } = proxy.server;
    await proxy.server.close();
    sender = makeSender({ proxyUrl: `http://127.0.0.1:${port}` });
    const error = "egress proxy cannot be reached";
    expect(await attempt(sender, `http://127.0.0.1:${receiver.port}/`)).toEqual({ accepted: false, error });
    expect(receiver.connections()).toBe(0);
  });

  it("that never answers takes no longer than the deadline", async () => {
    proxy = await startProxy(receiver.port, "");
    sender = makeSender({ proxyUrl: `http://127.0.0.1:${proxy.server.port}`, timeoutMs: 300 });
    const error = "timed out after 300 ms";
    expect(await attempt(sender, "http://hooks.example.com/")).toEqual({ accepted: false, error });
    await eventually("the connection to the proxy is given up", () => proxy?.server.open() === 0);
  });

  it("in an environment variable is not used", async () => {
    proxy = await startProxy(receiver.port);
    const url = `http://127.0.0.1:${proxy.server.port}`;
    const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    const proxies = Object.fromEntries(names.map((name) => [name, url]));
    const script = fileURLToPath(new URL("send-over-tls.mjs", import.meta.url));
    const env = { PATH: process.env["PATH"], NODE_USE_ENV_PROXY: "1", ...proxies };
    const { stdout } = await promisify(execFile)(process.execPath, [script, receiver.url], { env });
    expect(JSON.parse(stdout)).toEqual([{ accepted: true }]);
    expect(proxy.heads).toEqual([]);
  });
});

describe("hosts that are listed", () => {
  it("are the only ones, and must have allowed addresses as well", async () => {
    const listed = {
      ...PUBLIC_ONLY,
      hosts: ["localhost", "127.0.0.1", "*.example.com"],
      networks: ["127.0.0.1/32"],
    };
    sender = makeSender({ reach: listed });
    expect(await attempt(sender, receiver.url)).toEqual({ accepted: true });
    for (const host of [
      "example.com",
      "evilexample.com",
      "example.com.evil.test",
      "127.0.0.2",
      "[::ffff:127.0.0.1]",
    ]) {
      const result = await attempt(sender, `http://${host}/`);
      expect(result, host).toEqual({ accepted: false, error: "host not allowed" });
    }
  });
});

describe("a redirect", () => {
  it.each([301, 302, 303, 307, 308])("with %i is a failed attempt and is not followed", async (status) => {
    const elsewhere = await startReceiver();
    receiver.answerWith(refuse(status, { location: elsewhere.url }));
    sender = makeSender();
    const result = await attempt(sender, receiver.url);
    expect(result).toMatchObject({ accepted: false, error: expect.stringContaining(String(status)) });
    expect(elsewhere.connections()).toBe(0);
    await elsewhere.close();
  });
});
