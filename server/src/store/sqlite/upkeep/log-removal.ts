import type { Database } from "../binding.js";

/**
 * Removes the entries of a log up to a number, and what came of them. A run that goes on above it stays until its last entry is
 * removed: what is read begins with the entries.
 */
export function logRemover(db: Database): (logKey: number, through: number) => void {
  const removeEntries = db.prepare("DELETE FROM entries WHERE log_key = ? AND number <= ?");
  const removeDeliveries = db.prepare(`
    DELETE FROM deliveries WHERE destination_key = ?1 AND first_number <= ?2 AND last_number <= ?2`);
  return (logKey, through) => {
    for (const remove of [removeEntries, removeDeliveries]) remove.run(logKey, through);
  };
}
