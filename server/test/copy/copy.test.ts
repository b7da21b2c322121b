import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSecretBox, type SecretBox } from "#botyard/domain/secret-box.js";
import type { Store } from "#botyard/store/store.js";
import { copyHome } from "../support/copying.js";
import { createHomeOn, type StoreHome } from "../support/engines.js";
import { type Filled, fillStore, SECRET } from "../support/filled-store.js";
import { contentsOf } from "../support/store-contents.js";
import { attach, claim, makeBot, makeChannel, NOW, OWNER, publish } from "../support/store-fixtures.js";

describe.each([
  { from: "sqlite", to: "postgres" },
  { from: "postgres", to: "sqlite" },
] as const)("a copy from $from to $to", ({ from, to }) => {
  let source: StoreHome;
  let target: StoreHome;
  let filled: Filled;
  let before: object;
  let after: SecretBox;
  let store: Store;

  beforeEach(async () => {
    source = await createHomeOn(from);
    target = await createHomeOn(to);
    const original = await source.open();
    filled = await fillStore(original);
    before = await contentsOf(original, filled, filled.secretBox);
    await original.close();
    after = createSecretBox([randomBytes(32)]);
    await copyHome(source, target, { secrets: { source: filled.secretBox, target: after } });
    store = await target.open();
  });
  afterEach(async () => {
    await store.close();
    await source.remove();
    await target.remove();
  });

  it("answers every question as the original does", async () => {
    expect(await contentsOf(store, filled, after)).toEqual(before);
    const secrets = JSON.stringify(before);
    expect(secrets).toContain(SECRET);
    for (const state of ["pending", "scheduled", "delivered", "failed"]) {
      expect(secrets).toContain(`"state":"${state}"`);
    }
  });

  it("leaves the original as it was", async () => {
    const original = await source.open();
    expect(await contentsOf(original, filled, filled.secretBox)).toEqual(before);
    await original.close();
  });

  it("numbers go on where they were", async () => {
    await publish(store, filled.polling.channelId, 2);
    const updates = await store.readUpdates(filled.busy.botId, 9, 10);
    expect(updates.map(({ updateId }) => updateId)).toEqual([10, 11]);
    expect(await store.readStats(filled.busy.ref)).toMatchObject({ total: 11, pending: 7 });
    const [newest] = (await store.listPosts(filled.polling.channelId, 1)) ?? [];
    expect(newest?.body).toMatch(/^post [01]$/);
  });

  it("due lanes are claimed, and resting ones after their rest", async () => {
    const lanes = await claim(store, NOW + 1000);
    expect(lanes.map(({ botId }) => botId)).toEqual([filled.busy.botId]);
    expect(lanes[0]?.updates.map(({ updateId }) => updateId)).toEqual([2, 6, 7, 8, 9]);
    const later = await claim(store, NOW + 60_000);
    expect(later.map(({ botId }) => botId)).toEqual([filled.failing.botId]);
    expect(later[0]?.health).toMatchObject({ window: 1, failingUpdates: 3, failedProbes: 2 });
  });

  it("failures can be replayed, and disabled and paused bots resumed", async () => {
    expect(await store.replayFailed(filled.busy.ref, 100, NOW)).toBe(2);
    expect(await store.readStats(filled.busy.ref)).toMatchObject({ scheduled: 0, failed: 0, delivered: 2 });
    await store.setBotDisabled(filled.disabled.ref, false, NOW);
    await store.setWebhookPaused(filled.disabled.ref, false, NOW);
    expect((await claim(store, NOW)).map(({ botId }) => botId)).toContain(filled.disabled.botId);
  });

  /** The deleted bot had the highest key: a bot that got it again would inherit what is left of its log. */
  it("assigned keys are not assigned again", async () => {
    const ref = await makeBot(store);
    const channelId = await makeChannel(store);
    await attach(store, ref, channelId);
    await publish(store, channelId, 3);
    while (await store.expireUpdates(0, 100));
    const updates = await store.readUpdates(ref.botId, 0, 10);
    expect(updates.map(({ updateId }) => updateId)).toEqual([1, 2, 3]);
    expect((await store.listBots(OWNER)).at(-1)?.id).toBe(ref.botId);
  });
});

it.each(["sqlite", "postgres"] as const)(
  "a copy from one %s to another loses nothing either",
  async (name) => {
    const source = await createHomeOn(name);
    const target = await createHomeOn(name);
    const original = await source.open();
    const filled = await fillStore(original);
    const before = await contentsOf(original, filled, filled.secretBox);
    await original.close();
    await copyHome(source, target, { secrets: { source: filled.secretBox, target: filled.secretBox } });
    const store = await target.open();
    expect(await contentsOf(store, filled, filled.secretBox)).toEqual(before);
    await store.close();
    await source.remove();
    await target.remove();
  },
);
