import { createTurns } from "./in-turn.js";
import type { ValueStore } from "./values.js";

/** Does work once for each key, and returns the stored result when it is called again. */
export type Once = <Result>(key: string, work: () => Promise<Result> | Result) => Promise<Result>;

/**
 * For what a handler does outside of Botyard: when it runs again, work that has succeeded is not done again. When the
 * process is killed between the work and storing its result, the work is done twice, so pass the key on to services
 * that know idempotency keys.
 *
 * @param store stores the results, which must be JSON values
 * @example
 * const once = createOnce(fileValues("done"));
 * bot.onPost((ctx) => once(`order:${ctx.update.update_id}`, () => shop.order(ctx.payload.body)));
 */
export function createOnce(store: ValueStore): Once {
  const inTurn = createTurns();
  return <Result>(key: string, work: () => Promise<Result> | Result) =>
    inTurn(key, async () => {
      const done = (await store.read(key)) as { result?: Result } | undefined;
      if (done) return done.result as Result;
      const result = await work();
      await store.write(key, { result });
      return result;
    });
}
