/**
 * A bot's position in its log: everything up to `offset` is handled, and above it the updates in `handled`, whose
 * channels were faster. Plain JSON.
 */
export interface Position {
  /** The bot whose log it is. */
  bot_id: string;
  /** Everything up to it is handled. */
  offset: number;
  /** Above `offset`, ascending; at most 1,000. */
  handled: number[];
}

/** Keeps a bot's position from one run to the next. */
export interface PositionStore {
  /** The position saved last; undefined before the first save. */
  load(): Promise<Position | undefined>;
  /** Must be atomic, also when the process is killed during the call. There is only one call at a time. */
  save(position: Position): Promise<void>;
}

/** Updates that may be read beyond the first one that is not handled. */
const READ_AHEAD = 1_000;

/** Keeps the position in memory: after a restart the bot begins with the oldest update that the service keeps. */
export function memoryStore(): PositionStore {
  let saved: Position | undefined;
  return {
    async load() {
      return saved;
    },
    async save(position) {
      saved = position;
    },
  };
}

/** Tracks which updates of a log are read and handled. */
export interface Progress {
  /** The last update that was read. */
  readTo(): number;
  /** How many more may be read now. */
  room(): number;
  /** Whether everything that was read is handled. */
  isDone(): boolean;
  /** An update was read. False when it was handled in an earlier run. */
  read(updateId: number): boolean;
  /** An update is handled. */
  settle(updateId: number): void;
  position(): Position;
}

/** @throws {Error} when `saved` is another bot's, or not a position */
export function createProgress(botId: string, saved: Position | undefined): Progress {
  if (saved) check(saved, botId);
  let offset = saved?.offset ?? 0;
  let readTo = offset;
  /** Updates that were read and are above the offset, ascending from index `first` on. */
  let order: number[] = [];
  let first = 0;
  /** Those of them that are handled. */
  const settled = new Set<number>();
  /** Handled in an earlier run and not read yet in this one. */
  const before = new Set(saved?.handled);

  const settle = (updateId: number) => {
    settled.add(updateId);
    for (let next = order[first]; next !== undefined && settled.delete(next); next = order[first]) {
      offset = next;
      first += 1;
    }
    if (first < READ_AHEAD) return;
    order = order.slice(first);
    first = 0;
  };

  return {
    readTo: () => readTo,
    room: () => READ_AHEAD - (order.length - first),
    isDone: () => order.length === first && before.size === 0,
    read(updateId) {
      readTo = updateId;
      order.push(updateId);
      const isHandled = before.delete(updateId);
      if (isHandled) settle(updateId);
      return !isHandled;
    },
    settle,
    position: () => ({
      bot_id: botId,
      offset,
      // Updates in `before` that expired meanwhile are never read again.
      handled: [...before, ...settled].filter((id) => id > offset).sort((a, b) => a - b),
    }),
  };
}

/** Whether a stored value has what a position has. */
export function isPosition(value: unknown): value is Position {
  if (typeof value !== "object" || value === null) return false;
  const { bot_id, offset, handled } = value as Record<keyof Position, unknown>;
  const isNumber = (number: unknown) => Number.isSafeInteger(number) && (number as number) >= 0;
  return typeof bot_id === "string" && isNumber(offset) && Array.isArray(handled) && handled.every(isNumber);
}

function check(saved: Position, botId: string): void {
  if (!isPosition(saved))
    throw new Error("the position store did not return a position: repair or delete what it has stored");
  if (saved.bot_id !== botId) {
    throw new Error(
      `the saved position belongs to bot ${saved.bot_id}, but this is ${botId}: give each bot a store of its own`,
    );
  }
}
