import { countReceivedBytes, type ReceivedBytes } from "../../fairness/received-bytes.js";
import { createQueue, type Queue } from "../ledger/queue.js";

/** A lane, as far as slots are concerned. */
export interface SlotUser {
  readonly ownerUserId: string;
  /** Attempts of the lane in flight. */
  inFlight(): number;
  /** Whether the receiver's last answer was no success. */
  isFailing(): boolean;
  /** Starts one attempt with the slot; false when the lane has no use for it any more. */
  start(slot: Slot): boolean;
}

/** The right to have one attempt in flight. It is given back when the attempt has ended. */
export interface Slot {
  readonly share: Share;
  readonly isFailing: boolean;
  /** The bytes that its share was charged with, in advance. */
  readonly expectedBytes: number;
}

export interface Slots {
  /** Queues the lane for one slot. A lane is in one queue at most, however often it asks. */
  want(user: SlotUser): void;
  /** @param receivedBytes by its attempt */
  giveBack(slot: Slot, receivedBytes: number): void;
  /** Resolves when no attempt is in flight. */
  idle(): Promise<void>;
  /** Hands out no more slots. */
  close(): void;
}

/** The slots that the lanes of one owner have, and the lanes that wait for one. */
interface Share {
  ownerUserId: string;
  received: ReceivedBytes;
  used: number;
  usedByFailing: number;
  idle: Queue<SlotUser>;
  busy: Queue<SlotUser>;
  failing: Queue<SlotUser>;
}

/**
 * An owner's lanes may take another slot while what they have is less than so many times what is free. This is the dynamic
 * threshold by which switches share their memory (Choudhury and Hahne, 1998): one owner alone gets 7/8 of all slots, two
 * get 7/15 each, and something is always free for the next owner, whose number need not be known.
 */
const TIMES_FREE = 7;
/** The same for lanes that have attempts in flight already: one owner's busy lanes leave a quarter of all slots. */
const TIMES_FREE_FOR_BUSY = 3;
/**
 * Slots granted in one turn of the event loop. Each starts an attempt, some 0.1 ms: hundreds of receivers that answer at the
 * same moment would otherwise delay everybody's requests.
 */
const SLOTS_PER_TURN = 32;

/**
 * The attempts that the whole process may have in flight, granted one by one: owners take turns, and the lanes of an
 * owner in the order in which they asked. A receiver that hangs, or accepts slowly, holds its slots until the deadline,
 * so no share is ever the whole:
 *
 * - an owner's lanes get a part of what is free, those with nothing in flight first and more of it than the others;
 * - lanes that are failing get at most half of all slots together, and the same part of that half by owner;
 * - an owner whose receivers send much gets fewer at a time: see `fairness/received-bytes.ts`.
 *
 * @param onAttempt called for each attempt that begins
 */
export function createSlots(total: number, onAttempt: () => void = () => {}): Slots {
  const failingLimit = Math.max(1, Math.floor(total / 2));
  const shares = new Map<string, Share>();
  /** Owners whose lanes wait, in turn: for lanes that don't fail, and for those that do. */
  const trustedTurns = createQueue<Share>();
  const failingTurns = createQueue<Share>();
  let used = 0;
  let usedByFailing = 0;
  let isTurnOfFailing = false;
  let isGranting = false;
  let closed = false;
  let wakeUp: NodeJS.Timeout | undefined;
  let onIdle: (() => void)[] = [];

  function grantSoon(): void {
    if (isGranting) return;
    isGranting = true;
    queueMicrotask(grantSome);
  }

  function grantSome(): void {
    for (let count = 0; count < SLOTS_PER_TURN; count += 1) {
      const user = nextUser();
      if (!user) {
        isGranting = false;
        return;
      }
      grant(user);
    }
    setImmediate(grantSome);
  }

  /** Failing lanes and the others take turns, so that neither kind waits for the other for long. */
  function nextUser(): SlotUser | undefined {
    if (used >= total || closed) return undefined;
    isTurnOfFailing = !isTurnOfFailing;
    return isTurnOfFailing
      ? (nextOfFailing() ?? nextOf(trustedTurns, nextTrusted))
      : (nextOf(trustedTurns, nextTrusted) ?? nextOfFailing());
  }

  function nextOfFailing(): SlotUser | undefined {
    return usedByFailing < failingLimit ? nextOf(failingTurns, nextFailing) : undefined;
  }

  /** Passes over owners who have their share. Each of them has three slots or more, which bounds their number. */
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
    if (!mayReceive(share)) return undefined;
    const free = total - used;
    const idle = share.used < TIMES_FREE * free ? share.idle.first() : undefined;
    return idle ?? (share.used < TIMES_FREE_FOR_BUSY * free ? share.busy.first() : undefined);
  }

  function nextFailing(share: Share): SlotUser | undefined {
    const mayTake =
      mayReceive(share) &&
      share.used < TIMES_FREE * (total - used) &&
      share.usedByFailing < TIMES_FREE * (failingLimit - usedByFailing);
    return mayTake ? share.failing.first() : undefined;
  }

  function grant(user: SlotUser): void {
    const share = shareOf(user.ownerUserId);
    leaveQueue(user, share);
    const slot: Slot = {
      share,
      isFailing: user.isFailing(),
      expectedBytes: share.received.expect(),
    };
    take(slot, 1);
    if (user.start(slot)) return onAttempt();
    share.received.cancel(slot.expectedBytes);
    take(slot, -1);
  }

  /** An owner whose receivers have sent much waits until that is worked off, and is then asked again. */
  function mayReceive({ received }: Share): boolean {
    const waitMs = received.waitMs(performance.now());
    if (waitMs <= 0) return true;
    wakeUp ??= setTimeout(() => {
      wakeUp = undefined;
      grantSoon();
    }, waitMs).unref();
    return false;
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
    const received = countReceivedBytes();
    const share = { ownerUserId, received, used: 0, usedByFailing: 0, idle, busy, failing };
    shares.set(ownerUserId, share);
    return share;
  }

  function forgetIfEmpty(share: Share): void {
    const isEmpty = share.used === 0 && !isWaiting(share) && !share.failing.first();
    if (isEmpty && share.received.isForgotten(performance.now())) shares.delete(share.ownerUserId);
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
      grantSoon();
    },
    giveBack(slot, receivedBytes) {
      slot.share.received.count(receivedBytes, slot.expectedBytes, performance.now());
      take(slot, -1);
      grantSoon();
      if (used > 0) return;
      for (const resolve of onIdle) resolve();
      onIdle = [];
    },
    idle: () => (used === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
    close() {
      closed = true;
      clearTimeout(wakeUp);
    },
  };
}

function isWaiting({ idle, busy }: Share): boolean {
  return (idle.first() ?? busy.first()) !== undefined;
}
