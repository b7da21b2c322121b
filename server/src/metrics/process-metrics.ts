import { statfs } from "node:fs/promises";
import { totalmem } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { collectDefaultMetrics, Gauge, type Registry } from "prom-client";
import { gaugeOf } from "./counted.js";

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
  gaugeOf(
    registry,
    { name: "botyard_clock_timestamp_seconds", help: "The time by this instance's clock." },
    () => Date.now() / 1000,
  );
  gaugeOf(
    registry,
    {
      name: "botyard_memory_limit_bytes",
      help: "What the process may take: the limit of its control group, else of the machine.",
    },
    memoryLimit,
  );
  gaugeOf(
    registry,
    { name: "botyard_heap_limit_bytes", help: "What V8's heap may take; beyond it the process is aborted." },
    () => getHeapStatistics().heap_size_limit,
  );

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

/** The room in a folder's file system, for as long as it can be asked. */
export function watchDisk(registry: Registry, folder: string): void {
  const free = new Gauge({
    name: "botyard_data_folder_free_bytes",
    help: "Room that is left for the service in the file system of DATA_DIR; on SQLite alone.",
    registers: [registry],
    async collect() {
      const { bavail, blocks, bsize } = await statfs(folder).catch(() => ({
        bavail: 0,
        blocks: 0,
        bsize: 0,
      }));
      if (blocks === 0) {
        free.remove();
        size.remove();
      } else {
        free.set(bavail * bsize);
        size.set(blocks * bsize);
      }
    },
  });
  const size = new Gauge({
    name: "botyard_data_folder_size_bytes",
    help: "Size of that file system.",
    registers: [registry],
  });
}

/** Without a limit Node reports 0, or more than there is. */
function memoryLimit(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

/** A sample is the time between two ticks of a timer, its period included; without a sample yet it is 0. */
function lateSeconds(tickNs: number): number {
  return Math.max(0, tickNs / 1e6 - SAMPLE_EVERY_MS) / 1000;
}
