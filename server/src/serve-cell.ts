import type { Logger } from "pino";
import type { Config } from "./config.js";
import type { Dispatcher } from "./delivery/dispatcher.js";
import type { Metrics } from "./metrics/metrics.js";
import type { EndWork } from "./open-cells.js";
import { startUpkeep, type Upkeep } from "./operations/upkeep/upkeep.js";
import type { Cell } from "./store/cells/cell.js";

export interface CellParts {
  dispatcher: Dispatcher;
  metrics: Metrics | undefined;
  /** Those that run. */
  upkeeps: Set<Upkeep>;
}

/** Delivers the updates of a cell, and keeps and measures it, until the result is called. */
export function serveCell(
  { name, store }: Cell,
  { dispatcher, metrics, upkeeps }: CellParts,
  config: Config,
  logger: Logger,
): EndWork {
  const endDelivery = dispatcher.serve(store);
  const upkeep = startUpkeep({ ...config, store, logger });
  upkeeps.add(upkeep);
  const endMetrics = metrics?.watchCell({ name, store, upkeep });
  return async () => {
    upkeep.stop();
    upkeeps.delete(upkeep);
    endMetrics?.();
    await endDelivery();
  };
}
