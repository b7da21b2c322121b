import type { Database } from "../binding.js";

export interface LogRemover {
  /** Removes the entries of a log up to a number. */
  removeEntries(logKey: number, through: number): void;
  /**
   * Removes what came of them at a destination. A run that goes on above the number stays until its last entry is removed: what is read
   * begins with the entries.
   */
  removeDeliveries(destinationKey: number, through: number): void;
}

export function logRemover(db: Database): LogRemover {
  const removeEntries = db.prepare("DELETE FROM entries WHERE log_key = ? AND number <= ?");
  const removeDeliveries = db.prepare(`
    DELETE FROM deliveries WHERE destination_key = ?1 AND first_number <= ?2 AND last_number <= ?2`);
  return {
    removeEntries: (logKey, through) => void removeEntries.run(logKey, through),
    removeDeliveries: (destinationKey, through) => void removeDeliveries.run(destinationKey, through),
  };
}
