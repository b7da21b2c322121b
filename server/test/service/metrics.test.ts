import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { ownerAt } from "../support/load.js";
import { botyardResult, type Environment, environmentOf, startServiceProcess } from "../support/program.js";
import { type Receiver, refuse, startReceiver } from "../support/receiver.js";
import { namesOf, type Samples, scrape } from "../support/scrape.js";

const TOKEN = "0123456789abcdef0123456789abcdef";

interface Line {
  event?: string;
  metricsUrl?: string;
  [field: string]: unknown;
}

let home: StoreHome;
let service: InProcessService;
let receiver: Receiver;

beforeEach(async () => {
  home = await engine.createHome();
  receiver = await startReceiver();
});
afterEach(async () => {
  await service.stop();
  await receiver.close();
  await home.remove();
});

async function start(env: Environment): Promise<void> {
  service = await startInProcessService(home.dataDir, { ...home.environment, ...env });
}

function logged(event: string): Promise<Line> {
  return eventually(`the event ${event}`, () =>
    service
      .stdout()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line)
      .find((line) => line.event === event),
  );
}

const owner = async () => ownerAt(await environmentOf("alice", service, home.dataDir));
const metricsUrl = async (): Promise<string> => (await logged("started")).metricsUrl ?? "";
const post = (channelId: string, token: string) =>
  ask(service, "POST", `/v1/bot-api/channels/${channelId}/posts`, { token, body: { body: "hello" } });

/** Waits for a scrape of which `isSo`. */
const samplesWhen = async (what: string, isSo: (samples: Samples) => boolean): Promise<Samples> => {
  const url = await metricsUrl();
  return await eventually(what, async () => {
    const samples = await scrape(url);
    return isSo(samples) ? samples : undefined;
  });
};

describe("the metrics of a running service", () => {
  it("count posts, updates, attempts and deliveries exactly", async () => {
    await start({ METRICS_PORT: "0" });
    const alice = await owner();
    const channel = await alice.createChannel("news");
    const [one, two] = [await alice.createBot("one", [channel]), await alice.createBot("two", [channel])];
    await alice.setWebhook(one.id, receiver.url);
    for (let count = 0; count < 7; count++) expect((await post(channel, one.token)).status).toBe(201);
    expect((await post("01890000-0000-7000-8000-000000000000", two.token)).status).toBe(403);

    const samples = await samplesWhen(
      "seven deliveries",
      (now) => now.get('botyard_delivery_outcomes_total{outcome="accepted"}') === 7,
    );
    expect(Object.fromEntries(samples)).toMatchObject({
      botyard_posts_total: 7,
      botyard_updates_total: 14,
      botyard_delivery_attempts_total: 7,
      botyard_delivery_retries_total: 0,
      botyard_failed_updates_total: 0,
      botyard_store_unavailable_total: 0,
      'botyard_http_responses_total{status="5xx"}': 0,
    });
    expect(samples.get("botyard_store_trip_duration_seconds_count")).toBeGreaterThan(7);
    expect(samples.get("botyard_store_batch_calls_sum")).toBeGreaterThanOrEqual(7);
    expect(samples.get('botyard_http_responses_total{status="4xx"}')).toBe(1);
    expect(samples.get('botyard_event_loop_delay_seconds{quantile="1"}')).toBeGreaterThanOrEqual(0);
  });

  it("say when everything old was removed last", async () => {
    await start({ METRICS_PORT: "0" });
    const name = "botyard_upkeep_completed_timestamp_seconds";
    const samples = await samplesWhen("a round of the upkeep", (now) => now.has(name));
    expect(Math.abs(Date.now() / 1000 - (samples.get(name) ?? 0))).toBeLessThan(60);
  });

  it("count retries and terminal failures of a refusing receiver, and the log names it", async () => {
    receiver.answerWith(refuse(503));
    await start({ METRICS_PORT: "0", WEBHOOK_RETRY_SCHEDULE: "10ms" });
    const alice = await owner();
    const channel = await alice.createChannel("news");
    const bot = await alice.createBot("one", [channel]);
    await alice.setWebhook(bot.id, receiver.url);
    await post(channel, bot.token);

    const samples = await samplesWhen(
      "a terminal failure",
      (now) => now.get("botyard_failed_updates_total") === 1,
    );
    expect(Object.fromEntries(samples)).toMatchObject({
      botyard_delivery_attempts_total: 2,
      botyard_delivery_retries_total: 1,
      'botyard_delivery_outcomes_total{outcome="server_error"}': 2,
      'botyard_delivery_outcomes_total{outcome="accepted"}': 0,
    });
    expect(await logged("update_failed")).toMatchObject({
      botId: bot.id,
      updateId: 1,
      error: "503 Service Unavailable",
    });
    // No label may name a bot or owner, since their number is unlimited.
    const response = await fetch(await metricsUrl());
    const text = await response.text();
    for (const secret of [bot.id, bot.token, channel, receiver.url, "alice"])
      expect(text).not.toContain(secret);
    // Any number may be among the values.
    expect(text.match(/"[^"]*"/g)?.join("\n")).not.toContain(String(receiver.port));
  });

  it("have the backlog of the whole database, and its age", async () => {
    receiver.answerWith(() => {});
    await start({ METRICS_PORT: "0", WEBHOOK_TIMEOUT_MS: "60000" });
    const alice = await owner();
    const channel = await alice.createChannel("news");
    const bot = await alice.createBot("one", [channel]);
    await alice.setWebhook(bot.id, receiver.url);
    const postedAt = Date.now();
    for (let count = 0; count < 30; count++) await post(channel, bot.token);
    const held = await samplesWhen(
      "hanging attempts",
      (now) =>
        (now.get("botyard_delivery_attempts_in_flight") ?? 0) > 0 && now.get("botyard_lanes_held") === 1,
    );
    expect(held.get("botyard_queued_updates")).toBeGreaterThan(0);
    const samples = await samplesWhen(
      "a walk over the lanes",
      (now) => now.get("botyard_backlog_updates") === 30,
    );
    const beganAt = (samples.get("botyard_backlog_measured_timestamp_seconds") ?? 0) * 1000;
    expect(beganAt).toBeGreaterThanOrEqual(postedAt);
    expect(samples.get("botyard_oldest_due_update_age_seconds")).toBeLessThanOrEqual(
      (beganAt - postedAt) / 1000,
    );
    expect(samples.get("botyard_oldest_due_update_age_seconds")).toBeGreaterThan(0);
    expect(samples.get("botyard_lanes_resting")).toBe(0);
    expect(samples.get("botyard_slowest_consumer_lag_updates")).toBe(0);
  });

  it("count waiting polls and what limits refuse, each with its event", async () => {
    await start({
      METRICS_PORT: "0",
      MAX_POLLS_PER_BOT: "1",
      RATE_LIMIT_BURST: "20",
      RATE_LIMIT_PER_SECOND: "1",
    });
    const alice = await owner();
    const bot = await alice.createBot("one", [await alice.createChannel("news")]);
    const hangUp = new AbortController();
    const poll = ask(service, "GET", "/v1/bot-api/updates?timeout=30", {
      token: bot.token,
      signal: hangUp.signal,
    });
    poll.catch(() => {});
    await samplesWhen("a waiting poll", (now) => now.get("botyard_polls_waiting") === 1);
    const second = await ask(service, "GET", "/v1/bot-api/updates?timeout=30", { token: bot.token });
    expect(second.status).toBe(429);
    expect(await logged("poll_refused")).toMatchObject({ who: bot.id });
    await eventually("the rate limit", async () => {
      const { status, headers } = await ask(service, "GET", "/v1/bot-api/me", { token: bot.token });
      return status === 429 && headers.get("ratelimit")?.includes("r=0") ? true : undefined;
    });
    expect(await logged("rate_limited")).toMatchObject({ who: bot.id });
    const samples = await samplesWhen("both refusals", () => true);
    expect(samples.get('botyard_refusals_total{reason="poll_refused"}')).toBe(1);
    expect(samples.get('botyard_refusals_total{reason="rate_limited"}')).toBeGreaterThan(0);
    hangUp.abort();
    await samplesWhen("no waiting poll", (now) => now.get("botyard_polls_waiting") === 0);
  });

  it("continue while the store cannot be written to, and report it", async () => {
    await start({ METRICS_PORT: "0" });
    const alice = await owner();
    const channel = await alice.createChannel("news");
    const bot = await alice.createBot("one", [channel]);
    const unlock = await home.lockWrites();
    try {
      expect((await post(channel, bot.token)).status).toBe(503);
      const samples = await samplesWhen(
        "calls that failed",
        (now) => (now.get("botyard_store_unavailable_total") ?? 0) > 0,
      );
      expect(samples.get('botyard_http_responses_total{status="5xx"}')).toBeGreaterThan(0);
      expect(await logged("request_failed")).toMatchObject({ status: 503 });
    } finally {
      await unlock();
    }
  });
});

describe("where the metrics are", () => {
  it("with a token only: on the API's port, with the token", async () => {
    await start({ METRICS_TOKEN: TOKEN });
    expect((await ask(service, "GET", "/metrics")).status).toBe(401);
    const names = namesOf(await scrape(`${service.url}/metrics`, TOKEN));
    expect(names).toContain("botyard_posts_total");
    expect(names).toContain("process_resident_memory_bytes");
    expect(service.stdout()).not.toContain(TOKEN);
  });

  it("with a token only: a process writes it nowhere", async () => {
    await start({});
    const other = await startServiceProcess(join(home.dataDir, "other"), { METRICS_TOKEN: TOKEN });
    await scrape(`${other.url}/metrics`, TOKEN);
    await other.stop();
    expect(other.stdout() + other.stderr()).not.toContain(TOKEN);
  });

  it("with a port: only there, on loopback, and nothing else there", async () => {
    await start({ METRICS_PORT: "0" });
    const url = new URL(await metricsUrl());
    expect(url.hostname).toBe("127.0.0.1");
    expect((await ask(service, "GET", "/metrics")).status).toBe(404);
    for (const path of ["/livez", "/v1/bot-api/me", "/"])
      expect((await ask({ url: url.origin }, "GET", path)).status).toBe(404);
    expect((await ask({ url: url.origin }, "POST", "/metrics")).status).toBe(404);
    await service.stop();
  });

  it("with both: on that port, with the token", async () => {
    await start({ METRICS_PORT: "0", METRICS_TOKEN: TOKEN });
    const url = await metricsUrl();
    expect((await fetch(url)).status).toBe(401);
    expect((await scrape(url, TOKEN)).size).toBeGreaterThan(50);
  });

  it("with a taken port: no start, and one line that names the setting", async () => {
    await start({ METRICS_PORT: "0" });
    const { port } = new URL(await metricsUrl());
    const { code, stderr } = await botyardResult(["serve"], {
      DATA_DIR: join(home.dataDir, "other"),
      PORT: "0",
      METRICS_PORT: port,
    });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `botyard cannot start: port ${port} of 127.0.0.1 is taken by another program: stop that one or set METRICS_PORT\n`,
    });
  });

  it("with neither: nowhere", async () => {
    await start({});
    expect((await ask(service, "GET", "/metrics")).status).toBe(404);
  });
});
