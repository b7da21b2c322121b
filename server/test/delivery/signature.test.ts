import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
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
    expect(signingHeaders(body, { secret }, NOW)).toEqual([
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
    const headers = signingHeaders(
      vector.body,
      secret === undefined ? {} : { secret },
      Number(timestamp) * 1000,
    );
    const names = headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    const made = names.map((name, index) => [name, headers[index * 2 + 1]]);
    expect(Object.fromEntries(made)).toEqual(Object.fromEntries(sent));
  });

  it("carry only the timestamp when there is no secret", () => {
    expect(signingHeaders(BODY, {}, NOW)).toEqual(["X-Service-Bot-Api-Timestamp", "1768478400"]);
  });

  const headersWith = (secret: string, messageId: string) => {
    const headers = signingHeaders(BODY, { secret }, NOW, messageId);
    return Object.fromEntries(
      headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? ""]] : [])),
    );
  };
  const standard = (bytes: number) => `whsec_${Buffer.alloc(bytes, 0xfb).toString("base64")}`;

  it("carry the signature of Standard Webhooks beside the others", () => {
    const headers = headersWith("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "b_7");
    expect(headers).toMatchObject({
      "X-Service-Bot-Api-Secret-Token": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      "webhook-id": "b_7",
      "webhook-timestamp": "1768478400",
    });
    expect(Object.keys(headers)).toHaveLength(6);
  });

  it.each([24, 25, 26, 32, 63, 64])("fit a secret of %i bytes", (bytes) => {
    const secret = standard(bytes);
    vi.setSystemTime(NOW);
    try {
      expect(new Webhook(secret).verify(BODY, headersWith(secret, "b_7"))).toMatchObject({ update_id: 7 });
      const other = headersWith(secret, "b_8");
      expect(() => new Webhook(standard(30)).verify(BODY, other)).toThrow(/No matching signature/);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    standard(23),
    standard(65),
    standard(24).slice(0, -1),
    standard(25).slice(0, -1),
    standard(24).replace("whsec_", "WHSEC_"),
    `whsec_${"-".repeat(32)}`,
    "whsec_",
  ])("are only those of Botyard with %s", (secret) => {
    expect(Object.keys(headersWith(secret, "b_7"))).toHaveLength(3);
  });
});
