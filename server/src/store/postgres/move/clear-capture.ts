import { endCapture, hasCapture } from "./capture.js";
import { type CellAddress, lockMover, openSession } from "./session.js";

/**
 * Removes the triggers that a mover has left in a cell when it was killed after its decision: they refuse the upkeep what is left there of the
 * owner.
 *
 * @returns false while a move out of the cell is under way, which needs them
 */
export async function clearCapture(cell: CellAddress): Promise<boolean> {
  const session = await openSession(cell);
  try {
    // The lock is not taken in vain: a move that begins would be refused.
    if (!(await hasCapture(session.client))) return true;
    if (!(await lockMover(session))) return false;
    await endCapture(session.client);
    return true;
  } finally {
    await session.close();
  }
}
