import type { Logger } from "pino";
import { Registry } from "prom-client";
import type { HttpTally } from "../http/tally.js";
import type { StoreObserver } from "../store/observer.js";
import { counterOf, gaugeOf, gaugeOfCells } from "./counted.js";
import { type WatchedDelivery, watchDelivery } from "./delivery-metrics.js";
import { watchHttp } from "./http-metrics.js";
import { watchDisk, watchProcess } from "./process-metrics.js";
import { observeStore } from "./store-metrics.js";
import { type Survey, type SurveyedStore, startSurvey } from "./survey.js";
import { watchSurveys } from "./survey-metrics.js";

/** What the metrics read of the running parts of the service. */
export interface Watched {
  /** Undefined without cells. */
  cells: WatchedCells | undefined;
  tally: Readonly<HttpTally>;
  polls: { readonly waiting: number };
  delivery: WatchedDelivery;
  /** Off: this instance sends nothing. */
  deliveries: "on" | "off";
  /** Undefined when none are made by schedule. */
  backups: { failures(): number; newestAt(): number | undefined } | undefined;
}

export interface WatchedCells {
  /** Names of those that cannot serve now. */
  away(): readonly string[];
  isDirectoryAway(): boolean;
}

/** What works on one cell, or on the only database. */
export interface WatchedCell {
  /** Empty where there are no cells. */
  name: string;
  store: SurveyedStore;
  upkeep: { failures(): number; completedAt(): number | undefined };
}

export interface Metrics {
  /** For the store of a cell, which is opened with it. */
  observe(cell: string): StoreObserver;
  /** Adds the metrics of the parts, once they exist. */
  watch(parts: Watched): void;
  /** Adds what is measured in a cell, once {@link Metrics.watch} was called. @returns removes it again */
  watchCell(cell: WatchedCell): () => void;
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
  const surveys = new Map<string, Survey>();
  const upkeeps = new Map<string, WatchedCell["upkeep"]>();
  /** In cells that were removed: a counter never falls. */
  let earlierFailures = 0;
  return {
    observe: observeStore(registry),
    watch({ cells, tally, polls, delivery, deliveries, backups }) {
      watchHttp(registry, tally, polls);
      watchDelivery(registry, delivery);
      counterOf(
        registry,
        {
          name: "botyard_retention_failures_total",
          help: "Times that old updates could not be removed because the database could not serve.",
        },
        () => [...upkeeps.values()].reduce((sum, upkeep) => sum + upkeep.failures(), earlierFailures),
      );
      gaugeOfCells(
        registry,
        {
          name: "botyard_upkeep_completed_timestamp_seconds",
          help: "When everything old was removed last; only at the one instance of a database that does so.",
        },
        () => {
          const times = new Map<string, number>();
          for (const [cell, upkeep] of upkeeps) {
            const at = upkeep.completedAt();
            if (at !== undefined) times.set(cell, at / 1000);
          }
          return times;
        },
      );
      gaugeOfCells(
        registry,
        { name: "botyard_cell_away", help: "1 while the database of a cell cannot serve, else 0." },
        () => {
          const names = cells?.away() ?? [];
          return new Map(
            cells && [...surveys.keys(), ...names].map((cell) => [cell, names.includes(cell) ? 1 : 0]),
          );
        },
      );
      gaugeOf(
        registry,
        {
          name: "botyard_directory_away",
          help: "1 while the directory of the cells cannot be asked, else 0.",
        },
        () => cells && Number(cells.isDirectoryAway()),
      );
      gaugeOf(
        registry,
        { name: "botyard_deliveries_off", help: "1 when this instance sends nothing to webhooks, else 0." },
        () => (deliveries === "off" ? 1 : 0),
      );
      if (backups) watchBackups(registry, backups);
      watchSurveys(registry, surveys, deliveries === "on");
    },
    watchCell({ name, store, upkeep }) {
      const survey = startSurvey(store, logger);
      surveys.set(name, survey);
      upkeeps.set(name, upkeep);
      ends.push(() => survey.stop());
      return () => {
        survey.stop();
        surveys.delete(name);
        upkeeps.delete(name);
        earlierFailures += upkeep.failures();
      };
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
