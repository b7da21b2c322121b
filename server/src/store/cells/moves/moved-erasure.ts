import { OwnerElsewhere, type Store, StoreUnavailable } from "../../store.js";
import type { Verb } from "../../verbs.js";
import type { Cell, Cells } from "../cell.js";
import type { Directory } from "../directory.js";
import { MOVING, moving } from "./moves.js";
import { cellsLeftBy } from "./owner-moves.js";

/** Verbs that delete a post, or a channel: their first parameter names it. */
export const DELETIONS: ReadonlySet<Verb> = new Set<Verb>(["deletePost", "deleteChannel"]);

/** What is erased in the cells that an owner has left, while their feeds still have what they did there. */
export interface MovedErasure {
  /**
   * Called before one of {@link DELETIONS} runs in the cell where the owner lives: when that does not come about, a call that is repeated finds the
   * thing there.
   *
   * @throws OwnerMoving when the owner has just been moved
   * @throws StoreUnavailable when one of the cells cannot be reached
   */
  before(deleted: { channelId: string; postId?: string }, ownerUserId: string, home: Cell): Promise<void>;
  /** A step in each of them, after the one in the owner's cell. @returns the result of all */
  runUpkeep(
    result: Awaited<ReturnType<Store["runUpkeep"]>>,
    ownerUserId: string,
    ...step: Parameters<Store["runUpkeep"]>
  ): ReturnType<Store["runUpkeep"]>;
}

type Moved = Pick<Directory, "knownMoves">;

/**
 * The cells that an owner has left and whose feeds may still have what they did there.
 *
 * @throws StoreUnavailable when this instance does not serve one of them
 */
export function leftCells(ownerUserId: string, cells: Cells, directory: Moved): Cell[] {
  return cellsLeftBy(ownerUserId, directory.knownMoves()).map((number) => {
    const cell = cells().find((one) => one.number === number);
    if (cell) return cell;
    throw new StoreUnavailable("the owner has things in a cell that this instance does not serve");
  });
}

export function createMovedErasure(cells: Cells, directory: Moved): MovedErasure {
  const leftBy = (ownerUserId: string) => leftCells(ownerUserId, cells, directory);

  /** The mover is about to let the upkeep, and us, erase in the cell that the owner has left. */
  const soon =
    (toSay: () => Error) =>
    (error: unknown): never => {
      throw error instanceof OwnerElsewhere ? toSay() : error;
    };

  return {
    async before({ channelId, postId }, ownerUserId, home) {
      for (const cell of leftBy(ownerUserId))
        if (cell !== home) await cell.store.eraseMoved(ownerUserId, channelId, postId).catch(soon(moving));
    },
    async runUpkeep(result, ownerUserId, ...step) {
      const others = leftBy(ownerUserId).map(({ store }) =>
        store.runUpkeep(...step).catch(soon(() => new StoreUnavailable(MOVING))),
      );
      const results = new Set([result, ...(await Promise.all(others))]);
      return (["more", "elsewhere"] as const).find((one) => results.has(one)) ?? "done";
    },
  };
}
