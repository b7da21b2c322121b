import { randomBytes } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSecretBox } from "#botyard/domain/secret-box.js";
import { loadOrCreateKey } from "#botyard/process/data-dir.js";
import type { BotRef } from "#botyard/store/store.js";
import { commandResult } from "../support/command.js";
import { engine, type StoreHome } from "../support/engines.js";
import { startInProcessService } from "../support/in-process-service.js";
import { botyardResult } from "../support/program.js";
import { makeBot, NOW } from "../support/store-fixtures.js";

/** Keys that a database was used with, and that are not there any more. */
describe("a database whose keys are missing", () => {
  let home: StoreHome;
  let secretKey: string;
  let ownerSecret: string;
  let keyId: string;
  let refs: BotRef[];

  beforeEach(async () => {
    home = await engine.createHome();
    secretKey = join(home.dataDir, "secret.key");
    ownerSecret = join(home.dataDir, "owner-jwt.secret");
    const box = createSecretBox([Buffer.from(loadOrCreateKey(home.dataDir, "secret.key").text, "base64")]);
    keyId = box.keyIds[0] ?? "";
    const store = await home.open();
    refs = [];
    for (let n = 0; n < 2; n++) {
      const ref = await makeBot(store);
      refs.push(ref);
      const webhook = { url: "https://example.com/", sealedSecret: box.seal("secret", ref.botId) };
      await store.putWebhook(ref, webhook, NOW);
    }
    await store.close();
  });
  afterEach(() => home.remove());

  const environment = () => ({ DATA_DIR: home.dataDir, PORT: "0", ...home.environment });
  const botyard = (...args: string[]) => commandResult(args, environment());
  const idOf = (ref?: BotRef) => ref?.botId ?? "";
  const logOf = (stdout: string) =>
    stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  it("gets no new secret.key: service and rekey stop, and say which file to put back", async () => {
    renameSync(secretKey, `${secretKey}.away`);
    const line = `${secretKey} is missing, and the database has webhook secrets that are sealed with key ${keyId}: put that file back from a backup, or set SECRET_KEY to its text\n`;
    expect(await botyardResult(["serve"], environment())).toMatchObject({
      code: 1,
      stderr: `botyard cannot start: ${line}`,
    });
    expect(await botyard("rekey")).toMatchObject({ code: 1, stdout: "", stderr: `botyard: ${line}` });
    expect(existsSync(secretKey)).toBe(false);
    renameSync(`${secretKey}.away`, secretKey);
    expect(await botyard("rekey")).toMatchObject({ code: 0 });
  });

  it("is not served with keys that open nothing of it, until these secrets are forgotten", async () => {
    const SECRET_KEY = randomBytes(32).toString("base64");
    const start = () => startInProcessService(home.dataDir, { ...home.environment, SECRET_KEY });
    const forget = (...args: string[]) =>
      commandResult(["rekey", "--forget", "--json", ...args], { ...environment(), SECRET_KEY });
    await expect(start()).rejects.toThrow(
      `SECRET_KEY opens no webhook secret of this database; they are sealed with key ${keyId}: set it to the right key; if it is lost, botyard rekey --forget removes these secrets and pauses their webhooks`,
    );
    expect(await botyard("rekey")).toMatchObject({ code: 0 });
    expect(await forget()).toMatchObject({ code: 2, stderr: expect.stringContaining("add --yes") });
    const forgotten = await forget("--yes");
    expect(forgotten, forgotten.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(forgotten.stdout)).toMatchObject({
      bots: 2,
      failed: 0,
      forgotten: refs.map(idOf).sort(),
    });
    await (await start()).stop();
    const store = await home.open();
    const webhooks = await Promise.all(refs.map((ref) => store.readWebhook(ref)));
    await store.close();
    for (const webhook of webhooks) {
      expect(webhook).toMatchObject({ url: "https://example.com/", hasSecretToken: false });
      expect(webhook?.pausedAt).toBeGreaterThan(0);
    }
  });

  it("is not served with another secret.key; a lost one is made anew when its secrets are forgotten", async () => {
    renameSync(secretKey, `${secretKey}.away`);
    loadOrCreateKey(home.dataDir, "secret.key");
    await expect(startInProcessService(home.dataDir, home.environment)).rejects.toThrow(
      `${secretKey} opens no webhook secret of this database; they are sealed with key ${keyId}: put the right file back from a backup; if it is lost,`,
    );
    rmSync(secretKey);
    expect(await botyard("rekey", "--forget", "--yes")).toMatchObject({ code: 0 });
    await (await startInProcessService(home.dataDir, home.environment)).stop();
  });

  it("is served with a key that opens a part of it; forgetting leaves that part", async () => {
    const others = randomBytes(32);
    const store = await home.open();
    const sealedSecret = createSecretBox([others]).seal("secret", idOf(refs[0]));
    await store.putWebhook(refs[0] as BotRef, { url: "https://example.com/", sealedSecret }, NOW);
    await store.close();
    const SECRET_KEY = others.toString("base64");
    const service = await startInProcessService(home.dataDir, { ...home.environment, SECRET_KEY });
    const lines = logOf(service.stdout());
    await service.stop();
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: "error",
        event: "keys_missing",
        keyIds: [keyId],
        msg: expect.stringMatching(/sealed with key [0-9a-f]{8}, .* behind the first one$/),
      }),
    );
    const env = { ...environment(), SECRET_KEY };
    const rekeyed = await commandResult(["rekey"], env);
    expect(rekeyed).toMatchObject({ code: 1, stderr: expect.stringContaining(`sealed with key ${keyId}`) });
    const forgotten = await commandResult(["rekey", "--forget", "--yes", "--json"], env);
    expect(JSON.parse(forgotten.stdout)).toMatchObject({ forgotten: [idOf(refs[1])] });
  });

  it("says nothing when all keys are there", async () => {
    const service = await startInProcessService(home.dataDir, home.environment);
    expect(logOf(service.stdout()).filter(({ event }) => event === "keys_missing")).toEqual([]);
    await service.stop();
  });

  it("had an owner-jwt.secret: its folder gets no new one, and instances on PostgreSQL warn", async () => {
    await (await startInProcessService(home.dataDir, home.environment)).stop();
    rmSync(ownerSecret);
    if (engine.name === "sqlite") {
      const { code, stderr } = await botyardResult(["serve"], environment());
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(
          /^botyard cannot start: \S+owner-jwt\.secret is missing, .* set OWNER_JWT_SECRET to its text .*\n$/,
        ),
      });
      expect(await botyard("owner-token", "--user", "alice")).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining("there is a database beside it"),
      });
      expect(existsSync(ownerSecret)).toBe(false);
    } else {
      const service = await startInProcessService(home.dataDir, home.environment);
      expect(logOf(service.stdout())).toContainEqual(
        expect.objectContaining({ level: "warn", event: "owner_secret_new" }),
      );
      await service.stop();
    }
  });

  it("starts without that file where the secret is configured", async () => {
    await (await startInProcessService(home.dataDir, home.environment)).stop();
    rmSync(ownerSecret);
    const OWNER_JWT_SECRET = "x".repeat(32);
    const service = await startInProcessService(home.dataDir, { ...home.environment, OWNER_JWT_SECRET });
    await service.stop();
  });
});
