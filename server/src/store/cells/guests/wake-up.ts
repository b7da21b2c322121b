/** For one who waits, and those who know that there may be something to do. */
export interface WakeUp {
  wake(): void;
  /** Resolves when it is woken, or was since the last time, and at the latest after this time. */
  wait(withinMs: number): Promise<void>;
}

export function createWakeUp(): WakeUp {
  let isWoken = false;
  let end = (): void => {};
  return {
    wake() {
      isWoken = true;
      end();
    },
    async wait(withinMs) {
      if (!isWoken)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, withinMs);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      isWoken = false;
    },
  };
}
