import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { beside, median, round } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { cpuSeconds, residentBytes } from "./support/proc.mjs";
import { startBotyard } from "./support/processes.mjs";

export const question =
  "memory and processor time of 10,000 and 20,000 waiting polls, and the time until 10,000 are answered";

/** They share the polls whose memory is measured. */
const POLLING_BOTS = 100;
const IDLE_SECONDS = 5;
const SETTLE_MS = 3_000;
const WAKE_UPS = 5;
/** Files of the service beside its polls. */
const FILES_LEFT = 400;
const GOALS = { kilobytes: { atMost: 12 }, idlePercent: { atMost: 1 } };

export async function run(engines, { quick }) {
  const wave = quick ? 1_000 : 10_000;
  const allowed = openFilesAllowed() - FILES_LEFT;
  const most = Math.min(2 * wave, allowed);
  const table = [];
  for (const engine of engines) table.push(...(await measureEngine(engine, wave, most)));
  const summary = table.flatMap((row) => [
    `${row.engine}, ${row.polls} polls: KB per poll ${beside(row["KB per poll"], GOALS.kilobytes, 1)}`,
    `${row.engine}, ${row.polls} polls: percent of a core while idle ${beside(row["% of a core while idle"], GOALS.idlePercent, 1)}`,
  ]);
  if (most < 2 * wave) {
    summary.push(
      `this machine lets a process open ${allowed + FILES_LEFT} files (ulimit -Hn), so there were ${most} polls and not ${2 * wave}`,
    );
  }
  summary.push("memory is what is resident; the bots that are woken are all in one channel");
  return { table, summary };
}

async function measureEngine(engine, wave, most) {
  const botyard = await startBotyard(await engine.newPlace());
  const polls = [];
  const hangUp = async () => {
    // Reset, not closed: a closed connection keeps its port for a minute, and the next wave needs it.
    for (const { socket } of polls.splice(0)) socket.resetAndDestroy();
    await pause(SETTLE_MS);
  };
  try {
    const owner = ownerOf(botyard);
    const channel = await owner.createChannel("bench");
    const bots = await owner.createBots(POLLING_BOTS, "bench", channel.id);
    const open = async (count) => polls.push(...(await openPolls(botyard.url, bots, count)));

    // A first wave warms the process up, so that the others measure the polls and not the start.
    await open(500);
    await hangUp();
    const before = residentBytes(botyard.pid);
    const rows = [];
    for (const count of [wave, most]) {
      await open(count);
      rows.push({ engine: engine.name, ...(await measureWaiting(botyard.pid, count, before)) });
      await hangUp();
    }

    // Only now the bots of which each has a poll of its own: making them leaves memory behind that is not of polls.
    bots.push(...(await owner.createBots(wave - bots.length, "more", channel.id)));
    await open(wave);
    await pause(SETTLE_MS);
    const wakeUps = [];
    for (let updateId = 1; updateId <= WAKE_UPS; updateId++) {
      wakeUps.push(await wakeAll(owner, channel, polls));
      for (const { ask } of polls) ask(updateId);
      await pause(SETTLE_MS / 2);
    }
    rows[0][`${wave} bots woken after ms`] = round(median(wakeUps), 0);
    return rows;
  } finally {
    for (const { socket } of polls) socket.destroy();
    await botyard.stop();
  }
}

async function measureWaiting(pid, count, before) {
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

/** @returns milliseconds from a post to the answer of the last poll */
async function wakeAll(owner, channel, polls) {
  const answers = Promise.all(polls.map(({ socket }) => once(socket, "data")));
  const startedAt = performance.now();
  await owner.publish(channel.id, "wake up");
  await answers;
  return performance.now() - startedAt;
}

/** Opens polls of the bots in turn; `ask` polls once more on the same connection. */
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

/** Node raises the limit of its own process to the highest it may have. */
function openFilesAllowed() {
  const limits = readFileSync("/proc/self/limits", "utf8");
  return Number(/^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
}
