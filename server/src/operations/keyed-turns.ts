/** Runs calls with the same key one after the other, within this process. The work is told whether it has waited for another. */
export type InKeyedTurn = <Result>(
  key: string,
  work: (hasWaited: boolean) => Promise<Result>,
) => Promise<Result>;

export function createKeyedTurns(): InKeyedTurn {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const begin = () => work(before !== undefined);
    const turn = before ? before.then(begin, begin) : begin();
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
