import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "#botyard/store/sqlite/binding.js";
import { commandResult } from "../support/command.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type Environment, type ServiceProcess, startServiceProcess } from "../support/program.js";
import { accept, hang, type Receiver, startReceiver } from "../support/receiver.js";

/**
 * The promise is an exit with 0 within 5 s. No clock is needed to hold the service to it: when its own deadline, short
 * of 5 s, cuts a drain off, the exit code is 1. Each end takes a service, which is expensive to start: so one meets
 * everything that is under way at once.
 */
describe(`a service on ${engine.name} that is told to stop`, () => {
  let home: StoreHome;
  let service: ServiceProcess;
  let receiver: Receiver | undefined;

  const start = async (env: Environment = {}): Promise<void> => {
    service = await startServiceProcess(home.dataDir, { ...home.environment, ...env });
  };

  beforeEach(async () => {
    home = await engine.createHome();
  });

  afterEach(async () => {
    await service.stop("SIGKILL");
    await receiver?.close();
    receiver = undefined;
    await home.remove();
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "by %s answers a waiting poll, ends a stream cleanly, waits for nobody else, and exits with 0",
    async (signal) => {
      await start();
      const { botToken } = await makeBot();
      const { hostname, port } = new URL(service.url);
      // An idle connection and an incomplete request. The end of the process may reset them.
      const idle = connect(Number(port), hostname).on("error", () => {});
      const unfinished = connect(Number(port), hostname).on("error", () => {});
      unfinished.write("POST /v1/channels HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{");
      await Promise.all(
        [idle, unfinished].map((socket) => eventually("a connection", () => socket.readyState === "open")),
      );
      const poll = pollFor(botToken, 30);
      await waitingForUpdates();
      const stream = await fetch(`${service.url}/v1/bot-api/updates/stream`, {
        headers: { authorization: `Bearer ${botToken}` },
      });
      const streamed = stream.text();
      service.child.kill(signal);
      const answer = await poll;
      expect({ status: answer.status, body: await answer.json() }).toEqual({
        status: 200,
        body: { items: [] },
      });
      expect(await streamed).toBe("retry: 2000\nid: 0\n\n");
      expect(await service.exit).toBe(0);
      for (const socket of [idle, unfinished]) socket.destroy();
    },
  );

  it("by the two signals of one Ctrl-C under npm goes on for DRAIN_DELAY, while it says that it is not ready, and ends each connection with its answer, but none on which more requests may be under way", async () => {
    await start({ DRAIN_DELAY: "2s" });
    const { botToken } = await makeBot();
    const ready = async () => (await fetch(`${service.url}/readyz`)).status;
    const answers = (requests: number): Promise<string> =>
      talk(service.url, "GET /livez HTTP/1.1\r\n\r\n".repeat(requests));
    expect(await ready()).toBe(200);
    expect(await answers(2)).not.toMatch(/connection: close/i);
    for (let signals = 0; signals < 2; signals += 1) service.child.kill("SIGINT");
    await eventually("it is not ready", async () => (await ready()) === 503);
    await post(botToken);
    expect(await answers(1)).toMatch(/connection: close/i);
    const poll = `GET /v1/bot-api/updates HTTP/1.1\r\nAuthorization: Bearer ${botToken}\r\n\r\n`;
    const both = await talk(service.url, poll.repeat(2));
    expect(both.match(/200 OK/g)).toHaveLength(2);
    expect(await service.exit).toBe(0);
  });

  it("requeues a hanging attempt, repeats it after the next start, and exits with 1 at once at a second signal", async () => {
    await start();
    receiver = await startReceiver(hang);
    const { ownerToken, botId, botToken } = await makeBot();
    await request(ownerToken, "PUT", `/v1/bot-api/bots/${botId}/webhook`, { url: receiver.url });
    await post(botToken);
    await eventually("the receiver is called", () => receiver?.requests.length === 1);
    expect(await service.stop()).toBe(0);

    receiver.answerWith(accept);
    await start();
    await eventually("the update is sent again", () => receiver?.requests.length === 2);
    expect(receiver.requests[1]?.body).toBe(receiver.requests[0]?.body);
    const stats = await eventually("the delivery is written down", async () => {
      const answer = await request<{ delivered_updates: number }>(
        ownerToken,
        "GET",
        `/v1/bot-api/bots/${botId}/stats`,
      );
      return answer.delivered_updates === 1 ? answer : undefined;
    });
    expect(stats).toMatchObject({ total_updates: 1, pending_updates: 0, scheduled_retries: 0 });

    receiver.answerWith(hang);
    await post(botToken);
    await eventually("the receiver is called", () => receiver?.requests.length === 3);
    // The hanging attempt holds the drain up for as long as it may; within that time the second signal has to come.
    const insisting = setInterval(() => service.child.kill("SIGTERM"), 50);
    expect(await service.exit).toBe(1);
    clearInterval(insisting);
  });

  it.skipIf(engine.name !== "sqlite")("ends in time during an endless statement", async () => {
    await start();
    const { ownerToken } = await makeBot();
    const intruder = await openDatabase(join(home.dataDir, "botyard.db"), 10_000);
    intruder.exec(`
      CREATE TRIGGER endless BEFORE INSERT ON channels BEGIN
        SELECT count(*) FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n);
      END`);
    intruder.close();
    const channel = { slug: "endless", title: "Endless" };
    const unanswered = request(ownerToken, "POST", "/v1/channels", channel).catch(() => "unanswered");
    for (let round = 0; round < 3; round += 1) await fetch(`${service.url}/livez`);
    const toldAt = performance.now();
    expect(await service.stop()).toBe("SIGKILL");
    expect(performance.now() - toldAt).toBeLessThan(5_000);
    expect(await unanswered).toBe("unanswered");
    expect(service.stdout()).toContain('"event":"drain_cut_off"');
  });

  async function makeBot(): Promise<{ ownerToken: string; botId: string; botToken: string }> {
    const minted = await commandResult(["owner-token", "--user", "alice"], { DATA_DIR: home.dataDir });
    const ownerToken = minted.stdout.trim();
    const { bot, token } = await request<{ bot: { id: string }; token: { token: string } }>(
      ownerToken,
      "POST",
      "/v1/bot-api/bots",
      { username: "echo" },
    );
    const channel = await request<{ id: string }>(ownerToken, "POST", "/v1/channels", {
      slug: "news",
      title: "News",
    });
    await request(ownerToken, "POST", `/v1/bot-api/bots/${bot.id}/channels/${channel.id}`);
    return { ownerToken, botId: bot.id, botToken: token.token };
  }

  async function post(botToken: string): Promise<void> {
    const { items } = await request<{ items: { id: string }[] }>(botToken, "GET", "/v1/bot-api/channels");
    await request(botToken, "POST", `/v1/bot-api/channels/${items[0]?.id}/posts`, { body: "hello" });
  }

  function pollFor(botToken: string, timeoutS: number): Promise<Response> {
    return fetch(`${service.url}/v1/bot-api/updates?timeout=${timeoutS}`, {
      headers: { authorization: `Bearer ${botToken}` },
    });
  }

  /** Nothing outside shows that a poll waits; a request sent after it and answered says that it has arrived. */
  async function waitingForUpdates(): Promise<void> {
    for (let round = 0; round < 3; round += 1) await fetch(`${service.url}/readyz`);
  }

  async function request<Answer>(
    token: string,
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer> {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    expect(response.status, `${method} ${path}`).toBeLessThan(300);
    return (await response.json()) as Answer;
  }
});

it(`a service on ${engine.name} that meets an unhandled error logs it and exits with 1`, async () => {
  const bug = 'process.on("SIGUSR2", () => Promise.reject(new Error("nobody foresaw this")))';
  const home = await engine.createHome();
  const buggy = await startServiceProcess(home.dataDir, {
    ...home.environment,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bug)}`,
  });
  expect(await buggy.stop("SIGUSR2")).toBe(1);
  await home.remove();
  const last = JSON.parse(buggy.stdout().trim().split("\n").at(-1) ?? "") as {
    level: string;
    err: { message: string };
  };
  expect(last).toMatchObject({ level: "fatal", err: { message: "nobody foresaw this" } });
});

/** Sends these bytes over one connection, and reads for as long as answers come. */
async function talk(url: string, requests: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  socket.write(requests);
  const wanted = requests.split("HTTP/1.1").length - 1;
  await eventually("all are answered", () => (text.match(/HTTP\/1.1 \d/g) ?? []).length === wanted);
  socket.destroy();
  return text;
}
