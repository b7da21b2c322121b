import { createQueue, type Queue } from "./queue.js";

/** Whoever sends: a lane. */
export interface SlotUser {
  readonly ownerUserId: string;
  /** Attempts of the lane under way. */
  inFlight(): number;
  /** Whether the receiver's last answer was no success. */
  isFailing(): boolean;
  /** Starts one attempt with the slot it is given; false when the lane has no use for it any more. */
  start(slot: Slot): boolean;
}

/** The right to have one attempt under way. To be given back when the attempt has ended. */
export interface Slot {
  readonly share: Share;
  readonly isFailing: boolean;
}

export interface Slots {
  /** Queues the lane for one slot. A lane waits in one place only, however often it asks. */
  want(user: SlotUser): void;
  giveBack(slot: Slot): void;
  /** Resolves when no attempt is under way. */
  idle(): Promise<void>;
  /** Hands out no more slots. */
  close(): void;
}

/** What the lanes of one owner have and want. */
interface Share {
  ownerUserId: string;
  used: number;
  usedByFailing: number;
  idle: Queue<SlotUser>;
  busy: Queue<SlotUser>;
  failing: Queue<SlotUser>;
}

/**
 * An owner's lanes may take another slot while what they have is less than so many times what is free. This is the dynamic
 * threshold by which switches share their memory (Choudhury and Hahne, 1998): one owner alone gets 7/8 of all slots, two
 * get 7/15 each, and something is always left for whoever comes next, without anybody knowing how many will.
 */
const TIMES_FREE = 7;
/** The same for lanes that have something under way already: one owner's busy lanes leave a quarter of all slots. */
const TIMES_FREE_FOR_BUSY = 3;
/**
 * Slots handed out before others have a turn of the event loop: each starts an attempt, some 0.1 ms. Hundreds of receivers
 * that answer in the same moment would else hold up everybody's requests.
 */
const SLOTS_PER_TURN = 32;

/**
 * The attempts that the whole process may have under way, shared out one slot a turn: owners take turns, and the lanes of
 * an owner in the order in which they asked. A receiver that hangs, or accepts slowly, holds its slots until the deadline,
 * so no share is ever the whole:
 *
 * - an owner's lanes get a part of what is free, those with nothing under way first and more of it than the others;
 * - lanes that are failing get at most half of all slots together, and the same part of that half by owner.
 */
export function createSlots(total: number): Slots {
  const failingLimit = Math.max(1, Math.floor(total / 2));
  const shares = new Map<string, Share>();
  /** Owners with lanes that wait, in turn. */
  const trustedTurns = createQueue<Share>();
  const failingTurns = createQueue<Share>();
  let used = 0;
  let usedByFailing = 0;
  let failingsTurn = false;
  let sharingOut = false;
  let closed = false;
  let onIdle: (() => void)[] = [];

  function shareOutSoon(): void {
    if (sharingOut) return;
    sharingOut = true;
    queueMicrotask(shareOut);
  }

  function shareOut(): void {
    for (let count = 0; count < SLOTS_PER_TURN; count += 1) {
      const user = nextUser();
      if (!user) {
        sharingOut = false;
        return;
      }
      grant(user);
    }
    setImmediate(shareOut);
  }

  /** Failing lanes and the others take turns, so that neither kind waits for the other for long. */
  function nextUser(): SlotUser | undefined {
    if (used >= total || closed) return undefined;
    failingsTurn = !failingsTurn;
    return failingsTurn
      ? (nextOfFailing() ?? nextOf(trustedTurns, nextTrusted))
      : (nextOf(trustedTurns, nextTrusted) ?? nextOfFailing());
  }

  function nextOfFailing(): SlotUser | undefined {
    return usedByFailing < failingLimit ? nextOf(failingTurns, nextFailing) : undefined;
  }

  /** Passes over owners who have their share: they have three slots or more each, which bounds how many these can be. */
  function nextOf(turns: Queue<Share>, next: (share: Share) => SlotUser | undefined): SlotUser | undefined {
    const first = turns.first();
    for (let share = first; share; share = turns.first()) {
      turns.delete(share);
      turns.add(share);
      const user = next(share);
      if (user || turns.first() === first) return user;
    }
    return undefined;
  }

  function nextTrusted(share: Share): SlotUser | undefined {
    const free = total - used;
    const idle = share.used < TIMES_FREE * free ? share.idle.first() : undefined;
    return idle ?? (share.used < TIMES_FREE_FOR_BUSY * free ? share.busy.first() : undefined);
  }

  function nextFailing(share: Share): SlotUser | undefined {
    const mayTake =
      share.used < TIMES_FREE * (total - used) &&
      share.usedByFailing < TIMES_FREE * (failingLimit - usedByFailing);
    return mayTake ? share.failing.first() : undefined;
  }

  function grant(user: SlotUser): void {
    const share = shareOf(user.ownerUserId);
    leaveQueue(user, share);
    const slot: Slot = { share, isFailing: user.isFailing() };
    take(slot, 1);
    if (!user.start(slot)) take(slot, -1);
  }

  function take({ share, isFailing }: Slot, count: 1 | -1): void {
    used += count;
    share.used += count;
    if (isFailing) {
      usedByFailing += count;
      share.usedByFailing += count;
    }
    forgetIfEmpty(share);
  }

  function shareOf(ownerUserId: string): Share {
    const known = shares.get(ownerUserId);
    if (known) return known;
    const [idle, busy, failing] = [createQueue<SlotUser>(), createQueue<SlotUser>(), createQueue<SlotUser>()];
    const share = { ownerUserId, used: 0, usedByFailing: 0, idle, busy, failing };
    shares.set(ownerUserId, share);
    return share;
  }

  function forgetIfEmpty(share: Share): void {
    if (share.used === 0 && !isWaiting(share) && !share.failing.first()) shares.delete(share.ownerUserId);
  }

  function leaveQueue(user: SlotUser, share: Share): void {
    share.idle.delete(user);
    share.busy.delete(user);
    share.failing.delete(user);
    if (!isWaiting(share)) trustedTurns.delete(share);
    if (!share.failing.first()) failingTurns.delete(share);
  }

  return {
    want(user) {
      const share = shareOf(user.ownerUserId);
      const queue = user.isFailing() ? share.failing : user.inFlight() === 0 ? share.idle : share.busy;
      if (!queue.has(user)) {
        leaveQueue(user, share);
        queue.add(user);
        (queue === share.failing ? failingTurns : trustedTurns).add(share);
      }
      shareOutSoon();
    },
    giveBack(slot) {
      take(slot, -1);
      shareOutSoon();
      if (used > 0) return;
      for (const resolve of onIdle) resolve();
      onIdle = [];
    },
    idle: () => (used === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
    close() {
      closed = true;
    },
  };
}

function isWaiting({ idle, busy }: Share): boolean {
  return (idle.first() ?? busy.first()) !== undefined;
}
