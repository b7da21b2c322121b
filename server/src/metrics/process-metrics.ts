import { monitorEventLoopDelay } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge, type Registry } from "prom-client";

const SAMPLE_EVERY_MS = 10;
const QUANTILES = [0.5, 0.99, 1];

/**
 * Metrics of the process: the default ones of Node's Prometheus library, the version, and the event loop's delay.
 *
 * @returns stops measuring the delay
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
    help: "Delay of the event loop since the last scrape; quantile 1 is the longest.",
    labelNames: ["quantile"],
    registers: [registry],
    collect() {
      for (const quantile of QUANTILES) late.set({ quantile }, lateSeconds(delay.percentile(quantile * 100)));
      delay.reset();
    },
  });
  return () => delay.disable();
}

/** A sample is the time between two ticks of a timer, its period included; without a sample yet it is 0. */
function lateSeconds(tickNs: number): number {
  return Math.max(0, tickNs / 1e6 - SAMPLE_EVERY_MS) / 1000;
}
