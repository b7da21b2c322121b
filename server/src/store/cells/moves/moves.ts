import { type OwnerMove, OwnerMoving } from "../../store.js";
import type { Cell } from "../cell.js";
import type { Locations } from "../locations.js";

/** Owners who are being moved, or have just been, as far as is known here. */
export interface Moves {
  /** @throws OwnerMoving while nothing of the owner may be changed */
  refuseWhilePaused(ownerUserId: string): void;
  /**
   * Asks the cell where an owner is thought to live whether they have left it.
   *
   * @throws OwnerMoving when they are about to, and the caller writes
   */
  hasLeft(ownerUserId: string, cell: Cell, isWrite: boolean): Promise<boolean>;
}

/** A pause ends for those who have not heard of it either way, and no mover pauses an owner for longer at a time. */
const MAX_PAUSE_MS = 10_000;

/** @param onLeft brings the directory, and the cell where the owner is now, up to date, if the mover could not */
export function createMoves(
  locations: Pick<Locations, "forget">,
  onLeft: (ownerUserId: string, from: Cell, move: OwnerMove) => Promise<void>,
): Moves {
  /** Until when, by the clock of this process. */
  const paused = new Map<string, number>();

  return {
    refuseWhilePaused(ownerUserId) {
      if (paused.size === 0) return;
      const until = paused.get(ownerUserId);
      if (until === undefined) return;
      if (performance.now() < until) throw moving();
      paused.delete(ownerUserId);
    },
    async hasLeft(ownerUserId, cell, isWrite) {
      const move = await cell.store.readOwnerMove(ownerUserId);
      if (move?.state === "left") {
        paused.delete(ownerUserId);
        await onLeft(ownerUserId, cell, move);
        locations.forget(ownerUserId);
        return true;
      }
      const restMs = move?.pausedUntil === undefined ? 0 : move.pausedUntil - Date.now();
      if (restMs <= 0) {
        paused.delete(ownerUserId);
        return false;
      }
      paused.set(ownerUserId, performance.now() + Math.min(restMs, MAX_PAUSE_MS));
      if (isWrite) throw moving();
      return false;
    },
  };
}

export const MOVING = "the owner is being moved to another database";

export const moving = (): OwnerMoving => new OwnerMoving(`${MOVING}: try again in 1 s`);
