import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { engine, onDatabase, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type Owner, ownerAt } from "../support/load.js";
import {
  type Environment,
  environmentOf,
  type ServiceProcess,
  startServiceInTurn,
} from "../support/program.js";
import { accept, hang, refuse, startReceiver } from "../support/receiver.js";
import { createShiftedClock, type ShiftedClock } from "../support/shifted-clock.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer than the intervals of claims and renewals and the time an idle lane is held. */
const ALL_ROUNDS_MS = 3_000;

/** A service whose clock a test sets, and a home of its own. */
interface ClockedService {
  home: StoreHome;
  clock: ShiftedClock;
  url(): string;
  owner(): Owner;
  /** From now on as an owner whose token was made by another clock. */
  actAs(owner: Owner): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Until what was due in less is due by the clock that says so: the service's, or the database's, which nobody can set. */
  letPass(ms: number): Promise<void>;
  remove(): Promise<void>;
}

async function startClockedService(env: Environment = {}): Promise<ClockedService> {
  const home = await engine.createHome();
  const clock = createShiftedClock();
  let service: ServiceProcess;
  let owner: Owner;
  const start = async (): Promise<void> => {
    service = await startServiceInTurn(home.dataDir, {
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
  await start();
  return {
    home,
    clock,
    url: () => service.url,
    owner: () => owner,
    actAs(other) {
      owner = other;
    },
    start,
    stop,
    async letPass(ms) {
      const url = home.environment.DATABASE_URL;
      if (!url) return await clock.shift(ms);
      await onDatabase(
        url,
        `UPDATE lanes SET due_at = due_at - ${ms}, resting_until = greatest(0, resting_until - ${ms});
        UPDATE destinations SET resting_until = greatest(0, resting_until - ${ms});
        UPDATE deliveries SET due_at = greatest(0, due_at - ${ms}) WHERE due_at IS NOT NULL`,
      );
    },
    async remove() {
      await stop();
      await home.remove();
      clock.remove();
    },
  };
}

let made = 0;

/** A bot with a receiver of its webhook, in a channel of its own. */
async function makeBot(service: ClockedService) {
  const receiver = await startReceiver();
  const name = `bot-${++made}`;
  const channelId = await service.owner().createChannel(name);
  const bot = await service.owner().createBot(name, [channelId]);
  await service.owner().setWebhook(bot.id, receiver.url);
  const call = (method: string, path: string, token = bot.token, body?: object) =>
    ask({ url: service.url() }, method, path, { token, ...(body && { body }) });
  const stats = () => service.owner().get<Record<string, number>>(`/v1/bot-api/bots/${bot.id}/stats`);
  return {
    bot,
    receiver,
    call,
    stats,
    async post(count: number): Promise<void> {
      for (let n = 0; n < count; n++) {
        const path = `/v1/bot-api/channels/${channelId}/posts`;
        const { status } = await call("POST", path, bot.token, { body: `post ${n}` });
        expect(status).toBe(201);
      }
    },
    delivered: (count: number) =>
      eventually(
        `${count} updates to be delivered`,
        async () => (await stats())["delivered_updates"] === count,
      ),
  };
}

type ClockedBot = Awaited<ReturnType<typeof makeBot>>;

/**
 * The clock on the wall is that of the service and, on SQLite, of its store. PostgreSQL goes by its own, which tells when
 * leases run out and when lanes and retries are due.
 */
describe(`a service on ${engine.name} whose clock is set`, () => {
  let service: ClockedService;
  let ofBot: ClockedBot;

  beforeAll(async () => {
    service = await startClockedService();
  });
  afterAll(() => service.remove());

  beforeEach(async () => {
    await service.clock.shift(0);
    ofBot = await makeBot(service);
  });
  afterEach(async () => {
    // Nothing of it is due when the next test sets the clock.
    await service.owner().call("DELETE", `/v1/bot-api/bots/${ofBot.bot.id}`);
    await ofBot.receiver.close();
  });

  it("back and ahead by an hour still delivers new posts at once", async () => {
    const { post, delivered, receiver } = ofBot;
    let count = 0;
    for (const shiftMs of [0, -HOUR_MS, 0, HOUR_MS, 0, -HOUR_MS, HOUR_MS]) {
      await service.clock.shift(shiftMs);
      await post(3);
      count += 3;
      await delivered(count);
      // Long enough for the lane to be given back, so that it is claimed anew after the next step.
      await sleep(500);
    }
    expect(receiver.requests).toHaveLength(count);
  });

  it("accepts an owner token while it is valid by the clock, and a bot token always", async () => {
    const { stdout } = await commandResult(["owner-token", "--user", "alice", "--ttl", "30m"], {
      DATA_DIR: service.home.dataDir,
    });
    const asOwner = async () => (await ofBot.call("GET", "/v1/bot-api/bots", stdout.trim())).status;
    const asBot = async () => (await ofBot.call("GET", "/v1/bot-api/me")).status;
    for (const [shiftMs, status] of [
      [0, 200],
      [HOUR_MS, 401],
      [0, 200],
      [-HOUR_MS, 200],
    ] as const) {
      await service.clock.shift(shiftMs);
      expect([await asOwner(), await asBot()]).toEqual([status, 200]);
    }
  });

  it.each([HOUR_MS, -HOUR_MS])(
    "keeps a poll waiting over a step of %i ms, and answers it",
    async (shiftMs) => {
      await ofBot.post(1);
      const poll = ofBot.call("GET", "/v1/bot-api/updates?offset=1&timeout=30");
      await service.clock.shift(shiftMs);
      expect(await Promise.race([poll, sleep(500)])).toBeUndefined();
      await ofBot.post(1);
      expect((await poll).body.items).toMatchObject([{ update_id: 2 }]);
    },
  );
});

/** Most of their time is waiting, so these run beside each other, each with a service of its own. */
describe.concurrent(`a service on ${engine.name} whose clock is set while it works`, () => {
  const begin = async (atEnd: (remove: () => Promise<void>) => void, env: Environment = {}) => {
    const service = await startClockedService(env);
    atEnd(service.remove);
    const ofBot = await makeBot(service);
    atEnd(ofBot.receiver.close);
    return { ...service, ...ofBot };
  };

  it("repeats no attempt in flight, and continues with the lane", async ({ onTestFinished }) => {
    const { clock, start, stop, receiver, post, delivered } = await begin(onTestFinished);
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

  it("makes retries that become due together one at a time, each once", async ({ onTestFinished }) => {
    const { clock, letPass, receiver, post, stats, delivered } = await begin(onTestFinished);
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

  it("limits the rate by monotonic time", async ({ onTestFinished }) => {
    const { clock, call } = await begin(onTestFinished, {
      RATE_LIMIT_BURST: "10",
      RATE_LIMIT_PER_SECOND: "1",
    });
    const me = async () => (await call("GET", "/v1/bot-api/me")).status;
    await eventually("the limit is reached", async () => (await me()) === 429);
    await clock.shift(HOUR_MS);
    // Two tokens at most have come back since: an hour's worth would be ten.
    const answers = await Promise.all(Array.from({ length: 8 }, me));
    expect(answers.filter((status) => status === 200).length).toBeLessThan(8);
    await clock.shift(-HOUR_MS);
    await eventually("there is a token again", async () => (await me()) === 200);
  });

  it("ahead by a month and back removes old updates, and continues its counters and numbers", async ({
    onTestFinished,
  }) => {
    const { home, clock, url, owner, actAs, start, stop, bot, receiver, call, post, stats, delivered } =
      await begin(onTestFinished);
    await post(3);
    await delivered(3);
    receiver.answerWith(refuse(503));
    await post(2);
    await eventually("they are tried", async () => (await stats())["scheduled_retries"] === 2);
    await stop();
    await clock.shift(31 * DAY_MS);
    await start();
    // Owner tokens made at that time are valid for a month.
    actAs(await ownerInAMonth(home, url()));
    const expired = { total_updates: 5, delivered_updates: 3, terminal_failed_updates: 2 };
    await eventually(
      "the old updates are gone",
      async () => (await stats())["terminal_failed_updates"] === 2,
    );
    expect(await stats()).toMatchObject({ ...expired, pending_updates: 0, scheduled_retries: 0 });

    receiver.answerWith(accept);
    // Another URL, which ends the rest of a receiver that kept failing.
    await owner().setWebhook(bot.id, `${receiver.url}?again`);
    await post(2);
    await delivered(5);
    await clock.shift(0);
    await post(2);
    actAs(ownerAt(await environmentOf("alice", { url: url() }, home.dataDir)));
    await delivered(7);
    const { body } = await call("GET", "/v1/bot-api/updates");
    expect(body.items.map((item: { update_id: number }) => item.update_id)).toEqual([6, 7, 8, 9]);
  });

  async function ownerInAMonth({ dataDir }: StoreHome, url: string): Promise<Owner> {
    const ttl = ["owner-token", "--user", "alice", "--ttl", "60d"];
    const { stdout } = await commandResult(ttl, { DATA_DIR: dataDir });
    return ownerAt({ BOTYARD_URL: url, BOTYARD_TOKEN: stdout.trim() });
  }
});
