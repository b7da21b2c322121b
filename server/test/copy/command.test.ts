import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { createHomeOn, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { fillStore } from "../support/filled-store.js";
import { startInProcessService } from "../support/in-process-service.js";
import { type Environment, environmentOf } from "../support/program.js";
import { type Receiver, startReceiver } from "../support/receiver.js";

describe("botyard copy", () => {
  let source: StoreHome;
  let target: StoreHome;

  beforeEach(async () => {
    source = await createHomeOn("sqlite");
    target = await createHomeOn("postgres");
  });
  afterEach(async () => {
    await source.remove();
    await target.remove();
  });

  const from = () => `sqlite:${source.dataDir}`;
  const to = () => target.environment.DATABASE_URL ?? "";

  it("moves a running bot: tokens, numbers and the webhook's secret stay valid", async () => {
    const receiver = await startReceiver();
    const old = await startInProcessService(source.dataDir);
    const { BOTYARD_TOKEN: ownerToken = "" } = await environmentOf("alice", old, source.dataDir);
    const bot = await makeBot(old, ownerToken, receiver);
    await post(old, bot, "before");
    await eventually("the first update arrives", () => receiver.requests.length === 1);
    await old.stop();

    const { code, stdout, stderr } = await commandResult(["copy", "--from", from(), "--to", to(), "--json"]);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("row by row") });
    const { tables, start_with: settings } = JSON.parse(stdout);
    expect(tables).toContainEqual({ table: "events", rows: 1, sum: expect.stringMatching(/^[0-9a-f]{24}$/) });
    expect(settings).toEqual([
      `SECRET_KEY_FILE=${join(source.dataDir, "secret.key")}`,
      `OWNER_JWT_SECRET_FILE=${join(source.dataDir, "owner-jwt.secret")}`,
    ]);

    const environment = Object.fromEntries(settings.map((setting: string) => setting.split("=")));
    const moved = await startInProcessService(target.dataDir, { DATABASE_URL: to(), ...environment });
    expect((await ask(moved, "GET", `/v1/bot-api/bots/${bot.id}`, { token: ownerToken })).status).toBe(200);
    await post(moved, bot, "after");
    const polled = await ask(moved, "GET", "/v1/bot-api/updates?timeout=5", { token: bot.token });
    expect(polled.body.items).toMatchObject([
      { update_id: 1, payload: { body: "before" } },
      { update_id: 2, payload: { body: "after" } },
    ]);
    await eventually("the second update arrives", () => receiver.requests.length === 2);
    const [first, second] = receiver.requests;
    const secret = "x-service-bot-api-secret-token";
    expect(second?.updateId).toBe(2);
    expect(second?.headers[secret]).toBe("open-sesame");
    expect(first?.headers[secret]).toBe("open-sesame");
    await moved.stop();
    await receiver.close();
  });

  it("seals with a given new key, and opens with a given old one", async () => {
    const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
    const store = await source.open();
    const { busy } = await fillStore(store, oldKey);
    await store.close();
    const keyFile = join(source.dataDir, "new.key");
    writeFileSync(keyFile, `${newKey.toString("base64")}\n`, { mode: 0o600 });
    const args = ["copy", "--from", from(), "--to", to()];

    const unknown = await commandResult(args);
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toContain(`bot ${busy.botId} has a webhook secret`);
    const wrong = await commandResult(args, { SECRET_KEY: newKey.toString("hex") });
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the secret was sealed with key"),
    });

    const environment = { SOURCE_SECRET_KEY: oldKey.toString("hex"), DATABASE_URL: to() };
    const right = await commandResult(["copy", "--from", from(), "--to-key-file", keyFile], environment);
    expect(right).toMatchObject({ code: 0, stderr: expect.stringContaining(`SECRET_KEY_FILE=${keyFile}`) });

    const other = await createHomeOn("postgres");
    const kept = { SOURCE_SECRET_KEY: oldKey.toString("hex"), ...other.environment };
    expect(await commandResult(["copy", "--from", from()], kept)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("SECRET_KEY as SOURCE_SECRET_KEY is set now"),
    });
    await other.remove();

    const back = await createHomeOn("sqlite");
    const key = { SECRET_KEY: newKey.toString("hex") };
    const there = ["copy", "--from", to(), "--to", `sqlite:${back.dataDir}`];
    expect(await commandResult(there, key)).toMatchObject({ code: 0 });
    await back.remove();
  });

  it.each(["sqlite", "postgres"] as const)(
    "keeps the key of a source on %s for a folder, with SECRET_KEY or without",
    async (name) => {
      const [key, wrong] = [randomBytes(32), randomBytes(32)];
      const [here, folder] = [await createHomeOn(name), await createHomeOn("sqlite")];
      const store = await here.open();
      await fillStore(store, key);
      await store.close();
      const keyFile = join(folder.dataDir, "sk");
      const copy = (given: Buffer) => {
        writeFileSync(keyFile, `${given.toString("hex")}\n`, { mode: 0o600 });
        const location = here.environment.DATABASE_URL ?? `sqlite:${here.dataDir}`;
        const there = `sqlite:${folder.dataDir}`;
        return commandResult(["copy", "--from", location, "--to", there, "--from-key-file", keyFile]);
      };
      // The wrong key leaves nothing behind.
      expect(await copy(wrong)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("sealed with key"),
      });
      const own = join(folder.dataDir, "secret.key");
      const copied = await copy(key);
      expect(copied.code, copied.stderr).toBe(0);
      expect(copied.stderr).toContain(`${own} holds the key of webhook secrets, the same as before.`);
      expect(readFileSync(own, "utf8").trim()).toBe(key.toString("base64"));
      const environments: Environment[] = [{}, { SECRET_KEY: key.toString("hex") }];
      for (const environment of environments) {
        const doctor = await commandResult(["doctor", "--json"], {
          DATA_DIR: folder.dataDir,
          ...environment,
        });
        expect(doctor.stdout).toMatch(/opens? all of them/);
      }
      await here.remove();
      await folder.remove();
    },
  );

  it("seals with the key that the folder has already, and says so", async () => {
    const key = randomBytes(32);
    const folder = await createHomeOn("sqlite");
    const store = await source.open();
    await fillStore(store, key);
    await store.close();
    const own = join(folder.dataDir, "secret.key");
    const before = randomBytes(32).toString("base64");
    writeFileSync(own, before, { mode: 0o600 });
    const copied = await commandResult(["copy", "--from", from(), "--to", `sqlite:${folder.dataDir}`], {
      SOURCE_SECRET_KEY: key.toString("hex"),
    });
    expect(copied).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`\n  SECRET_KEY_FILE=${own}\n`),
    });
    expect(readFileSync(own, "utf8")).toBe(before);
    const doctor = await commandResult(["doctor"], { DATA_DIR: folder.dataDir });
    expect(doctor.stdout).toContain("the key in secret.key opens all of them");
    await folder.remove();
  });

  it("prints the copied rows, its progress on stderr, and no password", async () => {
    const key = randomBytes(32);
    const store = await source.open();
    await fillStore(store, key);
    await store.close();
    const env = { SECRET_KEY: key.toString("hex") };
    const { code, stdout, stderr } = await commandResult(["copy", "--from", from(), "--to", to()], env);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^table +rows +checksum\nbots +7 +[0-9a-f]{24}\n/);
    expect(stderr).toMatch(/^copying sqlite:\S+ to postgres:\/\/127\.0\.0\.1:\d+\/test_\w+\n/);
    const rows = stdout
      .split("\n")
      .slice(1)
      .map((line) => Number(line.split(/ +/)[1] ?? 0));
    const all = rows.reduce((sum, count) => sum + count, 0);
    expect(all).toBeGreaterThan(100);
    expect(stderr).toContain(`\nverifying  0 of ${all} rows (0 %), at bots\n`);
    expect(stderr).toContain("SECRET_KEY as it is set now");
    expect(stderr).not.toContain("postgres:postgres");
  });

  it.each([
    ["no source", ["copy", "--to", "sqlite:there"]],
    ["no target", ["copy", "--from", "sqlite:here"]],
    ["an invalid source", ["copy", "--from", "mysql://here", "--to", "sqlite:there"]],
    ["the same location twice", ["copy", "--from", "sqlite:here", "--to", "sqlite:./here/"]],
    [
      "a missing key file",
      ["copy", "--from", "sqlite:here", "--to", "postgres://x/y", "--to-key-file", "/no"],
    ],
  ])("ends with 2 for %s", async (_, args) => {
    const { code, stdout, stderr } = await commandResult(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).not.toBe("");
  });

  it("ends with 3 when the database does not answer", async () => {
    await (await source.open()).close();
    const result = await commandResult([
      "copy",
      "--from",
      from(),
      "--to",
      "postgres://me:hush@127.0.0.1:1/no",
    ]);
    expect(result).toMatchObject({ code: 3, stderr: expect.stringContaining("cannot be reached") });
    expect(result.stderr).not.toContain("hush");
  });

  it("ends with 1 while a service runs on the source", async () => {
    const running = await startInProcessService(source.dataDir);
    const result = await commandResult(["copy", "--from", from(), "--to", to()]);
    await running.stop();
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("another Botyard service uses"),
    });
  });
});

interface Bot {
  id: string;
  token: string;
  channelId: string;
}

async function makeBot(api: { url: string }, token: string, receiver: Receiver): Promise<Bot> {
  const made = await ask(api, "POST", "/v1/bot-api/bots", { token, body: { username: "echo" } });
  const channel = await ask(api, "POST", "/v1/channels", { token, body: { slug: "news", title: "News" } });
  const path = `/v1/bot-api/bots/${made.body.bot.id}`;
  await ask(api, "POST", `${path}/channels/${channel.body.id}`, { token });
  const webhook = { url: receiver.url, secret_token: "open-sesame" };
  expect((await ask(api, "PUT", `${path}/webhook`, { token, body: webhook })).status).toBe(200);
  return { id: made.body.bot.id, token: made.body.token.token, channelId: channel.body.id };
}

async function post(api: { url: string }, bot: Bot, body: string): Promise<void> {
  const path = `/v1/bot-api/channels/${bot.channelId}/posts`;
  expect((await ask(api, "POST", path, { token: bot.token, body: { body } })).status).toBe(201);
}
