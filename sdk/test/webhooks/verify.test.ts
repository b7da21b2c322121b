import { VerificationError, type VerifyOptions, verifySignature, verifyWebhook } from "@botyard/sdk";
import { signWebhook } from "@botyard/sdk/testing";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { loadOnEdge } from "../support/edge.js";
import { type Vector, vectors } from "../support/vectors.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The result of a receiver for a vector: `genuine`, or the reason of the refusal. */
async function judge(
  verify: typeof verifyWebhook | typeof verifySignature,
  { secrets, headers, body, now_seconds }: Vector,
  how: How,
) {
  vi.setSystemTime(now_seconds * 1000);
  const options = { secret: secrets, headers: how.headers(headers), rawBody: how.body(body) };
  return await (verify(options) as Promise<unknown>).then(
    (update) => {
      if (update !== undefined) expect(update).toEqual(JSON.parse(body));
      return "genuine";
    },
    (error: VerificationError) => error.reason ?? error,
  );
}

interface How {
  headers(headers: Record<string, string>): VerifyOptions["headers"];
  body(body: string): VerifyOptions["rawBody"];
}

const bytes = (text: string) => new TextEncoder().encode(text);
const ways: [string, How][] = [
  ["an object and text", { headers: (headers) => headers, body: (body) => body }],
  ["the fetch standard and bytes", { headers: (headers) => new Headers(headers), body: bytes }],
  [
    "arrays and an ArrayBuffer",
    {
      headers: (headers) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
      body: (body) => bytes(body).slice().buffer,
    },
  ],
  ["lower case and a Buffer", { headers: lowerCased, body: (body) => Buffer.from(body) }],
];

describe.each(ways)("verifyWebhook, given %s,", (_, how) => {
  it.each(vectors)("knows $name", async (vector) => {
    expect(await judge(verifyWebhook, vector, how)).toBe(vector.expect);
  });

  it.each(vectors)("knows $name, also without a look into the body", async (vector) => {
    // Whether the body is an update, it does not say.
    const wanted = vector.expect === "no-update" ? "genuine" : vector.expect;
    expect(await judge(verifySignature, vector, how)).toBe(wanted);
  });
});

describe("verifyWebhook where there is only WebCrypto", () => {
  let sdk: typeof import("@botyard/sdk");
  beforeAll(async () => {
    sdk = await loadOnEdge(() => Date.now());
  });

  it.each(vectors)("knows $name", async (vector) => {
    const [, how] = ways[1] as [string, How];
    expect(await judge(sdk.verifyWebhook, vector, how)).toBe(vector.expect);
    const wanted = vector.expect === "no-update" ? "genuine" : vector.expect;
    expect(await judge(sdk.verifySignature, vector, how)).toBe(wanted);
  });
});

describe("verifyWebhook", () => {
  const body = JSON.stringify({ update_id: 1, event_type: "e", payload: {}, created_at: "" });
  const signed = async (body: string) => ({
    headers: await signWebhook({ secret: "s", body }),
    rawBody: body,
  });
  const genuine = async (): Promise<VerifyOptions> => ({
    secret: "s",
    headers: await signWebhook({ secret: "s", body }),
    rawBody: body,
  });

  it("accepts requests signed by the testing entry, within a custom time window", async () => {
    const options = await genuine();
    expect(await verifyWebhook(options)).toMatchObject({ update_id: 1 });
    expect(await verifySignature({ ...options, ...(await signed("not JSON")) })).toBeUndefined();
    vi.setSystemTime(Date.now() + 20_000);
    await expect(verifyWebhook({ ...options, toleranceSeconds: 10 })).rejects.toThrow(
      /signed 2\d s ago, and 10 s/,
    );
  });

  it("refuses a repeated header", async () => {
    const options = await genuine();
    const headers = { ...lowerCased(options.headers as Record<string, string>) };
    for (const name of Object.keys(headers).filter((name) => name.startsWith("x-"))) {
      const twice = { ...headers, [name]: [headers[name] as string, headers[name] as string] };
      await expect(verifyWebhook({ ...options, headers: twice })).rejects.toMatchObject({
        name: "VerificationError",
        reason: "repeated-header",
      });
    }
  });

  it.each<[string, Partial<Record<keyof VerifyOptions, unknown>>, RegExp]>([
    ["a parsed body", { rawBody: { update_id: 1 } }, /use no JSON parser/],
    ["no body", { rawBody: undefined }, /rawBody must be/],
    ["no secret", { secret: undefined }, /is its variable set/],
    ["an empty secret", { secret: "" }, /is its variable set/],
    ["no secret among several", { secret: [] }, /is its variable set/],
    ["one of several that is not set", { secret: ["s", undefined] }, /is its variable set/],
  ])("throws a TypeError on %s", async (_, change, message) => {
    const verifying = verifyWebhook({ ...(await genuine()), ...change } as VerifyOptions);
    await expect(verifying).rejects.toThrow(TypeError);
    await expect(verifyWebhook({ ...(await genuine()), ...change } as VerifyOptions)).rejects.toThrow(
      message,
    );
  });

  it("explains how to fix each refusal", async () => {
    const options = await genuine();
    await expect(verifyWebhook({ ...options, headers: {} })).rejects.toThrow(
      /has the webhook a secret_token/,
    );
    await expect(verifyWebhook({ ...options, secret: "t" })).rejects.toThrow(/compare it with the webhook's/);
    await expect(verifyWebhook({ ...options, rawBody: `${body} ` })).rejects.toThrow(
      /pass the bytes as received/,
    );
    vi.setSystemTime(Date.now() - 1_000_000);
    await expect(verifyWebhook(options)).rejects.toThrow(/in the future: set the clock/);
    await expect(verifyWebhook(options)).rejects.toBeInstanceOf(VerificationError);
  });
});

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
