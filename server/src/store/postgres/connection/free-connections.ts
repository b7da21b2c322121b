import type pg from "pg";

/** Much longer than a statement of ours, and about what it takes to open a connection. */
const OPEN_AFTER_MS = 10;
/** After one could not be opened, as when the server has no more. */
const OPEN_AGAIN_AFTER_MS = 1_000;

interface Waiting {
  since: number;
  resolve(client: Promise<pg.PoolClient>): void;
  reject(error: unknown): void;
}

export interface FreeConnections {
  /** @throws the driver's error when none can be opened */
  take(): Promise<pg.PoolClient>;
  /** Says that one was given back to the pool, or was closed. */
  returned(): void;
}

/**
 * Hands out the connections of a pool, first come, first served. A caller who finds none free waits for one that is given back, and only when that takes
 * long another is opened, one at a time. The pool by itself opens one for each such caller, who then waits until it is open and has planned the statement:
 * a few callers at once take 20 ms instead of 1.
 *
 * @param most connections of the pool
 * @param timeoutMs how long a caller waits when none can be opened
 */
export function freeConnections(
  pool: pg.Pool,
  { most, timeoutMs }: { most: number; timeoutMs: number },
): FreeConnections {
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isOpening = false;
  let failedAt = Number.NEGATIVE_INFINITY;

  const hasFree = (): boolean => pool.idleCount > pool.waitingCount;
  /** Whether the pool itself has to decide: it opens the first, and keeps the order when it cannot open more. */
  const isUpToPool = (): boolean => hasFree() || pool.totalCount === 0 || pool.totalCount >= most;

  const connect = async (): Promise<pg.PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      failed(error);
      throw error;
    }
  };

  /** Those go on waiting for whom there are other connections. */
  const failed = (error: unknown): void => {
    const now = performance.now();
    failedAt = now;
    const isOver = ({ since }: Waiting) => pool.totalCount === 0 || now - since >= timeoutMs;
    const over = waiting.filter(isOver);
    waiting = waiting.filter((one) => !isOver(one));
    for (const { reject } of over) reject(error);
    serve();
  };

  const serve = (): void => {
    while (waiting.length > 0 && isUpToPool()) waiting.shift()?.resolve(connect());
    if (waiting.length === 0 || isOpening) {
      clearTimeout(timer);
      timer = undefined;
      return;
    }
    const rested = performance.now() - failedAt;
    timer ??= setTimeout(() => void open(), Math.max(OPEN_AFTER_MS, OPEN_AGAIN_AFTER_MS - rested));
  };

  const open = async (): Promise<void> => {
    timer = undefined;
    isOpening = true;
    const client = await connect().catch(() => undefined);
    client?.release();
    isOpening = false;
    serve();
  };

  return {
    take() {
      if (waiting.length === 0 && isUpToPool()) return connect();
      return new Promise((resolve, reject) => {
        waiting.push({ since: performance.now(), resolve, reject });
        serve();
      });
    },
    returned: serve,
  };
}
