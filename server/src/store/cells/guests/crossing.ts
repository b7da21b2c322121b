import type { Store } from "../../store.js";
import type { StoreVerbs } from "../../verbs.js";
import type { Cells } from "../cell.js";
import type { Locations } from "../locations.js";
import type { Moves } from "../moves/moves.js";
import { createCrossings } from "./apart.js";
import { attachmentVerbs } from "./crossing-attachments.js";
import { guestBotVerbs } from "./crossing-bots.js";
import { crossingPostVerbs } from "./crossing-posts.js";
import { crossingRoomVerbs } from "./crossing-rooms.js";
import type { Relay } from "./relay.js";

interface CrossingOptions {
  cells: Cells;
  locations: Locations;
  moves: Moves;
  relay: Pick<Relay, "settle" | "wake">;
}

/** Verbs about bots in channels of other cells, beside which a store of cells knows only what is in one. */
export function crossingVerbs(
  verbs: StoreVerbs,
  { cells, locations, moves, relay }: CrossingOptions,
): Partial<Store> {
  const crossings = createCrossings(locations, moves);
  return {
    ...attachmentVerbs(verbs, locations, crossings, relay),
    ...guestBotVerbs(verbs, cells, locations, crossings, relay),
    ...crossingRoomVerbs(verbs, locations, crossings, relay),
    ...crossingPostVerbs({ verbs, cells, locations, crossings, relay }),
  };
}
