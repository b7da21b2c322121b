import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import { createSecretBox } from "#botyard/domain/secret-box.js";
import { resealSecrets } from "#botyard/operations/webhooks/reseal-secrets.js";
import type { Store } from "#botyard/store/store.js";
import { ask, makeWorld } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { environmentOf, startServiceProcess } from "../support/program.js";
import { startReceiver } from "../support/receiver.js";
import { makeBot, NOW } from "../support/store-fixtures.js";

const [oldKey, newKey, thirdKey] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const URL_OF_HOOK = "https://example.com/";
let home: StoreHome;
beforeEach(async () => {
  home = await engine.createHome();
});
afterEach(() => home.remove());

const keysOf = (...keys: Buffer[]): { SECRET_KEY: string } => ({
  SECRET_KEY: keys.map((key) => key.toString("base64")).join(","),
});
const rekey = (...keys: Buffer[]) =>
  commandResult(["rekey", "--json"], { DATA_DIR: home.dataDir, ...home.environment, ...keysOf(...keys) });

async function withStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await home.open();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Bots of which every third has no secret. */
async function fill(count: number, key: Buffer): Promise<void> {
  const box = createSecretBox([key]);
  await withStore(async (store) => {
    for (let i = 0; i < count; i++) {
      const ref = await makeBot(store);
      const sealedSecret = i % 3 === 0 ? null : box.seal(`secret ${i}`, ref.botId);
      await store.putWebhook(ref, { url: URL_OF_HOOK, sealedSecret }, NOW);
    }
  });
}

function secretsUnder(key: Buffer): Promise<string[]> {
  const box = createSecretBox([key]);
  return withStore(async (store) => {
    const sealed = await store.listSealedSecrets(undefined, 10_000);
    return sealed.flatMap(({ botId, sealedSecret }) => (sealedSecret ? [box.open(sealedSecret, botId)] : []));
  });
}

describe("botyard rekey", () => {
  it("seals everything with the first key, and needs to be done once", async () => {
    await fill(6, oldKey);
    const first = await rekey(newKey, oldKey);
    expect(first, first.stderr).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("no longer needed"),
    });
    expect(JSON.parse(first.stdout)).toEqual({
      bots: 6,
      resealed: 4,
      already_sealed_with_it: 0,
      failed: 0,
      failures: [],
    });
    expect(await secretsUnder(newKey)).toEqual(["secret 1", "secret 2", "secret 4", "secret 5"]);
    expect(JSON.parse((await rekey(newKey)).stdout)).toMatchObject({
      resealed: 0,
      already_sealed_with_it: 4,
    });
  });

  it("keeps secrets that it cannot open, names them, and ends with 1", async () => {
    await fill(2, oldKey);
    const failed = await rekey(newKey, thirdKey);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(
      /bot [0-9a-f-]{36}: the secret was sealed with key [0-9a-f]{8}, which SECRET_KEY/,
    );
    expect(await secretsUnder(oldKey)).toEqual(["secret 1"]);
  });

  it("refuses to run beside a service on SQLite, or without a database", async () => {
    const service = await startServiceProcess(home.dataDir, { ...home.environment, ...keysOf(oldKey) });
    const beside = await rekey(oldKey);
    await service.stop();
    if (engine.name === "sqlite") {
      expect(beside).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining("another Botyard service uses"),
      });
    } else {
      expect(beside).toMatchObject({ code: 0 });
    }
    const nowhere = {
      DATABASE_URL: "postgres://me:hush@127.0.0.1:1/no",
      DATA_DIR: home.dataDir,
      ...keysOf(oldKey),
    };
    const lost = await commandResult(["rekey"], nowhere);
    expect(lost).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining("cannot be used: connect ECONNREFUSED"),
    });
    expect(lost.stderr).not.toContain("hush");
  });

  it("changes the key of a service without a failed delivery", async () => {
    const receiver = await startReceiver();
    const start = (...keys: Buffer[]) =>
      startServiceProcess(home.dataDir, { ...home.environment, ...keysOf(...keys) });
    const old = await start(oldKey);
    const { BOTYARD_TOKEN: ownerToken = "" } = await environmentOf("owner-1", old, home.dataDir);
    const world = await makeWorld({ url: old.url, ownerToken: async () => ownerToken });
    const body = { url: receiver.url, secret_token: "open-sesame" };
    await ask(old, "PUT", `/v1/bot-api/bots/${world.botId}/webhook`, { token: ownerToken, body });
    expect(await old.stop()).toBe(0);

    // SQLite belongs to one process; on PostgreSQL the service stays up.
    const between = engine.name === "sqlite" ? undefined : await start(newKey, oldKey);
    const result = await rekey(newKey, oldKey);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    await between?.stop();

    const renewed = await start(newKey);
    const post = { token: world.botToken, body: { body: "hello" } };
    await ask(renewed, "POST", `/v1/bot-api/channels/${world.channelId}/posts`, post);
    await eventually("the update arrives", () => receiver.requests.length === 1);
    expect(receiver.requests[0]?.headers["x-service-bot-api-secret-token"]).toBe("open-sesame");
    await renewed.stop();
    await receiver.close();
  });
});

describe("sealing anew", () => {
  it("handles any number of bots, and reports its progress", async () => {
    await fill(1203, oldKey);
    const seen: number[] = [];
    const box = createSecretBox([newKey, oldKey]);
    const done = await withStore((store) => resealSecrets(store, box, ({ bots }) => seen.push(bots)));
    expect(done).toEqual({ bots: 1203, resealed: 802, current: 0, failures: [] });
    expect(seen).toEqual([500, 1000, 1203]);
    expect(await secretsUnder(newKey)).toHaveLength(802);
  });

  it("counts a bot once, and names the webhook whose secret it cannot open", async () => {
    await withStore(async (store) => {
      const ref = await makeBot(store);
      await store.putWebhook(
        { ...ref, name: "mirror" },
        { id: newId(), url: URL_OF_HOOK, sealedSecret: createSecretBox([newKey]).seal("x", "y") },
        NOW,
      );
      expect(await resealSecrets(store, createSecretBox([newKey]), () => {})).toMatchObject({
        bots: 1,
        failures: [expect.stringContaining(`bot ${ref.botId}, webhook mirror: `)],
      });
    });
  });

  it("never overwrites a secret that was set meanwhile", async () => {
    const [before, after] = [createSecretBox([oldKey]), createSecretBox([newKey])];
    await withStore(async (store) => {
      const ref = await makeBot(store);
      const stale = before.seal("stale", ref.botId);
      await store.putWebhook(ref, { url: URL_OF_HOOK, sealedSecret: stale }, NOW);
      await store.putWebhook(ref, { url: URL_OF_HOOK, sealedSecret: after.seal("fresh", ref.botId) }, NOW);
      expect(await store.resealSecret(ref.botId, stale, after.seal("stale", ref.botId))).toBe(false);
    });
    expect(await secretsUnder(newKey)).toEqual(["fresh"]);
  });
});
