/** Is called for what an engine does, at most once for each trip to its database. */
export interface StoreObserver {
  /**
   * A trip has ended, well or not: of a batch to SQLite's thread, of a statement or transaction to PostgreSQL, the wait
   * for a connection included.
   */
  tripEnded(durationMs: number): void;
  /** So many calls shared a trip. Of PostgreSQL's calls only those count that can share one. */
  batched(calls: number): void;
  /** So many posts were stored, and so many updates appended to logs for them. */
  appended(posts: number, updates: number): void;
  /** So many calls failed because the store could not serve. */
  unavailable(calls: number): void;
  /** Hints of other instances were lost for a while. */
  hintsLost(): void;
  /** The database was found to have been set back, by a fail-over or a restore. */
  failedOver(): void;
  /** Pages of the database are damaged. */
  damaged(): void;
  /** The store was closed: nothing follows. */
  closed(): void;
}

export const UNOBSERVED: StoreObserver = {
  tripEnded() {},
  batched() {},
  appended() {},
  unavailable() {},
  hintsLost() {},
  failedOver() {},
  damaged() {},
  closed() {},
};
