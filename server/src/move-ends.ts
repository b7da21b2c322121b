import type { SharedDatabase } from "./config.js";
import type { Cell, Cells } from "./store/cells/cell.js";
import type { CellEntry, Directory } from "./store/cells/directory.js";
import type { CellAddress } from "./store/postgres/move/session.js";
import { OwnerElsewhere, type OwnerMove, type Store, StoreUnavailable } from "./store/store.js";

/**
 * Does in the cell that an owner has moved to, and in the directory, what the mover could not.
 *
 * @param entries the cells of the directory
 * @param cells those that are open here
 */
export function createMoveEnds(
  database: SharedDatabase,
  directory: Directory,
  entries: () => readonly CellEntry[],
  cells: Cells,
): (ownerUserId: string, from: Cell, move: OwnerMove) => Promise<void> {
  return async (ownerUserId, from, { moveId, otherCell }) => {
    if (await hasArrived(ownerUserId, moveId, otherCell))
      return await directory.moveOwner(ownerUserId, from.name, otherCell);
    const { addressOf } = await import("./store/postgres/directory/cell-tables.js");
    const [left, entered] = [from.name, otherCell].map((wanted) => {
      const entry = entries().find(({ name }) => name === wanted);
      return entry && { name: wanted, ...addressOf(database, entry) };
    });
    if (!left || !entered) return;
    const { finishMove } = await import("./store/postgres/move/move-owner.js");
    // Before anybody is led there.
    await finishMove(left, entered, ownerUserId, directory.noteMove).catch((cause: Error) => {
      throw new StoreUnavailable(`the owner has moved to the cell ${otherCell}, which cannot serve now`, {
        cause,
      });
    });
    await directory.moveOwner(ownerUserId, from.name, otherCell);
  };

  /** As a rule: only this instance has not heard of it. Asked without a connection of its own, since there may be many such owners. */
  async function hasArrived(ownerUserId: string, moveId: string, name: string): Promise<boolean> {
    const cell = cells().find((other) => other.name === name);
    if (!cell) return false;
    const move = await cell.store.readOwnerMove(ownerUserId);
    return move?.state !== "arriving" || move.moveId !== moveId;
  }
}

/**
 * The store of a cell, whose upkeep removes what refuses its steps: a mover that was killed after its decision has left that. While a move is
 * under way, its mover erases.
 */
export function clearingCapture(store: Store, cell: CellAddress): Store {
  return {
    ...store,
    async runUpkeep(...parameters) {
      try {
        return await store.runUpkeep(...parameters);
      } catch (error) {
        if (!(error instanceof OwnerElsewhere)) throw error;
        const { clearCapture } = await import("./store/postgres/move/clear-capture.js");
        return (await clearCapture(cell)) ? "more" : "elsewhere";
      }
    },
  };
}
