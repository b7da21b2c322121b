import { expect } from "vitest";
import { eventually } from "./eventually.js";
import { type Owner, ownerAt, type Poster, readLog, startPoster } from "./load.js";
import { environmentOf, type ServiceProcess } from "./program.js";
import { type ReceivedRequest, type Receiver, startReceiver } from "./receiver.js";

const POSTERS_PER_CHANNEL = 4;

/** Bots, receivers and posters for one service, with their counts. */
export interface LoadedService {
  owner: Owner;
  bots: { id: string; token: string }[];
  /** Posts acknowledged so far. */
  acknowledged(): number;
  /** Updates that arrived at receivers, each counted once. */
  received(): number;
  /** Updates that arrived again. */
  receivedAgain(): number;
  /** Stops posting. */
  quiet(): Promise<void>;
  /**
   * Checks after posting has stopped: no update is missing or repeated in a log, every acknowledged post is in it, and all of
   * it is delivered.
   */
  expectNothingLost(): Promise<void>;
  close(): Promise<void>;
}

let loads = 0;

/**
 * Loads two channels. A bot with a webhook is in the first, one with batches in both, and a polling one in the second. Each load has
 * unique names, so that tests can share a service.
 *
 * @param service returns the current process, which changes with a restart
 * @param intervalMs between an answer and the next post of each of the eight posters. Without, they take all of a machine
 */
export async function loadService(
  service: () => ServiceProcess,
  dataDir: string,
  intervalMs = 0,
): Promise<LoadedService> {
  const receivers = await Promise.all([startReceiver(), startReceiver()]);
  const currentOwner = async () => ownerAt(await environmentOf("alice", service(), dataDir));
  const owner = await currentOwner();
  loads += 1;
  const channels = [
    await owner.createChannel(`one-${loads}`),
    await owner.createChannel(`two-${loads}`),
  ] as const;
  const inOne = await owner.createBot(`in-one-${loads}`, [channels[0]]);
  const inBoth = await owner.createBot(`in-both-${loads}`, channels);
  const polling = await owner.createBot(`polling-${loads}`, [channels[1]]);
  await owner.setWebhook(inOne.id, receivers[0].url);
  await owner.setWebhook(inBoth.id, receivers[1].url, undefined, 20);

  const urlOf = () => service().url;
  const postersIn = (channel: string, token: string): Poster[] =>
    Array.from({ length: POSTERS_PER_CHANNEL }, () => startPoster(urlOf, token, channel, intervalMs));
  const inFirst = postersIn(channels[0], inOne.token);
  const inSecond = postersIn(channels[1], polling.token);
  const idsOf = (posters: readonly Poster[]): string[] => posters.flatMap(({ acknowledged }) => acknowledged);

  return {
    owner,
    bots: [inOne, inBoth, polling],
    acknowledged: () => idsOf([...inFirst, ...inSecond]).length,
    received: () => receivers.reduce((sum, { requests }) => sum + numbersIn(requests).length, 0),
    receivedAgain: () =>
      receivers.reduce((sum, { requests }) => {
        const numbers = numbersIn(requests);
        return sum + numbers.length - new Set(numbers).size;
      }, 0),
    async quiet() {
      await Promise.all([...inFirst, ...inSecond].map((poster) => poster.stop()));
    },
    async expectNothingLost() {
      await expectWholeLog(urlOf(), inOne.token, idsOf(inFirst));
      await expectWholeLog(urlOf(), inBoth.token, idsOf([...inFirst, ...inSecond]));
      await expectWholeLog(urlOf(), polling.token, idsOf(inSecond));
      const owner = await currentOwner();
      await expectAllDelivered(owner, inOne.id, receivers[0]);
      await expectAllDelivered(owner, inBoth.id, receivers[1]);
    },
    async close() {
      await Promise.all(receivers.map((receiver) => receiver.close()));
    },
  };
}

async function expectWholeLog(url: string, token: string, acknowledged: readonly string[]): Promise<void> {
  const log = await readLog(url, token);
  expect(log.map(({ update_id }) => update_id)).toEqual(log.map((_, i) => i + 1));
  const logged = new Set(log.map(({ payload }) => payload.post_id));
  expect(acknowledged.filter((id) => !logged.has(id))).toEqual([]);
  expect(logged.size).toBe(log.length);
}

async function expectAllDelivered(owner: Owner, botId: string, receiver: Receiver): Promise<void> {
  const stats = await eventually("everything is delivered", async () => {
    const now = await owner.get<Record<string, number>>(`/v1/bot-api/bots/${botId}/stats`);
    return now.delivered_updates === now.total_updates ? now : undefined;
  });
  expect(new Set(numbersIn(receiver.requests)).size).toBe(stats.total_updates);
}

/** The updates of requests with one update, and of those with a list. */
function numbersIn(requests: readonly ReceivedRequest[]): number[] {
  return requests.flatMap(({ body, updateId }) => {
    if (!body.startsWith('{"items":')) return [updateId];
    return (JSON.parse(body) as { items: { update_id: number }[] }).items.map((item) => item.update_id);
  });
}
