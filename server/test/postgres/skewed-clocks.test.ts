import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { engine } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { ownerAt } from "../support/load.js";
import { environmentOf, type ServiceProcess, startServiceInTurn } from "../support/program.js";
import { accept, hang, type Receiver, refuse, startReceiver } from "../support/receiver.js";
import { createShiftedClock } from "../support/shifted-clock.js";

const MINUTE_MS = 60_000;
/** Longer than the interval of claims and the time an idle lane is held. */
const ALL_ROUNDS_MS = 4_000;

/** What a test has for itself, since they run beside each other: nearly all of their time is waiting. */
interface World {
  receiver: Receiver;
  startExact(): Promise<InProcessService>;
  /** An instance whose clock differs from all others by `ms`. It is a process, because a process has one clock. */
  startSkewed(ms: number): Promise<ServiceProcess>;
  makeBot(service: Pick<ServiceProcess, "url">): Promise<void>;
  post(service: Pick<ServiceProcess, "url">): Promise<void>;
}

async function createWorld(atEnd: (remove: () => Promise<void>) => void): Promise<World> {
  const home = await engine.createHome();
  const clock = createShiftedClock();
  const receiver = await startReceiver();
  const services: { stop(signal?: NodeJS.Signals): Promise<unknown> }[] = [];
  let channelId: string;
  let botToken: string;
  const settings = {
    ...home.environment,
    WEBHOOK_RETRY_SCHEDULE: "3s,1h,1h,1h",
    LOG_LEVEL: "error",
  };
  atEnd(async () => {
    for (const service of services) await service.stop("SIGKILL");
    await receiver.close();
    await home.remove();
    clock.remove();
  });
  return {
    receiver,
    async startExact() {
      const service = await startInProcessService(home.dataDir, settings);
      services.push(service);
      return service;
    },
    async startSkewed(ms) {
      await clock.shift(ms);
      const service = await startServiceInTurn(home.dataDir, { ...settings, ...clock.environment });
      services.push(service);
      return service;
    },
    async makeBot(service) {
      const owner = ownerAt(await environmentOf("alice", service, home.dataDir));
      channelId = await owner.createChannel("channel");
      const bot = await owner.createBot("bot", [channelId]);
      botToken = bot.token;
      await owner.setWebhook(bot.id, receiver.url);
    },
    async post(service) {
      const path = `/v1/bot-api/channels/${channelId}/posts`;
      const { status } = await ask(service, "POST", path, { token: botToken, body: { body: "post" } });
      expect(status).toBe(201);
    },
  };
}

const stop = async (service: ServiceProcess): Promise<void> => expect(await service.stop()).toBe(0);

describe.concurrent("instances whose clocks differ", () => {
  it.for([5 * MINUTE_MS, -5 * MINUTE_MS])(
    "hand a lane over at once when one that is %i ms off stops cleanly",
    async (skewMs, { onTestFinished }) => {
      const { receiver, startSkewed, startExact, makeBot, post } = await createWorld(onTestFinished);
      receiver.answerWith(hang);
      const skewed = await startSkewed(skewMs);
      await makeBot(skewed);
      await post(skewed);
      await eventually("the attempt is under way", () => receiver.requests.length === 1);
      receiver.answerWith(accept);
      await startExact();
      await stop(skewed);
      await eventually("another instance makes it", () => receiver.requests.length === 2);
    },
  );

  it.for([5 * MINUTE_MS, -5 * MINUTE_MS])(
    "deliver new posts, and the backlog of a new webhook, at once at one that is %i ms off",
    async (skewMs, { onTestFinished }) => {
      const { receiver, startSkewed, startExact, makeBot, post } = await createWorld(onTestFinished);
      const exact = await startExact();
      const skewed = await startSkewed(skewMs);
      const postedAt = performance.now();
      await makeBot(skewed);
      await post(skewed);
      await eventually("it is delivered", () => receiver.requests.length === 1);
      await sleep(ALL_ROUNDS_MS);
      await stop(skewed);
      await post(exact);
      await eventually("it is delivered", () => receiver.requests.length === 2);
      expect(performance.now() - postedAt).toBeLessThan(MINUTE_MS);
    },
  );

  it.for([2 * 60 * MINUTE_MS, -2 * 60 * MINUTE_MS])(
    "make a retry when it is due, not sooner and not later, after one that is %i ms off",
    async (skewMs, { onTestFinished }) => {
      const { receiver, startSkewed, startExact, makeBot, post } = await createWorld(onTestFinished);
      receiver.answerWith(refuse(503));
      const skewed = await startSkewed(skewMs);
      await makeBot(skewed);
      await post(skewed);
      await eventually("the attempt failed", () => receiver.requests.length === 1);
      await stop(skewed);
      // The first wait is 3 s, a fifth more or less; the second is an hour.
      await startExact();
      await eventually("the retry", () => receiver.requests.length === 2);
      await startSkewed(skewMs);
      await sleep(ALL_ROUNDS_MS);
      expect(receiver.requests).toHaveLength(2);
    },
  );
});
