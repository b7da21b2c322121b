import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { engine, onDatabase, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type Owner, ownerAt } from "../support/load.js";
import { environmentOf, type ServiceProcess, startServiceProcess } from "../support/program.js";
import { accept, hang, type Receiver, refuse, startReceiver } from "../support/receiver.js";
import { createShiftedClock, type ShiftedClock } from "../support/shifted-clock.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer than the intervals of claims and renewals and the time an idle lane is held. */
const ALL_ROUNDS_MS = 3_000;

/**
 * The clock on the wall is that of the service and, on SQLite, of its store. PostgreSQL goes by its own, which tells when
 * leases run out and when lanes and retries are due.
 */
describe(`a service on ${engine.name} whose clock is set`, () => {
  let home: StoreHome;
  let clock: ShiftedClock;
  let service: ServiceProcess;
  let receiver: Receiver;
  let owner: Owner;
  let made = 0;
  let channelId: string;
  let bot: { id: string; token: string };

  const start = async (env: Record<string, string> = {}): Promise<void> => {
    service = await startServiceProcess(home.dataDir, {
      ...home.environment,
      ...clock.environment,
      WEBHOOK_RETRY_SCHEDULE: "1h,1h,1h,1h,1h",
      LOG_LEVEL: "error",
      ...env,
    });
    owner = ownerAt(await environmentOf("alice", service, home.dataDir));
  };
  const stop = async (): Promise<void> => {
    await service.stop();
  };

  beforeAll(async () => {
    home = await engine.createHome();
    clock = createShiftedClock();
    await start();
  });
  afterAll(async () => {
    await stop();
    await home.remove();
    clock.remove();
  });

  beforeEach(async () => {
    await clock.shift(0);
    receiver = await startReceiver();
    const name = `bot-${++made}`;
    channelId = await owner.createChannel(name);
    bot = await owner.createBot(name, [channelId]);
    await owner.setWebhook(bot.id, receiver.url);
  });
  afterEach(async () => {
    // Nothing of it is due when the next test sets the clock.
    await owner.call("DELETE", `/v1/bot-api/bots/${bot.id}`);
    await receiver.close();
  });

  const post = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const { status } = await ask(service, "POST", `/v1/bot-api/channels/${channelId}/posts`, {
        token: bot.token,
        body: { body: `post ${n}` },
      });
      expect(status).toBe(201);
    }
  };
  const stats = () => owner.get<Record<string, number>>(`/v1/bot-api/bots/${bot.id}/stats`);
  const delivered = (count: number) =>
    eventually(
      `${count} updates to be delivered`,
      async () => (await stats())["delivered_updates"] === count,
    );

  /** Until what was due in less is due by the clock that says so: the service's, or the database's, which nobody can set. */
  const letPass = async (ms: number): Promise<void> => {
    const url = home.environment.DATABASE_URL;
    if (!url) return await clock.shift(ms);
    await onDatabase(
      url,
      `UPDATE lanes SET due_at = due_at - ${ms}, resting_until = greatest(0, resting_until - ${ms});
      UPDATE updates SET due_at = greatest(0, due_at - ${ms}) WHERE due_at IS NOT NULL`,
    );
  };

  it("back and ahead by an hour still delivers new posts at once", async () => {
    let count = 0;
    for (const shiftMs of [0, -HOUR_MS, 0, HOUR_MS, 0, -HOUR_MS, HOUR_MS]) {
      await clock.shift(shiftMs);
      await post(3);
      count += 3;
      await delivered(count);
      // Long enough for the lane to be given back, so that it is claimed anew after the next step.
      await sleep(500);
    }
    expect(receiver.requests).toHaveLength(count);
  });

  it("repeats no attempt in flight, and continues with the lane", async () => {
    receiver.answerWith(hang);
    await post(4);
    await eventually("the attempts are under way", () => receiver.requests.length === 4);
    for (const shiftMs of [HOUR_MS, -HOUR_MS]) {
      await clock.shift(shiftMs);
      await sleep(ALL_ROUNDS_MS);
      expect(receiver.requests).toHaveLength(4);
    }
    await stop();
    receiver.answerWith(accept);
    await start();
    await delivered(4);
    await post(4);
    await delivered(8);
  });

  it("makes retries that become due together one at a time, each once", async () => {
    receiver.answerWith(refuse(503));
    await post(20);
    // Failures of three updates turn the lane to probing; what was under way beside them ends too.
    await eventually("the lane rests", async () => ((await stats())["scheduled_retries"] ?? 0) >= 3);
    await sleep(500);
    const asked = receiver.requests.length;
    receiver.answerWith(refuse(503));
    if (engine.name !== "sqlite") {
      // The database's clock says when they are due, whatever that of the instance says.
      await clock.shift(HOUR_MS);
      await sleep(ALL_ROUNDS_MS);
      expect(receiver.requests).toHaveLength(asked);
    }
    await letPass(2 * HOUR_MS);
    await eventually("a probe", () => receiver.requests.length > asked);
    await sleep(ALL_ROUNDS_MS);
    expect(receiver.requests).toHaveLength(asked + 1);
    expect(receiver.mostUnderWay()).toBe(1);

    receiver.answerWith(accept);
    await letPass(4 * HOUR_MS);
    await delivered(20);
    expect(receiver.requests).toHaveLength(asked + 1 + 20);
    // And back to the real time, hours behind all stored times.
    await clock.shift(0);
    await post(5);
    await delivered(25);
  });

  it("limits the rate by monotonic time", async () => {
    await stop();
    await start({ RATE_LIMIT_BURST: "10", RATE_LIMIT_PER_SECOND: "1" });
    const me = async () => (await ask(service, "GET", "/v1/bot-api/me", { token: bot.token })).status;
    await eventually("the limit is reached", async () => (await me()) === 429);
    await clock.shift(HOUR_MS);
    // Two tokens at most have come back since: an hour's worth would be ten.
    const answers = await Promise.all(Array.from({ length: 8 }, me));
    expect(answers.filter((status) => status === 200).length).toBeLessThan(8);
    await clock.shift(-HOUR_MS);
    await eventually("there is a token again", async () => (await me()) === 200);
    await stop();
    await start();
  });

  it("accepts an owner token while it is valid by the clock, and a bot token always", async () => {
    const { stdout } = await commandResult(["owner-token", "--user", "alice", "--ttl", "30m"], {
      DATA_DIR: home.dataDir,
    });
    const asOwner = async () =>
      (await ask(service, "GET", "/v1/bot-api/bots", { token: stdout.trim() })).status;
    const asBot = async () => (await ask(service, "GET", "/v1/bot-api/me", { token: bot.token })).status;
    for (const [shiftMs, status] of [
      [0, 200],
      [HOUR_MS, 401],
      [0, 200],
      [-HOUR_MS, 200],
    ] as const) {
      await clock.shift(shiftMs);
      expect([await asOwner(), await asBot()]).toEqual([status, 200]);
    }
  });

  it.each([HOUR_MS, -HOUR_MS])(
    "keeps a poll waiting over a step of %i ms, and answers it",
    async (shiftMs) => {
      await post(1);
      const poll = ask(service, "GET", "/v1/bot-api/updates?offset=1&timeout=30", { token: bot.token });
      await clock.shift(shiftMs);
      expect(await Promise.race([poll, sleep(500)])).toBeUndefined();
      await post(1);
      expect((await poll).body.items).toMatchObject([{ update_id: 2 }]);
    },
  );

  it("ahead by a month and back removes old updates, and continues its counters and numbers", async () => {
    await post(3);
    await delivered(3);
    receiver.answerWith(refuse(503));
    await post(2);
    await eventually("they are tried", async () => (await stats())["scheduled_retries"] === 2);
    await stop();
    await clock.shift(31 * DAY_MS);
    await start();
    // Owner tokens made at that time are valid for a month.
    owner = ownerAt(await ownerInAMonth());
    const expired = { total_updates: 5, delivered_updates: 3, terminal_failed_updates: 2 };
    await eventually(
      "the old updates are gone",
      async () => (await stats())["terminal_failed_updates"] === 2,
    );
    expect(await stats()).toMatchObject({ ...expired, pending_updates: 0, scheduled_retries: 0 });

    receiver.answerWith(accept);
    // Another URL, which ends the rest of a receiver that kept failing.
    await owner.setWebhook(bot.id, `${receiver.url}?again`);
    await post(2);
    await delivered(5);
    await clock.shift(0);
    await post(2);
    owner = ownerAt(await environmentOf("alice", service, home.dataDir));
    await delivered(7);
    const { body } = await ask(service, "GET", "/v1/bot-api/updates", { token: bot.token });
    expect(body.items.map((item: { update_id: number }) => item.update_id)).toEqual([6, 7, 8, 9]);
  });

  async function ownerInAMonth(): Promise<Record<string, string>> {
    const ttl = ["owner-token", "--user", "alice", "--ttl", "60d"];
    const { stdout } = await commandResult(ttl, { DATA_DIR: home.dataDir });
    return { BOTYARD_URL: service.url, BOTYARD_TOKEN: stdout.trim() };
  }
});
