import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { median, round, withGoal } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { cpuSeconds, residentBytes } from "./support/proc.mjs";
import { startBotyard } from "./support/processes.mjs";

export const question =
  "memory and processor time of 10,000 and 20,000 waiting polls, and the time until 10,000 are answered";

/** The polls whose memory is measured belong to these bots in turn. */
const POLLING_BOTS = 100;
const IDLE_SECONDS = 5;
const SETTLE_MS = 3_000;
const WAKE_UPS = 5;
/** Open files of the service that are not polls. */
const FILES_LEFT = 400;
const GOALS = { kilobytes: { atMost: 12 }, idlePercent: { atMost: 1 } };

export async function run(engines, { quick }) {
  const wave = quick ? 1_000 : 10_000;
  const allowed = openFilesAllowed() - FILES_LEFT;
  const most = Math.min(2 * wave, allowed);
  const table = [];
  for (const engine of engines) table.push(...(await measureEngine(engine, wave, most)));
  const summary = table.flatMap((row) => [
    `${row.engine}, ${row.polls} polls: KB per poll ${withGoal(row["KB per poll"], GOALS.kilobytes, 1)}`,
    `${row.engine}, ${row.polls} polls: percent of a core while idle ${withGoal(row["% of a core while idle"], GOALS.idlePercent, 1)}`,
  ]);
  if (most < 2 * wave) {
    summary.push(
      `this machine lets a process open ${allowed + FILES_LEFT} files (ulimit -Hn), so there were ${most} polls and not ${2 * wave}`,
    );
  }
  summary.push("memory is resident memory; the woken bots are all in one channel");
  return { table, summary };
}

async function measureEngine(engine, wave, most) {
  const rows = [];
  for (const count of [wave, most]) {
    rows.push(await withService(engine, (service) => measureWaiting(service, count)));
  }
  rows[0][`${wave} bots woken after ms`] = await withService(engine, (service) =>
    measureWakeUps(service, wave),
  );
  return rows.map((row) => ({ engine: engine.name, ...row }));
}

/** Each wave has a new service, because the garbage of an earlier wave would count as its memory. */
async function withService(engine, measure) {
  const botyard = await startBotyard(await engine.createStore());
  const polls = [];
  try {
    const owner = ownerOf(botyard);
    const channel = await owner.createChannel("bench");
    const createBots = (count, name) => owner.createBots(count, name, channel.id);
    const open = async (bots, count) => polls.push(...(await openPolls(botyard.url, bots, count)));
    return await measure({ pid: botyard.pid, owner, channel, polls, createBots, open });
  } finally {
    // Reset instead of closed, because a closed connection keeps its port for a minute and the next wave needs it.
    for (const { socket } of polls) socket.resetAndDestroy();
    await botyard.stop();
  }
}

async function measureWaiting({ pid, polls, createBots, open }, count) {
  const bots = await createBots(POLLING_BOTS, "bench");
  // A few polls for warming up, so that the others measure the polls and not the start.
  await open(bots, 500);
  for (const { socket } of polls.splice(0)) socket.resetAndDestroy();
  await pause(SETTLE_MS);
  const before = residentBytes(pid);
  await open(bots, count);
  await pause(SETTLE_MS);
  const perPoll = (residentBytes(pid) - before) / count;
  const cpuBefore = cpuSeconds(pid);
  await pause(IDLE_SECONDS * 1000);
  const cores = (cpuSeconds(pid) - cpuBefore) / IDLE_SECONDS;
  return {
    polls: count,
    "KB per poll": round(perPoll / 1024, 1),
    "% of a core while idle": round(cores * 100, 1),
  };
}

/** @returns median milliseconds of a few posts to a channel of `count` bots, each with a waiting poll */
async function measureWakeUps({ owner, channel, polls, createBots, open }, count) {
  await open(await createBots(count, "woken"), count);
  await pause(SETTLE_MS);
  const wakeUps = [];
  for (let updateId = 1; updateId <= WAKE_UPS; updateId++) {
    wakeUps.push(await wakeAll(owner, channel, polls));
    for (const { ask } of polls) ask(updateId);
    await pause(SETTLE_MS / 2);
  }
  return round(median(wakeUps), 0);
}

/** @returns milliseconds from a post to the answer of the last poll */
async function wakeAll(owner, channel, polls) {
  const answers = Promise.all(polls.map(({ socket }) => once(socket, "data")));
  const startedAt = performance.now();
  await owner.publish(channel.id, "wake up");
  await answers;
  return performance.now() - startedAt;
}

/** Opens polls of the bots in turn; `ask` polls again on the same connection. */
async function openPolls(url, bots, count) {
  const { hostname, port } = new URL(url);
  const polls = [];
  for (let i = 0; i < count; i++) {
    const { token } = bots[i % bots.length];
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    const ask = (offset) =>
      socket.write(
        `GET /v1/bot-api/updates?offset=${offset}&timeout=30 HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
    ask(0);
    polls.push({ socket, ask });
    if (i % 200 === 199) await once(socket, "connect");
  }
  return polls;
}

/** The hard limit, to which Node raises its own soft limit. */
function openFilesAllowed() {
  const limits = readFileSync("/proc/self/limits", "utf8");
  return Number(/^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
}
