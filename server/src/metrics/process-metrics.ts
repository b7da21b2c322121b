import { monitorEventLoopDelay } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge, type Registry } from "prom-client";

const SAMPLE_EVERY_MS = 10;
const QUANTILES = [0.5, 0.99, 1];

/**
 * The process itself: what the Prometheus libraries of Node give under the names that all have in common, the version,
 * and how late the event loop is.
 *
 * @returns ends the watch on the event loop
 */
export function watchProcess(registry: Registry, version: string): () => void {
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: "botyard_build_info",
    help: "Always 1; the version is in the label.",
    labelNames: ["version"],
    registers: [registry],
  }).set({ version }, 1);

  const delay = monitorEventLoopDelay({ resolution: SAMPLE_EVERY_MS });
  delay.enable();
  const late = new Gauge({
    name: "botyard_event_loop_delay_seconds",
    help: "How late the event loop came to what was due, since the metrics were read before; quantile 1 is the worst.",
    labelNames: ["quantile"],
    registers: [registry],
    collect() {
      for (const quantile of QUANTILES) late.set({ quantile }, lateSeconds(delay.percentile(quantile * 100)));
      delay.reset();
    },
  });
  return () => delay.disable();
}

/** A sample is the time between two ticks of a timer, its period included; one that has none yet is no delay. */
function lateSeconds(tickNs: number): number {
  return Math.max(0, tickNs / 1e6 - SAMPLE_EVERY_MS) / 1000;
}
