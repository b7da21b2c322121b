import { createQueue } from "./queue.js";

/** Whoever sends: a lane. */
export interface SlotUser {
  /** Attempts of the lane under way. */
  inFlight(): number;
  /** Whether the receiver's last answer was no success. */
  isFailing(): boolean;
  /** Starts one attempt with the slot it is given; false when the lane has no use for it any more. */
  start(slot: Slot): boolean;
}

/** The right to have one attempt under way. To be given back when the attempt has ended. */
export type Slot = "trusted" | "failing";

export interface Slots {
  /** Queues the lane for one slot. A lane waits in one place only, however often it asks. */
  want(user: SlotUser): void;
  giveBack(slot: Slot): void;
  /** Resolves when no attempt is under way. */
  idle(): Promise<void>;
  /** Hands out no more slots. */
  close(): void;
}

/**
 * The attempts that the whole process may have under way, shared out among the lanes: one slot a turn, in the order in
 * which they asked. A receiver that hangs holds its slots until the deadline, so two shares are kept out of the reach
 * of such receivers, and no bot can slow another:
 *
 * - lanes that are failing get at most half of all slots together;
 * - the last quarter goes only to lanes that have nothing under way, and these always come first.
 */
export function createSlots(total: number): Slots {
  const failingLimit = Math.max(1, Math.floor(total / 2));
  const busyLimit = total - Math.floor(total / 4);
  const idle = createQueue<SlotUser>();
  const busy = createQueue<SlotUser>();
  const failing = createQueue<SlotUser>();
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
    sharingOut = false;
    for (let user = nextUser(); user; user = nextUser()) grant(user);
  }

  /** Failing lanes and the others take turns, so that neither kind waits for the other for long. */
  function nextUser(): SlotUser | undefined {
    if (used >= total || closed) return undefined;
    const ofFailing = usedByFailing < failingLimit ? failing.first() : undefined;
    const ofOthers = idle.first() ?? (used < busyLimit ? busy.first() : undefined);
    failingsTurn = !failingsTurn;
    return failingsTurn ? (ofFailing ?? ofOthers) : (ofOthers ?? ofFailing);
  }

  function grant(user: SlotUser): void {
    leaveQueue(user);
    const slot: Slot = user.isFailing() ? "failing" : "trusted";
    take(slot, 1);
    if (!user.start(slot)) take(slot, -1);
  }

  function take(slot: Slot, count: 1 | -1): void {
    used += count;
    if (slot === "failing") usedByFailing += count;
  }

  function leaveQueue(user: SlotUser): void {
    idle.delete(user);
    busy.delete(user);
    failing.delete(user);
  }

  return {
    want(user) {
      const queue = user.isFailing() ? failing : user.inFlight() === 0 ? idle : busy;
      if (!queue.has(user)) {
        leaveQueue(user);
        queue.add(user);
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
