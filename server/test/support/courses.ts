import { AsyncLocalStorage } from "node:async_hooks";
import type { Cell } from "#botyard/store/cells/cell.js";
import { StoreUnavailable } from "#botyard/store/store.js";
import { VERBS, type Verb } from "#botyard/store/verbs.js";

/** What a call does in the stores of cells, one verb after the other; it can be stopped before one of them. */
export class Course {
  /** Verbs that it has begun. */
  begun = 0;
  readonly isStopped: Promise<void>;
  readonly #stopAt: number | undefined;
  readonly #goesOn: Promise<void>;
  #stopped: () => void = () => {};
  #release: () => void = () => {};

  /** @param stopAt before which verb it stops; never when left out */
  constructor(stopAt?: number) {
    this.#stopAt = stopAt;
    this.isStopped = new Promise((resolve) => {
      this.#stopped = resolve;
    });
    this.#goesOn = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  run<Result>(call: () => Promise<Result>): Promise<Result> {
    return UNDER_WAY.run(this, call);
  }

  release(): void {
    this.#release();
  }

  /** @returns what a verb has to wait for, if it has to wait */
  pass(): Promise<void> | undefined {
    this.begun += 1;
    if (this.begun - 1 !== this.#stopAt) return undefined;
    this.#stopped();
    return this.#goesOn;
  }
}

/** Also of what a relay does because of the call. */
const UNDER_WAY = new AsyncLocalStorage<Course>();

/** Of one instance: whether it works, or is dead. */
export interface Life {
  /** What the instance calls from now on is not done, and never answered: as if its process had died. */
  end(): void;
  /** All that waits fails, so that the instance can be closed. */
  bury(): void;
}

type AnyVerb = (...parameters: unknown[]) => Promise<unknown>;

/** Has the calls of an instance to its cells' stores stop where their courses do. */
export function follow(cells: readonly Cell[]): Life {
  let state: "alive" | "dead" | "buried" = "alive";
  const waiting = new Set<(error: Error) => void>();
  const gone = (): Promise<never> =>
    new Promise((_, reject) => {
      if (state === "buried") reject(new StoreUnavailable("the instance is dead"));
      else waiting.add(reject);
    });
  for (const { store } of cells) {
    const verbs = store as unknown as Record<Verb, AnyVerb>;
    for (const verb of VERBS) {
      const call = verbs[verb];
      verbs[verb] = (...parameters) => {
        const goesOn = UNDER_WAY.getStore()?.pass();
        const run = () => (state === "alive" ? Reflect.apply(call, store, parameters) : gone());
        return goesOn ? goesOn.then(run) : run();
      };
    }
  }
  return {
    end() {
      state = "dead";
    },
    bury() {
      state = "buried";
      for (const reject of waiting) reject(new StoreUnavailable("the instance is dead"));
    },
  };
}
