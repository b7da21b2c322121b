import type { Logger } from "pino";

/** What an instance logs of its cells and their directory. */
export interface CellsLog {
  cell(name: string, isAway: boolean): void;
  unopened(name: string, reason: string): void;
  removed(name: string): void;
  /** One line for each outage. @param reason why the directory cannot be asked; undefined when it can */
  directory(reason: string | undefined): void;
  /** As was said last. */
  isDirectoryAway(): boolean;
  relayFailed(err: unknown): void;
}

export function createCellsLog(logger: Logger): CellsLog {
  let isDirectoryAway = false;
  return {
    cell(name, isAway) {
      if (isAway)
        logger.error(
          { event: "cell_away", cell: name },
          `the cell ${name} cannot serve: its owners are refused, and all others served`,
        );
      else logger.info({ event: "cell_back", cell: name }, `the cell ${name} serves again`);
    },
    unopened(name, reason) {
      logger.error(
        { event: "cell_unopened", cell: name, reason },
        `the cell ${name} cannot be opened, so its owners are refused until it can: ${reason}`,
      );
    },
    removed(name) {
      logger.info(
        { event: "cell_removed", cell: name },
        `the cell ${name} was removed, and is not used any more`,
      );
    },
    directory(reason) {
      if (isDirectoryAway === (reason !== undefined)) return;
      isDirectoryAway = reason !== undefined;
      if (isDirectoryAway)
        logger.error(
          { event: "directory_away", reason },
          "the directory of the cells cannot be asked: owners and tokens that this instance has met are served, others refused",
        );
      else logger.info({ event: "directory_back" }, "the directory of the cells can be asked again");
    },
    isDirectoryAway: () => isDirectoryAway,
    relayFailed(err) {
      logger.error(
        { event: "relay_failed", err },
        "what happened in a channel could not be carried to bots of another cell; trying again",
      );
    },
  };
}
