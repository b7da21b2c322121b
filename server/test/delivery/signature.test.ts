import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { signingHeaders } from "#botyard/delivery/sending/signature.js";

const [TIMESTAMP, SECRET] = ["x-service-bot-api-timestamp", "x-service-bot-api-secret-token"] as const;
const vectors: { name: string; headers: Record<string, string>; body: string; expect: string }[] = JSON.parse(
  readFileSync(new URL("../../../sdk/test/vectors/signatures.json", import.meta.url), "utf8"),
);
const NOW = Date.UTC(2026, 0, 15, 12) + 999;
const BODY =
  '{"update_id":7,"event_type":"channel.post_created","payload":{"body":"Zoë says 👋","channel_id":"c1","post_id":"p1"},"created_at":"2026-01-15T12:00:00.000Z"}';

describe("the signing headers", () => {
  // Digests made with Python's hmac module and `openssl dgst -sha256 -hmac`, over "1768478400.<body>".
  it.each([
    {
      secret: "s3cret-Token!",
      body: BODY,
      hex: "71197ed4cda9aa1b91b015736d24c7e747705e0c4e5e5dfcac6d8550fe9fc59a",
    },
    {
      secret: "~".repeat(256),
      body: BODY,
      hex: "b4c5dc8649be058777b1801c684d27a56f45ca0ae518caf9ffb488ead3bf2eec",
    },
    { secret: "k", body: "{}", hex: "4beb86b941b6d10aec25321eaf9369ffab363570c8173e5093bde696717c4524" },
  ])("carry the secret and the digest $hex", ({ secret, body, hex }) => {
    expect(signingHeaders(body, secret, NOW)).toEqual([
      "X-Service-Bot-Api-Timestamp",
      "1768478400",
      "X-Service-Bot-Api-Secret-Token",
      secret,
      "X-Service-Bot-Api-Signature",
      `sha256=${hex}`,
    ]);
  });

  // The test vectors of receivers; the service would send each genuine one.
  it.each(vectors.filter(({ expect }) => expect === "genuine"))("fit the test vector: $name", (vector) => {
    const sent = Object.entries(vector.headers).map(([name, value]) => [name.toLowerCase(), value]);
    const { [TIMESTAMP]: timestamp, [SECRET]: secret } = Object.fromEntries(sent);
    const headers = signingHeaders(vector.body, secret, Number(timestamp) * 1000);
    const names = headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    const made = names.map((name, index) => [name, headers[index * 2 + 1]]);
    expect(Object.fromEntries(made)).toEqual(Object.fromEntries(sent));
  });

  it("carry only the timestamp when there is no secret", () => {
    expect(signingHeaders(BODY, undefined, NOW)).toEqual(["X-Service-Bot-Api-Timestamp", "1768478400"]);
  });
});
