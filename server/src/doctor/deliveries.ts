import { pino } from "pino";
import type { Config } from "../config.js";
import { openStores } from "../open-store.js";
import type { Inspection } from "../store/inspection.js";
import { StoreUnavailable } from "../store/store.js";
import { FIRST_POSITION, type UnsentPosition, type UnsentStep } from "../store/unsent.js";
import { type Finding, ok, wrong } from "./finding.js";

/** Updates that one step looks at: some 30 ms of the database's time. */
const UPDATES_PER_STEP = 10_000;
const REPAIR = "see what lost them, then make them due: botyard doctor --repair";

export interface RepairOptions {
  isRepaired: boolean;
  /** Called after each step with how many updates were found. */
  onProgress(updates: number): void;
}

/**
 * Updates that no webhook was sent and none would be, as a fail-over that lost data left them before version 0.2.
 *
 * @param cell the cell that is looked at; empty without cells
 */
export async function checkDeliveries(
  config: Config,
  inspection: Inspection,
  { isRepaired, onProgress }: RepairOptions,
  cell = "",
): Promise<Finding[]> {
  const { done, known } = await inspection.schema();
  if (done !== known) return [];
  const found = await walk((from) => inspection.findUnsent(from, UPDATES_PER_STEP), onProgress);
  if (found.updates === 0 && found.lanesBeyond === 0)
    return [ok("deliveries", "every update was sent, or will be")];
  if (!isRepaired)
    return [wrong("deliveries", describe(found, "were never sent, and would never be"), REPAIR)];
  const opened = await openStores(config, pino({ level: "silent" }));
  try {
    const store = opened.cells().find(({ name }) => name === cell)?.store;
    if (!store) throw new StoreUnavailable(`the cell ${cell} cannot be opened`);
    const now = Date.now();
    const mended = await walk((from) => store.repairUnsent(from, UPDATES_PER_STEP, now), onProgress);
    return [ok("deliveries", describe(mended, "are due now"))];
  } finally {
    await opened.store.close();
  }
}

async function walk(
  step: (from: UnsentPosition) => Promise<UnsentStep>,
  onProgress: RepairOptions["onProgress"],
): Promise<UnsentStep> {
  const sum: UnsentStep = { updates: 0, lanesBeyond: 0 };
  for (let from: UnsentPosition | undefined = FIRST_POSITION; from; ) {
    const { updates, lanesBeyond, next }: UnsentStep = await step(from);
    sum.updates += updates;
    sum.lanesBeyond += lanesBeyond;
    onProgress(sum.updates);
    from = next;
  }
  return sum;
}

function describe({ updates, lanesBeyond }: UnsentStep, what: string): string {
  const beyond =
    lanesBeyond > 0 ? `; the positions of ${lanesBeyond} webhooks were beyond the end of their logs` : "";
  return `${updates.toLocaleString("en-US")} updates ${what}${beyond}`;
}
