import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AttemptResult, createSender, type Sender } from "#botyard/delivery/send-attempt.js";
import { type Receiver, startReceiver } from "../support/receiver.js";

describe("the address guard", () => {
  let receiver: Receiver;
  let sender: Sender;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await sender.close();
    await receiver.close();
  });

  function send(host: string, allowPrivate: boolean): Promise<AttemptResult> {
    sender = createSender({ allowPrivate, timeoutMs: 60_000, userAgent: "Botyard/test" });
    const { origin } = new URL(`http://${host}:${receiver.port}`);
    return new Promise((resolve) => sender.send({ origin, path: "/" }, "{}", resolve));
  }

  it.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "017700000001",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "10.0.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "[fd00::1]",
    "[fe80::1]",
    "[64:ff9b::7f00:1]",
  ])("dials no literal that is not public: %s", async (host) => {
    expect(await send(host, false)).toEqual({ accepted: false, error: "address not allowed" });
    expect(receiver.connections()).toBe(0);
  });

  it("dials no name that resolves to such an address", async () => {
    expect(await send("localhost", false)).toEqual({ accepted: false, error: "address not allowed" });
    expect(receiver.connections()).toBe(0);
  });

  it.each(["127.0.0.1", "localhost"])("lets %s through when private addresses are allowed", async (host) => {
    expect(await send(host, true)).toEqual({ accepted: true });
    expect(receiver.requests[0]?.headers.host).toBe(`${host}:${receiver.port}`);
  });

  it("refuses every attempt anew, many at once", async () => {
    sender = createSender({ allowPrivate: false, timeoutMs: 60_000, userAgent: "Botyard/test" });
    const endpoint = { origin: `http://localhost:${receiver.port}`, path: "/" };
    const attempts = Array.from(
      { length: 50 },
      () => new Promise<AttemptResult>((resolve) => sender.send(endpoint, "{}", resolve)),
    );
    const results = await Promise.all(attempts);
    expect(new Set(results.map((result) => (result.accepted ? "" : result.error)))).toEqual(
      new Set(["address not allowed"]),
    );
  });
});
