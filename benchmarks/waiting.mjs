import { once } from "node:events";
import { connect } from "node:net";
import { round } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { cpuSeconds, residentBytes, startBotyard } from "./support/processes.mjs";

export const question = "memory and processor time of 10,000 waiting polls";

const POLLS = 10_000;
const BOTS = 100;
const IDLE_SECONDS = 5;

export async function run(engines) {
  const table = [];
  for (const engine of engines) table.push(await measureEngine(engine));
  return { table, summary: [`resident memory, ${BOTS} bots in one channel`] };
}

async function measureEngine(engine) {
  const botyard = await startBotyard(await engine.newPlace());
  const sockets = [];
  try {
    const owner = ownerOf(botyard);
    const channel = await owner.createChannel("bench");
    const bots = [];
    for (let i = 0; i < BOTS; i++) bots.push(await owner.createBot(`bench-${i}`, channel.id));

    // A first wave warms the process up, so that the second one measures the polls and not the start.
    await openPolls(botyard.url, bots, 1_000, sockets);
    for (const socket of sockets.splice(0)) socket.destroy();
    await settled();

    const before = residentBytes(botyard.pid);
    await openPolls(botyard.url, bots, POLLS, sockets);
    await settled();
    const perPoll = (residentBytes(botyard.pid) - before) / POLLS;
    const cpuBefore = cpuSeconds(botyard.pid);
    await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000));
    const cpu = (cpuSeconds(botyard.pid) - cpuBefore) / IDLE_SECONDS;

    const wokenAt = performance.now();
    const answers = Promise.all(sockets.map((socket) => once(socket, "data")));
    await owner.publish(channel.id, "wake up");
    await answers;
    return {
      engine: engine.name,
      polls: POLLS,
      "KB per poll": round(perPoll / 1024, 1),
      "CPU while idle": `${round(cpu * 100, 1)} %`,
      "all answered after ms": round(performance.now() - wokenAt, 0),
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    await botyard.stop();
  }
}

async function openPolls(url, bots, count, sockets) {
  const { hostname, port } = new URL(url);
  for (let i = 0; i < count; i++) {
    const { token } = bots[i % bots.length];
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.write(
      `GET /v1/bot-api/updates?offset=0&timeout=30 HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    sockets.push(socket);
    if (i % 200 === 199) await once(socket, "connect");
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 3_000));
