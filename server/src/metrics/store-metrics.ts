import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { StoreObserver } from "../store/observer.js";

/** From an answer out of memory to a time-out. */
const TRIP_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BATCH_CALLS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/** The engine's own reports as metrics. It reports once per batch, so they are counted at once. */
export function observeStore(registry: Registry): StoreObserver {
  const registers = [registry];
  const posts = new Counter({
    name: "botyard_posts_total",
    help: "Posts stored by this instance.",
    registers,
  });
  const updates = new Counter({
    name: "botyard_updates_total",
    help: "Updates that those posts appended to the logs of bots.",
    registers,
  });
  const trips = new Histogram({
    name: "botyard_store_trip_duration_seconds",
    help: "Trips to the database and back: a batch on SQLite, a statement or transaction on PostgreSQL.",
    buckets: TRIP_SECONDS,
    registers,
  });
  const batches = new Histogram({
    name: "botyard_store_batch_calls",
    help: "Calls that shared one trip to the database.",
    buckets: BATCH_CALLS,
    registers,
  });
  const unavailable = new Counter({
    name: "botyard_store_unavailable_total",
    help: "Calls that failed because the database could not serve.",
    registers,
  });
  const hintsLost = new Counter({
    name: "botyard_hints_lost_total",
    help: "Times that hints of other instances were lost for a while.",
    registers,
  });
  const failovers = new Counter({
    name: "botyard_failovers_noticed_total",
    help: "Times that the database was found to have been failed over or restored.",
    registers,
  });
  const damaged = new Gauge({
    name: "botyard_store_damaged",
    help: "1 once damaged pages were found in the database file, else 0.",
    registers,
  });
  return {
    tripEnded: (durationMs) => trips.observe(durationMs / 1000),
    batched: (calls) => batches.observe(calls),
    appended(postCount, updateCount) {
      posts.inc(postCount);
      updates.inc(updateCount);
    },
    unavailable: (calls) => unavailable.inc(calls),
    hintsLost: () => hintsLost.inc(),
    failedOver: () => failovers.inc(),
    damaged: () => damaged.set(1),
  };
}
