import { stepOf, type UpkeepStep, type UpkeepSteps } from "../../parts/upkeep-store.js";
import type { EventVerbs, Verbs } from "../verbs.js";

/** Only one process uses the database, and holds its upkeep as long as it runs. */
export function upkeepVerbs(
  steps: UpkeepSteps<UpkeepStep>,
): Pick<EventVerbs, "runUpkeep"> & Pick<Verbs, "holdUpkeep"> {
  return {
    holdUpkeep: () => true,
    runUpkeep(task, limit) {
      const { isMore, erasedIds, heads = [] } = stepOf(steps, task, limit);
      return { result: isMore ? "more" : "done", heads, ...(erasedIds && { erasedIds }) };
    },
  };
}
