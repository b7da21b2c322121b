import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSecretBox } from "#botyard/domain/secret-box.js";
import type { Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { makeBot, NOW } from "../support/store-fixtures.js";

describe(`keys that a database on ${engine.name} was used with`, () => {
  let home: StoreHome;
  let store: Store;

  beforeEach(async () => {
    home = await engine.createHome();
    store = await home.open();
  });
  afterEach(async () => {
    await store.close();
    await home.remove();
  });

  it("are found one after the other, however many secrets each has sealed", async () => {
    const boxes = [createSecretBox([randomBytes(32)]), createSecretBox([randomBytes(32)])];
    expect(await store.nextSealingKey("")).toBeUndefined();
    for (const box of [...boxes, ...boxes, undefined]) {
      const ref = await makeBot(store);
      const sealedSecret = box?.seal("secret", ref.botId) ?? null;
      await store.putWebhook(ref, { url: "https://example.com/", sealedSecret }, NOW);
    }
    const [first = "", second = ""] = boxes.flatMap(({ keyIds }) => keyIds).sort();
    expect(await store.nextSealingKey("")).toBe(first);
    expect(await store.nextSealingKey(first)).toBe(second);
    expect(await store.nextSealingKey(second)).toBeUndefined();
  });

  it("are remembered by the names of their files", async () => {
    expect(await store.hasKeyFile("owner-jwt.secret")).toBe(false);
    await store.noteKeyFile("owner-jwt.secret");
    await store.noteKeyFile("owner-jwt.secret");
    expect(await store.hasKeyFile("owner-jwt.secret")).toBe(true);
    expect(await store.hasKeyFile("secret.key")).toBe(false);
  });
});
