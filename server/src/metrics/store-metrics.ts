import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { StoreObserver } from "../store/observer.js";
import { labelsOf } from "./counted.js";

/** From an answer out of memory to a time-out. */
const TRIP_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BATCH_CALLS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/** The engine's own reports as metrics, of each cell. It reports once per batch, so they are counted at once. */
export function observeStore(registry: Registry): (cell: string) => StoreObserver {
  const common = { registers: [registry], labelNames: ["cell"] };
  const posts = new Counter({
    name: "botyard_posts_total",
    help: "Posts stored by this instance.",
    ...common,
  });
  const updates = new Counter({
    name: "botyard_updates_total",
    help: "Updates that those posts appended to the logs of bots.",
    ...common,
  });
  const trips = new Histogram({
    name: "botyard_store_trip_duration_seconds",
    help: "Trips to the database and back: a batch on SQLite, a statement or transaction on PostgreSQL.",
    buckets: TRIP_SECONDS,
    ...common,
  });
  const batches = new Histogram({
    name: "botyard_store_batch_calls",
    help: "Calls that shared one trip to the database.",
    buckets: BATCH_CALLS,
    ...common,
  });
  const unavailable = new Counter({
    name: "botyard_store_unavailable_total",
    help: "Calls that failed because the database could not serve.",
    ...common,
  });
  const hintsLost = new Counter({
    name: "botyard_hints_lost_total",
    help: "Times that hints of other instances were lost for a while.",
    ...common,
  });
  const failovers = new Counter({
    name: "botyard_failovers_noticed_total",
    help: "Times that the database was found to have been failed over or restored.",
    ...common,
  });
  const damaged = new Gauge({
    name: "botyard_store_damaged",
    help: "1 once damaged pages were found in the database file, else 0.",
    ...common,
  });
  return (cell) => {
    const labels = labelsOf(cell);
    // A counter is there from the start, not from the first count on.
    for (const counter of [posts, updates, unavailable, hintsLost, failovers]) counter.inc(labels, 0);
    for (const histogram of [trips, batches]) histogram.zero(labels);
    damaged.set(labels, 0);
    return {
      tripEnded: (durationMs) => trips.observe(labels, durationMs / 1000),
      batched: (calls) => batches.observe(labels, calls),
      appended(postCount, updateCount) {
        posts.inc(labels, postCount);
        updates.inc(labels, updateCount);
      },
      unavailable: (calls) => unavailable.inc(labels, calls),
      hintsLost: () => hintsLost.inc(labels),
      failedOver: () => failovers.inc(labels),
      damaged: () => damaged.set(labels, 1),
      closed() {
        for (const metric of [posts, updates, trips, batches, unavailable, hintsLost, failovers, damaged])
          metric.remove(labels);
      },
    };
  };
}
