import { createDecipheriv, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSecretBox, keyId, sealingKeyId } from "#botyard/domain/secret-box.js";

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];

describe("a secret box", () => {
  it.each(["", "s3cret", "~".repeat(256), "żółć 👋"])("opens what it sealed: %o", (secret) => {
    const box = createSecretBox([newKey]);
    expect(box.open(box.seal(secret, "bot-1"), "bot-1")).toBe(secret);
  });

  it("seals the same secret differently each time, without a visible part of it", () => {
    const box = createSecretBox([newKey]);
    const sealed = [box.seal("a-long-secret-token", "bot-1"), box.seal("a-long-secret-token", "bot-1")];
    expect(sealed[0]).not.toBe(sealed[1]);
    for (const text of sealed) {
      expect(text).toMatch(/^[0-9a-f]{8}\.[A-Za-z0-9_-]+$/);
      expect(Buffer.from(text.slice(9), "base64url").toString("latin1")).not.toContain("secret");
    }
  });

  it("is AES-256-GCM with the context as additional data: anyone who has the key can read it", () => {
    const [, text = ""] = createSecretBox([newKey]).seal("s3cret", "bot-1").split(".");
    const bytes = Buffer.from(text, "base64url");
    const decipher = createDecipheriv("aes-256-gcm", newKey, bytes.subarray(0, 12));
    decipher.setAAD(Buffer.from("bot-1")).setAuthTag(bytes.subarray(-16));
    expect(decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8")).toBe(
      "s3cret",
    );
  });

  it("seals with the first key and opens with all", () => {
    const sealedBefore = createSecretBox([oldKey]).seal("s3cret", "bot-1");
    const rotated = createSecretBox([newKey, oldKey]);
    expect(rotated.open(sealedBefore, "bot-1")).toBe("s3cret");
    const sealedAfter = rotated.seal("s3cret", "bot-1");
    expect(createSecretBox([newKey]).open(sealedAfter, "bot-1")).toBe("s3cret");
    expect(() => createSecretBox([oldKey]).open(sealedAfter, "bot-1")).toThrow("SECRET_KEY does not list");
  });

  it("says in what it sealed which key it was", () => {
    expect(sealingKeyId(createSecretBox([newKey, oldKey]).seal("s3cret", "bot-1"))).toBe(keyId(newKey));
  });

  it("opens nothing for another context", () => {
    const box = createSecretBox([newKey]);
    expect(() => box.open(box.seal("s3cret", "bot-1"), "bot-2")).toThrow(Error);
  });

  it("opens nothing that was changed, byte for byte", () => {
    const box = createSecretBox([newKey]);
    const sealed = box.seal("s3cret", "bot-1");
    const bytes = Buffer.from(sealed.slice(9), "base64url");
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => box.open(sealed.slice(0, 9) + changed.toString("base64url"), "bot-1")).toThrow(Error);
    }
  });

  it.each(["", ".", "x", sealedWithout(8), "00000000."])("opens no nonsense: %o", (sealed) => {
    expect(() => createSecretBox([newKey]).open(sealed, "bot-1")).toThrow(Error);
  });

  it("needs keys of 32 bytes, one at least", () => {
    expect(() => createSecretBox([])).toThrow("32 bytes");
    expect(() => createSecretBox([newKey, randomBytes(16)])).toThrow("32 bytes");
  });
});

/** A sealed secret cut off after so many bytes. */
function sealedWithout(bytes: number): string {
  const sealed = createSecretBox([newKey]).seal("s3cret", "bot-1");
  return (
    sealed.slice(0, 9) + Buffer.from(sealed.slice(9), "base64url").subarray(0, bytes).toString("base64url")
  );
}
