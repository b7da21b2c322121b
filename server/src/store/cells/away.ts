import { setTimeout as sleep } from "node:timers/promises";
import { type Store, StoreUnavailable } from "../store.js";
import { type StoreVerbs, VERBS, type Verb } from "../verbs.js";

type AnyVerb = (...parameters: unknown[]) => Promise<unknown>;

/** Calls in a row that fail before the cell is taken to be away. */
const FAILURES = 5;
/** When calls wait and none was answered for this long, the cell is asked whether it serves, and given this long to say so. */
const SILENCE_MS = 1_500;
const ASK_MS = 1_000;
const LOOK_INTERVAL_MS = 500;

export interface Watched {
  store: Store;
  isAway(): boolean;
}

/**
 * The store of a cell that fails at once while its server cannot serve: otherwise each call to it waits for seconds, and with it the
 * turn, the connection and the memory that others need. Readiness checks go through, and say when it is back.
 *
 * @param onChange called when the cell goes and comes back
 */
export function watchAway(name: string, store: Store, onChange: (isAway: boolean) => void): Watched {
  const away = new StoreUnavailable(`the database of the cell ${name} cannot serve now`);
  let isAway = false;
  let failures = 0;
  let inProgress = 0;
  let answeredAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;
  let isClosed = false;

  const answered = (): void => {
    inProgress -= 1;
    failures = 0;
    answeredAt = performance.now();
  };

  const failed = (error: unknown): void => {
    inProgress -= 1;
    if (!(error instanceof StoreUnavailable)) return;
    failures += 1;
    if (failures >= FAILURES) leave();
  };

  const leave = (): void => {
    if (isAway || isClosed) return;
    isAway = true;
    onChange(true);
    lookLater();
  };

  const lookLater = (): void => {
    timer = setTimeout(() => void look(), LOOK_INTERVAL_MS);
    timer.unref();
  };

  /** One of its statements may only take long. */
  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    const isServing = await Promise.race([
      store.ping().then(
        () => true,
        () => false,
      ),
      sleep(ASK_MS, false, { ref: false }),
    ]);
    isAsking = false;
    if (isServing) answeredAt = performance.now();
    else leave();
  };

  const look = async (): Promise<void> => {
    timer = undefined;
    try {
      await store.ping();
    } catch {
      if (!isClosed) lookLater();
      return;
    }
    if (isClosed) return;
    isAway = false;
    failures = 0;
    answeredAt = performance.now();
    onChange(false);
  };

  const watched: Partial<Record<Verb, AnyVerb>> = {};
  for (const verb of VERBS) {
    if (verb === "ping") continue;
    const call = store[verb] as AnyVerb;
    // Without a promise of its own: it is called for each post.
    watched[verb] = (...parameters) => {
      if (isAway) return Promise.reject(away);
      if (inProgress === 0) answeredAt = performance.now();
      else if (performance.now() - answeredAt > SILENCE_MS) void ask();
      inProgress += 1;
      const result = Reflect.apply(call, store, parameters);
      result.then(answered, failed);
      return result;
    };
  }
  return {
    store: {
      ...store,
      ...(watched as unknown as StoreVerbs),
      ping: store.ping,
      async close() {
        isClosed = true;
        clearTimeout(timer);
        await store.close();
      },
    },
    isAway: () => isAway,
  };
}
