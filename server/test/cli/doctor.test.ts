import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idAt } from "#botyard/domain/ids.js";
import { createSecretBox } from "#botyard/domain/secret-box.js";
import { commandResult } from "../support/command.js";
import { createHomeOn, type StoreHome } from "../support/engines.js";
import { ownerAt, readLog, startPoster } from "../support/load.js";
import {
  type Environment,
  environmentOf,
  type ServiceProcess,
  startServiceProcess,
} from "../support/program.js";
import { startRawServer } from "../support/raw-server.js";
import { accept, type Receiver, refuse, startReceiver } from "../support/receiver.js";
import { claim, makeAttachedBot, makeBot, NOW, publish } from "../support/store-fixtures.js";
import { runSql } from "../support/stored-rows.js";
import { temporaryFolder } from "../support/temporary-folder.js";

interface Finding {
  check: string;
  result: "ok" | "warning" | "wrong";
  says: string;
  mend?: string;
}

const HOOK = "https://example.com/";
/** What this machine's own limits would make a warning of. */
const FEW_CONNECTIONS = { MAX_CONNECTIONS: "50", WEBHOOK_CONCURRENCY: "10" };

async function doctor(env: Environment, ...args: string[]): Promise<{ code: unknown; findings: Finding[] }> {
  const { code, stdout, stderr } = await commandResult(["doctor", "--json", ...args], {
    ...FEW_CONNECTIONS,
    ...env,
  });
  expect(stderr).toBe("");
  return { code, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings };
}

const bad = (findings: readonly Finding[]): Finding[] => findings.filter(({ result }) => result !== "ok");
const saysOf = (findings: readonly Finding[], check: string): string =>
  findings
    .filter((finding) => finding.check === check)
    .map(({ result, says, mend = "" }) => `${result}: ${says} → ${mend}`)
    .join("\n");

describe.each(["sqlite", "postgres"] as const)("botyard doctor beside a service on %s", (name) => {
  let home: StoreHome;
  let service: ServiceProcess;
  let receiver: Receiver;
  let env: Environment;

  beforeAll(async () => {
    home = await createHomeOn(name);
    // The keys that instances of PostgreSQL are to share.
    const keys = {
      SECRET_KEY: randomBytes(32).toString("base64"),
      OWNER_JWT_SECRET: "x".repeat(32),
    };
    env = { DATA_DIR: home.dataDir, ...home.environment, ...(name === "postgres" ? keys : {}) };
    service = await startServiceProcess(home.dataDir, { ...env, RATE_LIMIT_BURST: "1000000" });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.close();
    await service.stop("SIGKILL");
    await home.remove();
  });

  it("finds nothing wrong, and neither disturbs the other", async () => {
    const owner = ownerAt(await environmentOf("alice", service, home.dataDir, env));
    const channelId = await owner.createChannel("news");
    const bot = await owner.createBot("bot", [channelId]);
    await owner.setWebhook(bot.id, receiver.url, "open-sesame");
    const poster = startPoster(() => service.url, bot.token, channelId);
    const { code, findings } = await doctor(env, "--url", service.url, "--webhook", receiver.url);
    await poster.stop();
    expect([code, bad(findings)]).toEqual([0, []]);
    expect(saysOf(findings, "upkeep")).toMatch(name === "sqlite" ? /^$/ : /^ok: done by .+, process \d+/);
    expect(saysOf(findings, "database")).toMatch(
      name === "sqlite" ? /SQLite, .*botyard\.db/ : /PostgreSQL, .* version 18/,
    );
    expect(saysOf(findings, "webhook secrets")).toMatch(/1 are sealed, and the .* of them/);
    expect(saysOf(findings, "address")).toContain("is ready");
    expect(saysOf(findings, "long polls")).toContain("not tried");
    expect(saysOf(findings, "webhook")).toContain("is reached at 127.0.0.1");
    // Every post was stored while the doctor looked.
    expect((await readLog(service.url, bot.token)).length).toBe(poster.acknowledged.length);
    expect(receiver.requests.filter(({ body }) => body.includes("webhook.test"))).toEqual([]);
  });

  it("prints a line for each check, and sends a test event only when asked", async () => {
    const args = ["doctor", "--webhook", receiver.url, "--send"];
    const { code, stdout } = await commandResult(args, { ...FEW_CONNECTIONS, ...env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {7}configuration {4}Botyard \S+ on Node \S+\n/);
    expect(stdout).toMatch(
      /\nok {7}webhook {10}a test event was accepted with 200\n\n0 wrong, 0 to look at\n$/,
    );
    expect(receiver.requests.filter(({ body }) => body.includes("webhook.test"))).toHaveLength(1);
  });
});

describe.each(["sqlite", "postgres"] as const)("botyard doctor, of the audit log on %s", (name) => {
  let home: StoreHome;
  beforeAll(async () => {
    home = await createHomeOn(name);
    await (await home.open()).close();
  });
  afterAll(() => home.remove());

  const DAY_MS = 86_400_000;
  const add = (time: number) =>
    runSql(
      home,
      `INSERT INTO audit (id, owner_user_id, actor_type, actor_id, token_id, operation, request_id, target_type, target_id, changes)
        VALUES ('${idAt(time)}', 'alice', 'owner', 'alice', '', 'editBot', 'x', 'bot', 'x', '{}')`,
    );
  const found = async () =>
    saysOf((await doctor({ DATA_DIR: home.dataDir, ...home.environment })).findings, "audit log");

  it("says from when it is, and finds entries that nothing removes, and those of the future", async () => {
    expect(await found()).toContain("ok: no entry yet");
    await add(Date.now() - 89 * DAY_MS);
    await add(Date.now());
    expect(await found()).toMatch(/^ok: from 20.* to 20/);
    await add(Date.now() - 92 * DAY_MS);
    expect(await found()).toMatch(
      /^wrong: the oldest entry is of .*AUDIT_RETENTION_DAYS=90 → is a service running/,
    );
    await add(Date.now() + DAY_MS);
    expect(await found()).toMatch(/^warning: the newest entry is of .* in the future → the clock/);
  });
});

describe.each(["sqlite", "postgres"] as const)("botyard doctor --repair on %s", (name) => {
  let home: StoreHome;
  let env: Environment;

  beforeAll(async () => {
    home = await createHomeOn(name);
    env = { DATA_DIR: home.dataDir, ...home.environment };
    if (name === "postgres")
      env = { ...env, SECRET_KEY: randomBytes(32).toString("base64"), OWNER_JWT_SECRET: "x".repeat(32) };
    const store = await home.open();
    const { ref, channelId } = await makeAttachedBot(store);
    await store.putWebhook(ref, { url: HOOK, sealedSecret: null }, NOW);
    await publish(store, channelId, 3);
    await store.close();
    await runSql(home, "UPDATE destinations SET next_fresh_number = 9 RETURNING destination_key");
    await runSql(home, "UPDATE lanes SET due_at = NULL RETURNING bot_key");
  });
  afterAll(() => home.remove());

  it("makes due what a fail-over left unsent, and nothing changes without it", async () => {
    for (let time = 0; time < 2; time++) {
      const { code, findings } = await doctor(env);
      expect(code).toBe(1);
      expect(saysOf(findings, "deliveries")).toBe(
        "wrong: 3 updates were never sent, and would never be; the positions of 1 webhooks were beyond the end of their logs → see what lost them, then make them due: botyard doctor --repair",
      );
    }
    expect(saysOf((await doctor(env, "--repair")).findings, "deliveries")).toMatch(
      /^ok: 3 updates are due now/,
    );
    const after = await doctor(env, "--repair");
    expect([after.code, saysOf(after.findings, "deliveries")]).toEqual([
      0,
      "ok: every update was sent, or will be → ",
    ]);
    const store = await home.open();
    const [lane] = await claim(store, Date.now());
    await store.close();
    expect(lane?.updates.map(({ updateId }) => updateId)).toEqual([1, 2, 3]);
  });
});

describe("botyard doctor", () => {
  const folder = temporaryFolder("doctor");
  let home: StoreHome;
  let keyId: string;

  beforeAll(async () => {
    home = await createHomeOn("sqlite");
    const box = createSecretBox([randomBytes(32)]);
    [keyId = ""] = box.keyIds;
    const store = await home.open();
    const ref = await makeBot(store);
    await store.putWebhook(ref, { url: HOOK, sealedSecret: box.seal("secret", ref.botId) }, NOW);
    await store.noteKeyFile("owner-jwt.secret");
    await store.close();
  });
  afterAll(() => home.remove());

  it("says which keys are missing, and how to put them back", async () => {
    const { code, findings } = await doctor({ DATA_DIR: home.dataDir });
    expect(code).toBe(1);
    expect(saysOf(findings, "webhook secrets")).toMatch(
      new RegExp(
        `^wrong: .*secret\\.key is missing, and secrets are sealed with key ${keyId} → put the right file back`,
      ),
    );
    expect(saysOf(findings, "owner tokens")).toMatch(/^wrong: .*owner-jwt\.secret is missing/);
    const other = await doctor({ DATA_DIR: home.dataDir, SECRET_KEY: randomBytes(32).toString("base64") });
    expect(saysOf(other.findings, "webhook secrets")).toContain(`sealed with key ${keyId}`);
  });

  it("says that a key is open to others, and that a folder is", async () => {
    const dataDir = join(folder, "open");
    mkdirSync(dataDir, { mode: 0o700 });
    await (await startServiceProcess(dataDir)).stop();
    chmodSync(dataDir, 0o755);
    chmodSync(join(dataDir, "secret.key"), 0o644);
    const { code, findings } = await doctor({ DATA_DIR: dataDir });
    expect(code).toBe(1);
    expect(bad(findings).map(({ check, result, mend }) => `${result} ${check}: ${mend}`)).toEqual([
      `warning data folder: chmod 700 ${dataDir}`,
      "wrong webhook secrets: run chmod 600 on it",
    ]);
  });

  it("is content before the first start, and says what makes a start fail", async () => {
    const dataDir = join(folder, "new");
    expect(bad((await doctor({ DATA_DIR: dataDir })).findings)).toEqual([]);
    expect(await doctor({ DATA_DIR: dataDir, PORT: "http" })).toMatchObject({
      code: 1,
      findings: [{ check: "configuration", result: "wrong", says: expect.stringContaining("PORT must be") }],
    });
    const unreachable = { DATA_DIR: dataDir, DATABASE_URL: "postgres://me:hush@127.0.0.1:1/no" };
    const { code, findings } = await doctor(unreachable);
    expect(code).toBe(1);
    expect(saysOf(findings, "database")).toMatch(
      /cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1 → start the server there, or correct/,
    );
    expect(saysOf(findings, "webhook secrets")).toContain("cannot be told without the database");
    expect(JSON.stringify(findings)).not.toContain("hush");
    const misspelled = await doctor({ DATA_DIR: dataDir, MAX_CONNECTION: "7" });
    expect([misspelled.code, bad(misspelled.findings)]).toEqual([
      0,
      [
        expect.objectContaining({
          result: "warning",
          says: expect.stringContaining("did you mean MAX_CONNECTIONS"),
        }),
      ],
    ]);
  });

  it.skipIf(process.platform === "win32")("says of a data folder that it can be none", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    const ofFile = await doctor({ DATA_DIR: join(file, "data") });
    expect(bad(ofFile.findings)).toEqual([
      expect.objectContaining({ check: "data folder", says: `${file} is not a folder` }),
    ]);
    if (process.platform !== "linux") return;
    expect(bad((await doctor({ DATA_DIR: "/proc/botyard/data" })).findings)).toEqual([
      expect.objectContaining({ check: "data folder", says: "no folder can be made in /proc" }),
    ]);
  });

  it("says that a database cannot be read", async () => {
    const dataDir = join(folder, "broken");
    mkdirSync(dataDir, { mode: 0o700 });
    await (await startServiceProcess(dataDir)).stop();
    rmSync(join(dataDir, "botyard.db"));
    renameSync(join(dataDir, "owner-jwt.secret"), join(dataDir, "botyard.db"));
    const { code, findings } = await doctor({ DATA_DIR: dataDir });
    expect(code).toBe(1);
    expect(saysOf(findings, "database")).toMatch(
      /^wrong: .*botyard\.db cannot be read: file is not a database/,
    );
  });

  it("says what is wrong with the address, and how long a proxy lets polls wait", async () => {
    const env = { DATA_DIR: join(folder, "new"), BOTYARD_TOKEN: `bot_${"x".repeat(43)}` };
    const url = async (answer: string) => {
      const server = await startRawServer((socket) => {
        socket.once("data", () => socket.end(answer));
        socket.on("error", () => {});
      });
      const found = await doctor(env, "--url", `http://127.0.0.1:${server.port}`);
      await server.close();
      return saysOf(found.findings, "address");
    };
    const head = "content-length: 0\r\nconnection: close\r\n\r\n";
    expect(await url(`HTTP/1.1 301 Moved\r\nlocation: https://elsewhere/\r\n${head}`)).toContain(
      "redirects to https://elsewhere/",
    );
    expect(await url(`HTTP/1.1 502 Bad Gateway\r\n${head}`)).toContain(
      "answers 502, and not as Botyard does",
    );
    expect(await url("")).toContain("cannot be reached");
    // Ready, but the poll that follows is cut off.
    let requests = 0;
    const hasty = await startRawServer((socket) => {
      const ready = '{"status":"ready"}';
      const date = new Date(Date.now() - 7_200_000).toUTCString();
      socket.on("error", () => {});
      socket.once("data", () => {
        requests += 1;
        socket.end(
          requests === 1
            ? `HTTP/1.1 200 OK\r\ndate: ${date}\r\ncontent-length: ${ready.length}\r\nconnection: close\r\n\r\n${ready}`
            : `HTTP/1.1 504 Gateway Timeout\r\n${head}`,
        );
      });
    });
    const { findings } = await doctor(env, "--url", `http://127.0.0.1:${hasty.port}`);
    await hasty.close();
    expect(saysOf(findings, "long polls")).toMatch(
      /^wrong: one was answered with 504 after \d+\.\d s → let the proxy wait longer/,
    );
    expect(saysOf(findings, "clock")).toMatch(
      /^wrong: the clock of http:\S+ is 7[12]\d\d\.\d s behind this machine's/,
    );
  });

  it("holds a webhook to the rules of deliveries", async () => {
    const env = { DATA_DIR: join(folder, "new") };
    const receiver = await startReceiver(accept);
    const reach = async (url: string, more: Environment = {}) =>
      saysOf((await doctor({ ...env, ...more }, "--webhook", url)).findings, "webhook");
    expect(await reach(receiver.url, { WEBHOOK_ALLOW_PRIVATE: "false" })).toMatch(
      /^wrong: 127\.0\.0\.1 is no address/,
    );
    expect(await reach(receiver.url, { WEBHOOK_ALLOW_HOSTS: "example.com" })).toMatch(
      /^wrong: 127\.0\.0\.1 is no host/,
    );
    expect(await reach("http://localhost.localdomain.invalid/")).toMatch(
      /^wrong: .*host (not found|look-up failed)/,
    );
    expect(await reach("http://127.0.0.1:1/")).toMatch(/^wrong: 127\.0\.0\.1:1: connection refused/);
    expect(await reach(receiver.url.replace("http:", "https:"))).toMatch(/^wrong: .*TLS/);
    expect(await reach("ftp://example.com/")).toContain("is no http:// or https:// URL");
    expect(receiver.requests).toEqual([]);
    const answerOf = async (status: number) => {
      receiver.answerWith(refuse(status));
      const { findings } = await doctor(env, "--webhook", receiver.url, "--send");
      return saysOf(findings.slice(-1), "webhook");
    };
    expect(await answerOf(302)).toMatch(/was refused: 302 Found → redirects are not followed/);
    expect(await answerOf(401)).toMatch(/was refused: 401 Unauthorized → a receiver that checks signatures/);
    await receiver.close();
  });

  it("sends nothing without a webhook to send it to", async () => {
    expect(await commandResult(["doctor", "--send"], {})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--send needs --webhook"),
    });
  });
});
