// Makes a small database with logs in all states, as the fixture of a release: server/test/upgrades opens it with the code of
// each later one. Run it once, when a release with a new schema is cut, with the program of that release:
//
//   node scripts/upgrade-fixture.mjs --name 0.1.0 --engine sqlite
//   node scripts/upgrade-fixture.mjs --name 0.1.0 --engine postgres --server postgres://postgres@127.0.0.1:5432
//
// --program names the botyard.js of another clone or package (this one's when left out). For PostgreSQL pg_dump must be at
// hand, of the server's version or newer, and the server is left as it was. It speaks HTTP only, so it works with any release.
import { execFileSync, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { progress, root } from "./repository.mjs";

/** Whatever the fixtures are opened with must have these, so they are no secrets. */
const SECRET_KEY = Buffer.alloc(32, "fixture key ").toString("base64");
const OWNER_JWT_SECRET = "the owner secret of all upgrade fixtures";
const WEBHOOK_SECRET = "open-sesame";
const PATIENCE_MS = 30_000;

const { values: options } = parseArgs({
  options: {
    name: { type: "string" },
    engine: { type: "string" },
    program: { type: "string", default: join(root, "server/bin/botyard.js") },
    server: { type: "string" },
  },
});
const { name, engine, program, server } = options;
if (!name || !/^(sqlite|postgres)$/.test(engine ?? "") || (engine === "postgres" && !server)) {
  progress(
    "usage: node scripts/upgrade-fixture.mjs --name <release> --engine sqlite|postgres [--server <url>] [--program <file>]",
  );
  process.exit(2);
}

const owner = ownerToken("alice");
const folder = mkdtempSync(join(tmpdir(), "botyard-fixture-"));
const database = engine === "postgres" ? `${server}/botyard_fixture` : undefined;
/** Bots whose updates the receiver refuses for now. */
const refused = new Set();
const receiver = createServer((request, response) => {
  request.resume().on("end", () => {
    const bot = request.url.split("/").at(-1);
    response.writeHead(refused.has(bot) ? 500 : 200).end();
  });
});
await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
const hooks = `http://127.0.0.1:${receiver.address().port}/hook`;

let service;
const bots = {};
try {
  if (database) psql(`${server}/postgres`, "CREATE DATABASE botyard_fixture");
  await fill();
  save();
} finally {
  receiver.close();
  service?.child.kill("SIGKILL");
  if (database) psql(`${server}/postgres`, "DROP DATABASE IF EXISTS botyard_fixture WITH (FORCE)");
  rmSync(folder, { recursive: true, force: true });
}

async function fill() {
  // After one retry an update has failed for good.
  service = await start("50ms");
  for (const bot of [
    "delivered",
    "recovered",
    "failed",
    "requeued",
    "former",
    "deleted",
    "paused",
    "disabled",
    "retrying",
  ])
    await makeBot(bot, true);
  await makeBot("polling", false);
  await post("delivered", 3);
  await until("delivered", { delivered_updates: 3 });
  for (const bot of ["failed", "requeued", "recovered"]) refused.add(bot);
  await post("failed", 2);
  await until("failed", { terminal_failed_updates: 2 });
  await post("requeued", 2);
  await until("requeued", { terminal_failed_updates: 2 });
  await post("recovered", 1);
  await until("recovered", { terminal_failed_updates: 1 });
  refused.delete("recovered");
  await owned("POST", "recovered", "/webhook/replay");
  await until("recovered", { delivered_updates: 1 });
  await post("former", 2);
  await until("former", { delivered_updates: 2 });
  await owned("DELETE", "former", "/webhook");
  await post("former", 1);
  await post("deleted", 3);
  await until("deleted", { delivered_updates: 3 });
  await owned("DELETE", "deleted", "");
  await post("polling", 3);
  bots.polling.token = (await owned("POST", "polling", "/token")).token;
  await owned("POST", "paused", "/webhook/pause");
  await post("paused", 2);
  await owned("POST", "disabled", "/disable");
  await post("disabled", 2);
  await owned("POST", "requeued", "/webhook/pause");
  await owned("POST", "requeued", "/webhook/replay?limit=1");
  await stop();

  // The first retry fails at once, and the second is far away.
  service = await start("50ms,7d,7d");
  refused.add("retrying");
  await post("retrying", 1);
  await until("retrying", { scheduled_retries: 1 });
  await eventually("the second attempt", async () => {
    const { items } = await owned("GET", "retrying", "/updates?limit=1");
    return items[0].webhook_attempt_count === 2;
  });
  for (const bot of Object.keys(bots)) if (bot !== "deleted") await describe(bot);
  await stop();
}

async function makeBot(username, hasWebhook) {
  const made = await call("POST", "/v1/bot-api/bots", owner, { username });
  const channel = await call("POST", "/v1/channels", owner, { slug: username, title: username });
  bots[username] = { id: made.bot.id, token: made.token.token, channelId: channel.id };
  await owned("POST", username, `/channels/${channel.id}`);
  if (hasWebhook)
    await owned("PUT", username, "/webhook", { url: `${hooks}/${username}`, secret_token: WEBHOOK_SECRET });
}

async function post(bot, count) {
  for (let n = 0; n < count; n++)
    await call("POST", `/v1/channels/${bots[bot].channelId}/posts`, owner, { body: `post ${n}` });
}

/** What is to be found again. */
async function describe(bot) {
  bots[bot].stats = await owned("GET", bot, "/stats");
  bots[bot].updates = (await owned("GET", bot, "/updates?limit=100")).items;
}

function until(bot, counts) {
  return eventually(`${bot}: ${JSON.stringify(counts)}`, async () => {
    const stats = await owned("GET", bot, "/stats");
    return Object.entries(counts).every(([counter, count]) => stats[counter] === count);
  });
}

function owned(method, bot, path, body) {
  return call(method, `/v1/bot-api/bots/${bots[bot].id}${path}`, owner, body);
}

async function call(method, path, token, body) {
  const { status, answer } = await ask(method, path, token, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${answer.error}`);
  return answer;
}

async function ask(method, path, token, body) {
  const response = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, answer: await response.json() };
}

async function start(schedule) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [program, "serve"], {
    env: {
      PATH,
      HOME,
      DATA_DIR: folder,
      PORT: "0",
      LOG_LEVEL: "error",
      SECRET_KEY,
      OWNER_JWT_SECRET,
      WEBHOOK_RETRY_SCHEDULE: schedule,
      ...(database ? { DATABASE_URL: database } : {}),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const url = await eventually("the service is there", () => {
    if (child.exitCode !== null) throw new Error(said);
    return /(?:address|listening on) +(http:\S+)/.exec(said)?.[1];
  });
  return { child, url, ended };
}

async function stop() {
  service.child.kill("SIGTERM");
  await service.ended;
}

async function eventually(what, check) {
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (Date.now() < giveUpAt) {
    const result = await check();
    if (result) return result;
    await sleep(50);
  }
  throw new Error(`waited in vain: ${what}`);
}

function save() {
  const out = join(root, "server/test/upgrades/fixtures");
  mkdirSync(out, { recursive: true });
  const file = join(out, `${name}.${engine}.${engine === "sqlite" ? "db" : "sql"}.gz`);
  const bytes = gzipSync(database ? dump() : readFileSync(join(folder, "botyard.db")), { level: 9 });
  writeFileSync(file, bytes);
  const expected = {
    secretKey: SECRET_KEY,
    ownerSecret: OWNER_JWT_SECRET,
    webhookSecret: WEBHOOK_SECRET,
    bots,
  };
  writeFileSync(join(out, `${name}.${engine}.json.gz`), gzipSync(JSON.stringify(expected), { level: 9 }));
  progress(`${file}: ${bytes.length} bytes`);
}

/** As statements that any client can run: no COPY, and none of the commands of psql. */
function dump() {
  const text = execFileSync(
    "pg_dump",
    ["--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=100", `--dbname=${database}`],
    { encoding: "utf8" },
  );
  return text.replaceAll(/^\\.*\n/gm, "").replaceAll(/^--.*\n/gm, "");
}

function psql(url, statement) {
  execFileSync("psql", ["--quiet", `--dbname=${url}`, "--command", statement], { stdio: "inherit" });
}

function ownerToken(user) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "HS256" })}.${part({ sub: user, exp: Math.floor(Date.now() / 1000) + 3600 })}`;
  return `${text}.${createHmac("sha256", OWNER_JWT_SECRET).update(text).digest("base64url")}`;
}
