// Loaded into a service with `--import`: answers a message with the longest block of its event loop since the last message.
import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

process.on("message", () => {
  // The histogram has the time between two ticks, so a loop that is never blocked shows the resolution itself.
  process.send({ longestBlockMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS) });
  delay.reset();
});
// Listening must not keep the process alive.
process.channel.unref();
