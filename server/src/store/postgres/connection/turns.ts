/** Runs a task when it is its turn. */
export type InTurn = <Result>(task: () => Promise<Result>) => Promise<Result>;

/**
 * Runs a bounded number of tasks at once; the others wait for their turn, first come, first served.
 *
 * @param most tasks at once
 */
export function createTurns(most: number): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;

  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };

  return async (task) => {
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      leave();
    }
  };
}
