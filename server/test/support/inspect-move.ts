import { isDecided, isUndecided, readRecords } from "#botyard/store/postgres/move/records.js";
import { type CellAddress, withSessions } from "#botyard/store/postgres/move/session.js";

export interface Inspection {
  /** What an interrupted move has left, or one that is under way does. */
  state: "none" | "undecided" | "decided";
  moveId?: string;
}

export async function inspectMove(
  from: CellAddress,
  to: CellAddress,
  ownerUserId: string,
): Promise<Inspection> {
  return await withSessions(from, to, async (source, target) => {
    const records = await readRecords(source, target, ownerUserId);
    const moveId = records.to?.moveId ?? records.from?.moveId;
    const named = moveId === undefined ? {} : { moveId };
    if (isDecided(records)) return { state: "decided", ...named };
    return isUndecided(records, from.name) ? { state: "undecided", ...named } : { state: "none" };
  });
}
