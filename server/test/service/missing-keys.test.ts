import { randomBytes } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSecretBox } from "#botyard/domain/secret-box.js";
import { loadOrCreateKey } from "#botyard/process/data-dir.js";
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

  beforeEach(async () => {
    home = await engine.createHome();
    secretKey = join(home.dataDir, "secret.key");
    ownerSecret = join(home.dataDir, "owner-jwt.secret");
    const box = createSecretBox([Buffer.from(loadOrCreateKey(home.dataDir, "secret.key").text, "base64")]);
    keyId = box.keyIds[0] ?? "";
    const store = await home.open();
    for (let n = 0; n < 2; n++) {
      const ref = await makeBot(store);
      const webhook = { url: "https://example.com/", sealedSecret: box.seal("secret", ref.botId) };
      await store.putWebhook(ref, webhook, NOW);
    }
    await store.close();
  });
  afterEach(() => home.remove());

  const environment = () => ({ DATA_DIR: home.dataDir, PORT: "0", ...home.environment });
  const botyard = (...args: string[]) => commandResult(args, environment());
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

  it("is served with other keys, and the log says which one is missing", async () => {
    const others = randomBytes(32).toString("base64");
    const service = await startInProcessService(home.dataDir, { ...home.environment, SECRET_KEY: others });
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
    const rekeyed = await commandResult(["rekey"], { ...environment(), SECRET_KEY: others });
    expect(rekeyed).toMatchObject({ code: 1, stderr: expect.stringContaining(`sealed with key ${keyId}`) });
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
