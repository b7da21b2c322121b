import { TurnQueue } from "../domain/turn-queue.js";
import { createPace } from "./pace.js";
import type { Price } from "./price.js";

/** Shares what the process and its store can do among owners, by the cost of what each asks for. */
export interface OwnerTurns {
  /**
   * Begins work: at once while its owner has used little lately, otherwise when it is that owner's turn. The work must end
   * its turn, whatever comes of it.
   *
   * @param caller takes turns with the other callers of the owner: the id of a bot, or the owner
   * @param costUs what the work will cost, as in `cost.ts`
   */
  begin(owner: string, caller: string, costUs: number): Turn | Promise<Turn>;
  /** Counts a cost that was not known when the work began, such as the bytes of an answer. */
  charge(owner: string, costUs: number): void;
}

/** Does work in its owner's turn: {@link OwnerTurns.begin}. */
export async function inTurn<Result>(
  turns: OwnerTurns,
  { owner, caller = owner, costUs }: { owner: string; caller?: string; costUs: number },
  work: () => Promise<Result>,
): Promise<Result> {
  const begun = turns.begin(owner, caller, costUs);
  const turn = begun instanceof Promise ? await begun : begun;
  try {
    return await work();
  } finally {
    turn.end();
  }
}

/** Work in progress. */
export interface Turn {
  /** Ends the work; further calls have no effect. */
  end(): void;
}

/** An owner who has used less than this lately does not wait: about 1 % of a core, or four requests of the largest kind. */
const LIGHT_USE_US = 20_000;
/** After this time half of what was used is forgotten. */
const USE_HALF_LIFE_MS = 1_000;
/**
 * Work in progress of one owner who has used more. It is what a stranger's request finds before it in the store, so it is
 * short; 160 posts to one bot each still share a commit.
 */
const MAX_OWNER_US = 6_000;
/** The same for all such owners together. */
const MAX_ALL_US = 20_000;
/**
 * Work of this cost is nearly alone in the store, so how long it takes says what it costs: with many bots it is the pages of the
 * database that each log has, and a slow disk or a busy machine makes it several times as much.
 */
const LARGE_US = 2_000;
/** What it counts for at most, as a multiple: it may have waited for something else. */
const MAX_TIMES_DEARER = 5;
const FIXED_PRICE: Price = { count() {}, times: () => 1 };
/** Owners whose use is remembered, at about 150 bytes each, before those who have used nothing lately are forgotten. */
const MAX_KNOWN_OWNERS = 10_000;
/** Less is nothing. */
const FORGOTTEN_USE_US = 100;

interface Owner {
  usedUs: number;
  usedAt: number;
  inProgressUs: number;
  inProgress: number;
  waiting: TurnQueue<Waiting>;
}

interface Waiting {
  caller: string;
  costUs: number;
  begin(turn: Turn): void;
}

/** @param now a monotonic clock in milliseconds */
export function createOwnerTurns(now: () => number, price: Price = FIXED_PRICE): OwnerTurns {
  const owners = new Map<string, Owner>();
  /** Owners with work that waits. */
  const waiting = new Set<Owner>();
  /** Cost of the work in progress that was begun in turn. */
  let inTurnUs = 0;
  let isStarting = false;
  const pace = createPace(now, price);
  let timer: NodeJS.Timeout | undefined;

  const ownerOf = (name: string): Owner => {
    const known = owners.get(name);
    if (known) return known;
    if (owners.size >= MAX_KNOWN_OWNERS) forgetIdle();
    const owner: Owner = {
      usedUs: 0,
      usedAt: now(),
      inProgressUs: 0,
      inProgress: 0,
      waiting: new TurnQueue(({ caller }) => caller),
    };
    owners.set(name, owner);
    return owner;
  };

  const forgetIdle = (): void => {
    for (const [name, owner] of owners) {
      if (pendingOf(owner) === 0 && use(owner) < FORGOTTEN_USE_US) owners.delete(name);
    }
  };

  /** What the owner has used lately. */
  const use = (owner: Owner): number => {
    const at = now();
    if (at !== owner.usedAt) {
      owner.usedUs *= 2 ** ((owner.usedAt - at) / USE_HALF_LIFE_MS);
      owner.usedAt = at;
    }
    return owner.usedUs;
  };

  const isLight = (owner: Owner, costUs: number): boolean =>
    owner.waiting.length === 0 && use(owner) + owner.inProgressUs + costUs <= LIGHT_USE_US;

  /** Work that is larger than the share is done alone. */
  const hasOwnRoom = ({ inProgressUs }: Owner, costUs: number): boolean =>
    inProgressUs === 0 || inProgressUs + costUs <= MAX_OWNER_US;

  const hasRoom = (costUs: number): boolean =>
    (inTurnUs === 0 || inTurnUs + costUs <= MAX_ALL_US) && pace.waitMs() === 0;

  const start = (owner: Owner, costUs: number, isInTurn: boolean): Turn => {
    owner.inProgress += 1;
    owner.inProgressUs += costUs;
    price.count(costUs);
    const isMeasured = isInTurn && costUs >= LARGE_US;
    if (isInTurn) {
      inTurnUs += costUs;
      pace.spend(costUs, isMeasured);
    }
    const startedAt = isMeasured ? now() : undefined;
    let isEnded = false;
    return {
      end() {
        if (isEnded) return;
        isEnded = true;
        if (startedAt !== undefined) {
          const tookUs = (now() - startedAt) * 1_000;
          pace.spend(Math.max(0, Math.min(tookUs, costUs * MAX_TIMES_DEARER) - costUs), true);
        }
        use(owner);
        owner.usedUs += costUs;
        owner.inProgressUs -= costUs;
        owner.inProgress -= 1;
        if (isInTurn) inTurnUs -= costUs;
        startSoon();
      },
    };
  };

  /** Starts what waits and has room, the work of the owner first who has used least. */
  const startWaiting = (): void => {
    isStarting = false;
    const inOrder = [...waiting]
      .map((owner) => ({ owner, usedUs: use(owner) + owner.inProgressUs }))
      .toSorted((a, b) => a.usedUs - b.usedUs);
    for (const { owner } of inOrder) {
      let next = owner.waiting.peek();
      while (next && hasOwnRoom(owner, next.costUs)) {
        // What follows is not started in its place: large work would wait for ever.
        if (!hasRoom(next.costUs)) return startLater();
        owner.waiting.take(1);
        next.begin(start(owner, next.costUs, true));
        next = owner.waiting.peek();
      }
      if (!next) waiting.delete(owner);
    }
  };

  /** Once for all work that a batch of the store ends. */
  const startSoon = (): void => {
    if (isStarting || waiting.size === 0) return;
    isStarting = true;
    queueMicrotask(startWaiting);
  };

  /** When the pace allows it, unless the end of work in progress does so before. */
  const startLater = (): void => {
    timer ??= setTimeout(startInTime, pace.waitMs());
  };

  const startInTime = (): void => {
    timer = undefined;
    startWaiting();
  };

  return {
    begin(name, caller, cost) {
      // A sum of whole numbers is nothing again when all of them are taken away.
      const costUs = Math.ceil(cost);
      const owner = ownerOf(name);
      const isLightWork = isLight(owner, costUs);
      pace.see(name, isLightWork);
      if (isLightWork) return start(owner, costUs, false);
      if (waiting.size === 0 && hasOwnRoom(owner, costUs) && hasRoom(costUs))
        return start(owner, costUs, true);
      waiting.add(owner);
      startSoon();
      return new Promise((begin) => owner.waiting.push({ caller, costUs, begin }));
    },
    charge(name, costUs) {
      const owner = ownerOf(name);
      const isHeavy = use(owner) > LIGHT_USE_US;
      owner.usedUs += costUs;
      price.count(costUs);
      if (isHeavy) pace.spend(costUs, false);
    },
  };
}

function pendingOf({ inProgress, waiting }: Owner): number {
  return inProgress + waiting.length;
}
