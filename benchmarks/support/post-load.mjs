import { setTimeout as pause } from "node:timers/promises";
import { openHttpClient } from "./http-client.mjs";
import { monotonicMs, STAMP_DIGITS, stampOf } from "./stamp.mjs";

/**
 * Sends posts over plain sockets, one at a time on each. It shares the cores with the service, so it must be cheap: it
 * takes 11 to 12 µs of processor time per post; autocannon takes 13 to 16, and can neither stamp each post nor
 * report how many wait.
 *
 * @typedef {{ path: string, token: string, isKeyed?: boolean, channelIds?: string[] }} Target a route for posts, each of which has an
 * idempotency key if it is keyed; the targets get posts in turn. With `channelIds` it takes batches, of a post for each of them
 */

const BODY_HEAD = '{"body":"a post of the benchmark, of ordinary length, sent at ';
const BODY_TAIL = '"}';
const BODY_BYTES = BODY_HEAD.length + STAMP_DIGITS + BODY_TAIL.length;

/** How often due posts are sent. */
const TICK_MS = 1;

/**
 * Posts as fast as the service answers: each connection sends the next post when it has the answer to the last.
 *
 * @param {{ url: string, targets: Target[], connections: number, seconds?: number, posts?: number }} load ends after
 *   `seconds` or `posts`
 * @returns posts answered per second and the milliseconds from each request to its answer
 */
export async function postAtFullSpeed({ url, targets, connections, seconds = Infinity, posts = Infinity }) {
  const next = createRequestTurns(url, targets);
  const postsPerRequest = targets[0].channelIds?.length ?? 1;
  const answersMs = [];
  const startedAt = monotonicMs();
  let sent = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = await openHttpClient(url);
      while (sent < posts && monotonicMs() - startedAt < seconds * 1000) {
        sent += postsPerRequest;
        const sentAt = monotonicMs();
        await client.send(next(sentAt));
        answersMs.push(monotonicMs() - sentAt);
      }
      client.close();
    }),
  );
  return { rate: (answersMs.length * postsPerRequest) / ((monotonicMs() - startedAt) / 1000), answersMs };
}

/**
 * Posts at a steady rate, whether the service keeps up or not. A post that finds no free connection waits for one; its
 * stamp is the time when it was due.
 *
 * @param {{ url: string, targets: Target[], rate: number, seconds: number, connections?: number }} load
 * @param onEnd called when the last post is due, with the number of posts
 * @param shouldContinue called once a second with the number of posts so far; `false` ends the load
 * @returns the number of posts, all of them answered, and the milliseconds from each post to its answer
 */
export async function postAtRate(
  { url, targets, rate, seconds, connections = 256 },
  onEnd = async () => {},
  shouldContinue = async () => true,
) {
  const next = createRequestTurns(url, targets);
  const answersMs = [];
  const clients = await Promise.all(Array.from({ length: connections }, () => openHttpClient(url)));
  const free = [...clients];
  const dueTimes = [];
  let taken = 0;

  const sendDuePosts = async (client) => {
    while (taken < dueTimes.length) {
      const dueAt = dueTimes[taken++];
      await client.send(next(dueAt));
      answersMs.push(monotonicMs() - dueAt);
    }
    free.push(client);
  };

  const startedAt = monotonicMs();
  const most = Math.floor(rate * seconds);
  let askAt = startedAt + 1000;
  while (dueTimes.length < most) {
    const now = monotonicMs();
    if (now >= askAt) {
      if (!(await shouldContinue(dueTimes.length))) break;
      askAt += 1000;
    }
    const dueByNow = Math.min(most, Math.floor((rate * (now - startedAt)) / 1000));
    while (dueTimes.length < dueByNow) {
      dueTimes.push(now);
      const client = free.pop();
      if (client) sendDuePosts(client).catch(failBenchmark);
    }
    await pause(TICK_MS);
  }
  const posts = dueTimes.length;
  await onEnd(posts);
  while (answersMs.length < posts) await pause(5);
  for (const client of clients) client.close();
  return { posts, answersMs };
}

/** A failed post ends the benchmark, because its figure would be wrong. */
function failBenchmark(error) {
  process.nextTick(() => {
    throw error;
  });
}

/** @returns a function that makes the request for the next target, stamped with the given time */
function createRequestTurns(url, targets) {
  const { host } = new URL(url);
  const load = `Content-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n${BODY_HEAD}`;
  const batches = targets.map(({ channelIds }) => channelIds && createBatch(channelIds));
  const heads = targets.map(
    ({ path, token }) => `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n`,
  );
  let sent = 0;
  return (atMs) => {
    const turn = ++sent % heads.length;
    const batch = batches[turn];
    if (batch) return heads[turn] + batch(atMs);
    const key = targets[turn].isKeyed
      ? `Idempotency-Key: post-${process.pid}-${monotonicMs()}-${sent}\r\n`
      : "";
    return heads[turn] + key + load + stampOf(atMs) + BODY_TAIL;
  };
}

/** @returns a function that makes the rest of a request with a post for each of the channels, stamped with the given time */
function createBatch(channelIds) {
  const heads = channelIds.map((id) => `{"channel_id":"${id}",${BODY_HEAD.slice(1)}`);
  const postsOf = (stamp) => `{"posts":[${heads.map((head) => head + stamp + BODY_TAIL).join(",")}]}`;
  const load = `Content-Type: application/json\r\nContent-Length: ${postsOf(stampOf(0)).length}\r\n\r\n`;
  return (atMs) => load + postsOf(stampOf(atMs));
}
