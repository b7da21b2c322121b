import type { Logger } from "pino";
import { Registry } from "prom-client";
import type { HttpTally } from "../http/tally.js";
import type { StoreObserver } from "../store/observer.js";
import { counterOf, gaugeOf } from "./counted.js";
import { type WatchedDelivery, watchDelivery } from "./delivery-metrics.js";
import { watchHttp } from "./http-metrics.js";
import { watchDisk, watchProcess } from "./process-metrics.js";
import { observeStore } from "./store-metrics.js";
import { type SurveyedStore, startSurvey } from "./survey.js";

/** What the metrics read of the running parts of the service. */
export interface Watched {
  store: SurveyedStore;
  tally: Readonly<HttpTally>;
  polls: { readonly waiting: number };
  delivery: WatchedDelivery;
  /** Off: this instance sends nothing. */
  deliveries: "on" | "off";
  upkeep: { failures(): number; completedAt(): number | undefined };
  /** Undefined when none are made by schedule. */
  backups: { failures(): number; newestAt(): number | undefined } | undefined;
}

export interface Metrics {
  /** For the store, which is opened with it. */
  readonly observer: StoreObserver;
  /** Adds the metrics of the parts, once they exist. */
  watch(parts: Watched): void;
  /** All metrics in Prometheus's text format. */
  scrape(): Promise<string>;
  readonly contentType: string;
  stop(): void;
}

/**
 * Turns the counters of the service's parts into metrics. The parts know nothing of it: they keep plain numbers, which are
 * read at each scrape.
 *
 * @param databaseFolder where the database grows, if that is this machine's disk
 */
export function createMetrics(version: string, logger: Logger, databaseFolder?: string): Metrics {
  const registry = new Registry();
  const ends = [watchProcess(registry, version)];
  if (databaseFolder !== undefined) watchDisk(registry, databaseFolder);
  return {
    observer: observeStore(registry),
    watch({ store, tally, polls, delivery, deliveries, upkeep, backups }) {
      watchHttp(registry, tally, polls);
      watchDelivery(registry, delivery);
      counterOf(
        registry,
        {
          name: "botyard_retention_failures_total",
          help: "Times that old updates could not be removed because the database could not serve.",
        },
        upkeep.failures,
      );
      gaugeOf(
        registry,
        {
          name: "botyard_upkeep_completed_timestamp_seconds",
          help: "When everything old was removed last; only at the one instance of a database that does so.",
        },
        () => {
          const at = upkeep.completedAt();
          return at && at / 1000;
        },
      );
      gaugeOf(
        registry,
        { name: "botyard_deliveries_off", help: "1 when this instance sends nothing to webhooks, else 0." },
        () => (deliveries === "off" ? 1 : 0),
      );
      if (backups) watchBackups(registry, backups);
      const survey = startSurvey(registry, store, logger, deliveries === "on");
      ends.push(() => survey.stop());
    },
    scrape: () => registry.metrics(),
    contentType: registry.contentType,
    stop() {
      for (const end of ends) end();
    },
  };
}

function watchBackups(registry: Registry, { failures, newestAt }: NonNullable<Watched["backups"]>): void {
  counterOf(
    registry,
    { name: "botyard_backup_failures_total", help: "Scheduled backups that could not be made." },
    failures,
  );
  gaugeOf(
    registry,
    {
      name: "botyard_newest_backup_timestamp_seconds",
      help: "When the newest scheduled backup was made; absent before the first one.",
    },
    () => {
      const at = newestAt();
      return at && at / 1000;
    },
  );
}
