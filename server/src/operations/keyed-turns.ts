/** Runs calls with the same key one after the other, within this process. */
export type InKeyedTurn = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function createKeyedTurns(): InKeyedTurn {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
