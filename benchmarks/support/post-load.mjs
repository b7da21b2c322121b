import { setTimeout as pause } from "node:timers/promises";
import { openLine } from "./line.mjs";
import { monotonicMs, STAMP_DIGITS, stampOf } from "./stamp.mjs";

/**
 * Sends posts over plain sockets, one at a time on each. The service shares its cores with it, so it must be cheap: it
 * takes 11 to 12 µs of processor time per post, where autocannon takes 13 to 16 and could neither stamp each post nor
 * say how many wait.
 *
 * @typedef {{ path: string, token: string }} Target where a post goes; the targets get their posts in turn
 */

const BODY_HEAD = '{"body":"a post of the benchmark, of ordinary length, sent at ';
const BODY_TAIL = '"}';
const BODY_BYTES = BODY_HEAD.length + STAMP_DIGITS + BODY_TAIL.length;

/** How often posts that are due are handed over. */
const TICK_MS = 1;

/**
 * As many posts as the service takes: each connection sends the next one when it has the answer to the last.
 *
 * @param {{ url: string, targets: Target[], connections: number, seconds?: number, posts?: number }} load ends after `seconds` or `posts`
 * @returns posts answered per second and the milliseconds from each post to its answer
 */
export async function flood({ url, targets, connections, seconds = Infinity, posts = Infinity }) {
  const next = takeTurns(url, targets);
  const answersMs = [];
  const startedAt = monotonicMs();
  let sent = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const line = await openLine(url);
      while (sent < posts && monotonicMs() - startedAt < seconds * 1000) {
        sent += 1;
        const sentAt = monotonicMs();
        await line.send(next(sentAt));
        answersMs.push(monotonicMs() - sentAt);
      }
      line.close();
    }),
  );
  return { rate: answersMs.length / ((monotonicMs() - startedAt) / 1000), answersMs };
}

/**
 * Posts at a steady rate, whether the service keeps up or not. A post that finds no free connection waits for one; its
 * stamp is of the moment it was due.
 *
 * @param {{ url: string, targets: Target[], rate: number, seconds: number, connections?: number }} load
 * @param onEnd called when the last post is due, with the number of posts that were
 * @param mayGoOn called once a second with the number of posts so far; the last one is due when it answers no
 * @returns the number of posts, all of them answered, and the milliseconds from each post to its answer
 */
export async function drip(
  { url, targets, rate, seconds, connections = 256 },
  onEnd = async () => {},
  mayGoOn = async () => true,
) {
  const next = takeTurns(url, targets);
  const answersMs = [];
  const lines = await Promise.all(Array.from({ length: connections }, () => openLine(url)));
  const free = [...lines];
  const dueTimes = [];
  let taken = 0;

  const sendOn = async (line) => {
    while (taken < dueTimes.length) {
      const dueAt = dueTimes[taken++];
      await line.send(next(dueAt));
      answersMs.push(monotonicMs() - dueAt);
    }
    free.push(line);
  };

  const startedAt = monotonicMs();
  const most = Math.floor(rate * seconds);
  let askAt = startedAt + 1000;
  while (dueTimes.length < most) {
    const now = monotonicMs();
    if (now >= askAt) {
      if (!(await mayGoOn(dueTimes.length))) break;
      askAt += 1000;
    }
    const dueByNow = Math.min(most, Math.floor((rate * (now - startedAt)) / 1000));
    while (dueTimes.length < dueByNow) {
      dueTimes.push(now);
      const line = free.pop();
      if (line) sendOn(line).catch(giveUp);
    }
    await pause(TICK_MS);
  }
  const posts = dueTimes.length;
  await onEnd(posts);
  while (answersMs.length < posts) await pause(5);
  for (const line of lines) line.close();
  return { posts, answersMs };
}

/** A post that fails ends the benchmark: its figure would be of something else. */
function giveUp(error) {
  process.nextTick(() => {
    throw error;
  });
}

/** Gives the whole request for the next target, stamped with the time it is asked for. */
function takeTurns(url, targets) {
  const { host } = new URL(url);
  const heads = targets.map(
    ({ path, token }) =>
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n${BODY_HEAD}`,
  );
  let turn = 0;
  return (atMs) => {
    turn = (turn + 1) % heads.length;
    return heads[turn] + stampOf(atMs) + BODY_TAIL;
  };
}
