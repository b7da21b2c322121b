// Loaded into a service with `--import`: tells, when asked, how long its event loop was blocked at most since it was last asked.
import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

process.on("message", () => {
  // What is measured is the time between two beats, so a loop that is never blocked measures the beat itself.
  process.send({ longestBlockMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS) });
  delay.reset();
});
// Listening must not keep the service from ending.
process.channel.unref();
