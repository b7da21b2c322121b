import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSecretBox } from "#botyard/domain/secret-box.js";
import { setWebhook } from "#botyard/operations/webhooks/set-webhook.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine, openTwoStores, type TwoStores } from "../support/engines.js";
import { ANYWHERE } from "../support/senders.js";
import { makeAttachedBot } from "../support/store-fixtures.js";

const RULES = { secretBox: createSecretBox([Buffer.alloc(32)]), reach: ANYWHERE };
const CALLS = 60;

describe(`calls that set one webhook at the same time on ${engine.name}`, () => {
  let stores: TwoStores;
  let store: Store;
  /** Of another instance where there can be one. */
  let there: Store;
  let ref: BotRef;
  beforeEach(async () => {
    stores = await openTwoStores();
    ({ here: store, there } = stores);
    ({ ref } = await makeAttachedBot(store));
  });
  afterEach(() => stores.close());

  it("all succeed, each is answered with what it has set, and one of them stands", async () => {
    // Some set the same URL, and so find it set already.
    const urls = Array.from({ length: CALLS }, (_, i) => `https://example.com/${i % 20}`);
    const secrets = urls.map((_, i) => (i % 3 === 0 ? "" : `secret-${i % 2}`));
    const answers = await Promise.all(
      urls.map((url, i) =>
        setWebhook(i % 2 === 0 ? store : there, RULES, ref, { url, secretToken: secrets[i] ?? "" }),
      ),
    );
    expect(answers.map(({ url }) => url)).toEqual(urls);
    expect(answers.map(({ hasSecretToken }) => hasSecretToken)).toEqual(secrets.map(Boolean));
    const last = await store.readWebhook(ref);
    expect(urls).toContain(last?.url);
    const { version } = (await store.readStoredWebhook(ref)) ?? {};
    expect(version).toBeGreaterThan(1);
  });
});
