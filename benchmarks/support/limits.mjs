// What is possible at all on this machine: the bare route and the bare loop, measured.
import { CONCURRENCY } from "./busy-service.mjs";
import { flood } from "./post-load.mjs";
import { cpuSeconds } from "./proc.mjs";
import { startProgram } from "./processes.mjs";
import { arrived } from "./watch-receiver.mjs";

/** @returns posts a second that the bare route answers to 64 connections */
export async function floodBareRoute(seconds) {
  const bare = await startProgram("bare-route");
  try {
    const targets = [{ path: "/v1/bot-api/channels/bare/posts", token: "bare" }];
    await flood({ url: bare.url, targets, connections: 64, seconds: 1 });
    const { rate } = await flood({ url: bare.url, targets, connections: 64, seconds });
    return rate;
  } finally {
    await bare.stop();
  }
}

/** @returns deliveries a second of the bare loop, and the processor seconds it took for all of them */
export async function drainBareLoop(requests) {
  const receiver = await startProgram("receiver");
  const loop = await startProgram("bare-loop", receiver.url, requests, CONCURRENCY);
  try {
    const cpuBefore = cpuSeconds(loop.pid);
    await (await fetch(`${loop.url}/go`)).text();
    const rate = await arrived(receiver, requests);
    return { rate, cpu: cpuSeconds(loop.pid) - cpuBefore };
  } finally {
    await loop.stop();
    await receiver.stop();
  }
}
