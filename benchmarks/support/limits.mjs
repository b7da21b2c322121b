// The limits of this machine: the rates of the bare route and of the bare loop.
import { CONCURRENCY } from "./busy-service.mjs";
import { postAtFullSpeed } from "./post-load.mjs";
import { cpuSeconds } from "./proc.mjs";
import { startProgram } from "./processes.mjs";
import { waitForArrivals } from "./watch-receiver.mjs";

/** @returns posts a second that the bare route answers to 64 connections */
export async function measureBareRoute(seconds) {
  const bare = await startProgram("bare-route");
  try {
    const targets = [{ path: "/v1/bot-api/channels/bare/posts", token: "bare" }];
    await postAtFullSpeed({ url: bare.url, targets, connections: 64, seconds: 1 });
    const { rate } = await postAtFullSpeed({ url: bare.url, targets, connections: 64, seconds });
    return rate;
  } finally {
    await bare.stop();
  }
}

/** @returns deliveries a second of the bare loop, and the processor seconds of all of them */
export async function measureBareLoop(requests) {
  const receiver = await startProgram("receiver");
  const loop = await startProgram("bare-loop", receiver.url, requests, CONCURRENCY);
  try {
    const cpuBefore = cpuSeconds(loop.pid);
    await (await fetch(`${loop.url}/go`)).text();
    const rate = await waitForArrivals(receiver, requests);
    return { rate, cpu: cpuSeconds(loop.pid) - cpuBefore };
  } finally {
    await loop.stop();
    await receiver.stop();
  }
}
