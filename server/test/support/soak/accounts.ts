import { setTimeout as sleep } from "node:timers/promises";
import { type Owner, readLog } from "../load.js";
import type { SoakedBot, Stage } from "./stage.js";

/** The result of a soak. */
export interface Accounts {
  posts: number;
  /** In all logs together. */
  updates: number;
  deliveries: number;
  /** Deliveries of an update that had been delivered before. */
  duplicates: number;
  /** Updates that the owner had to replay because the clock had put their retry an hour off. */
  replayed: number;
  /** Acknowledged posts that a log lacks, and logged updates that never arrived: each is a broken promise. */
  lost: string[];
  /** All other faults. */
  wrong: string[];
}

/** Without faults, every retry is due within seconds. */
const RETRIES_DUE_MS = 5_000;
const PATIENCE_MS = 600_000;
const MAX_PER_REPLAY = 100;

/** Compares every acknowledged post with every bot's log, and every log with what its receiver or poller got. */
export async function reconcile(stage: Stage): Promise<Accounts> {
  const { posts, bots } = stage;
  const owner = await stage.owner();
  const accounts: Accounts = {
    posts: posts.acknowledged.reduce((sum, ids) => sum + ids.length, 0),
    updates: 0,
    deliveries: 0,
    duplicates: 0,
    replayed: 0,
    lost: [],
    wrong: [],
  };
  for (const [place, bot] of bots.entries()) {
    if (bot.receiver) accounts.replayed += await drained(owner, bot);
    const log = await readLog(stage.service().url, bot.token);
    accounts.updates += log.length;
    const logged = new Set(log.map(({ payload }) => payload.post_id));
    const name = `bot ${place}`;
    if (logged.size !== log.length) accounts.wrong.push(`${name} has a post twice in its log`);
    if (log.some(({ update_id }, index) => update_id !== index + 1))
      accounts.wrong.push(`${name} has a gap in its log`);
    for (const channel of bot.channels) {
      for (const id of posts.acknowledged[channel] ?? [])
        if (!logged.has(id)) accounts.lost.push(`post ${id} is not in the log of ${name}`);
    }
    if (bot.receiver) {
      const { times, posts: received, contradictions } = bot.receiver;
      for (const { update_id, payload } of log) {
        if (!times.has(update_id)) accounts.lost.push(`update ${update_id} of ${name} never arrived`);
        else if (received.get(update_id) !== payload.post_id) contradictions.push(update_id);
      }
      if (contradictions.length > 0)
        accounts.wrong.push(`${name} got updates that are not those of its log: ${contradictions.join()}`);
      const total = [...times.values()].reduce((sum, count) => sum + count, 0);
      accounts.deliveries += total;
      accounts.duplicates += total - times.size;
    }
    if (bot.follower) await followed(bot, log.length, name, accounts);
  }
  return accounts;
}

/**
 * Waits until everything is delivered.
 *
 * @returns how many updates had to be replayed for that
 */
async function drained(owner: Owner, { id }: SoakedBot): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS;
  let replayed = 0;
  let left = Number.POSITIVE_INFINITY;
  let fewerSince = performance.now();
  while (performance.now() < deadline) {
    const stats = await owner.get<Record<string, number>>(`/v1/bot-api/bots/${id}/stats`);
    const now = (stats["total_updates"] ?? 0) - (stats["delivered_updates"] ?? 0);
    if (now === 0) return replayed;
    if (now < left) fewerSince = performance.now();
    left = Math.min(left, now);
    if (performance.now() - fewerSince > RETRIES_DUE_MS) {
      const replay = `/v1/bot-api/bots/${id}/webhook/replay?limit=${MAX_PER_REPLAY}`;
      replayed += (await owner.call<{ requeued: number }>("POST", replay)).requeued;
    }
    await sleep(200);
  }
  throw new Error(`${left} updates of bot ${id} are not delivered after ${PATIENCE_MS / 1000} s`);
}

async function followed(
  { follower }: SoakedBot,
  length: number,
  name: string,
  { lost, wrong }: Accounts,
): Promise<void> {
  const deadline = performance.now() + RETRIES_DUE_MS * 4;
  while (follower && follower.seen() < length && performance.now() < deadline) await sleep(50);
  if (follower?.seen() !== length) lost.push(`${name} polled up to ${follower?.seen()} of ${length}`);
  wrong.push(...(follower?.faults ?? []).map((fault) => `${name} polled: ${fault}`));
}

/** Growth in MiB a minute over the longest life of a service, without its first minute or half. */
export function memorySlope(
  lives: Stage["lives"],
): { mebibytesPerMinute: number; minutes: number } | undefined {
  const longest = lives.toSorted((a, b) => b.length - a.length)[0] ?? [];
  const settled = longest.slice(Math.min(60, Math.floor(longest.length / 2)));
  const [first, last] = [settled[0], settled.at(-1)];
  if (!first || !last || settled.length < 5) return undefined;
  const minutes = (last.atMs - first.atMs) / 60_000;
  const meanAt = mean(settled.map(({ atMs }) => atMs));
  const meanBytes = mean(settled.map(({ bytes }) => bytes));
  const together = settled.reduce((sum, { atMs, bytes }) => sum + (atMs - meanAt) * (bytes - meanBytes), 0);
  const spread = settled.reduce((sum, { atMs }) => sum + (atMs - meanAt) ** 2, 0);
  return { mebibytesPerMinute: ((together / spread) * 60_000) / 2 ** 20, minutes };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
