import type { LaneLedger } from "#botyard/delivery/ledger/lane-ledger.js";
import type { DueUpdate } from "#botyard/domain/events/update.js";

export type Order = "channel" | "bot";
export type Read = ReturnType<LaneLedger["beginRead"]>;

/** An update as the store has it. */
interface Stored {
  channel: number;
  state: "fresh" | "waiting" | "held" | "delivered" | "failed";
  attempts: number;
  failures: number;
  isDue: boolean;
}

/** A store of one destination, as far as its ledger needs it. */
export class StoreModel {
  readonly updates: Stored[] = [];
  nextFresh = 1;
  readonly order: Order;

  constructor(order: Order) {
    this.order = order;
  }

  unresolved(channel: number, below = Number.POSITIVE_INFINITY): number[] {
    return this.updates.flatMap(({ state, channel: own }, index) =>
      own === channel && (state === "waiting" || state === "held") && index + 1 < below ? [index + 1] : [],
    );
  }

  read({ afterUpdateId, limit, isFreshFirst }: Read): { updates: DueUpdate[]; hasMore: boolean } {
    const found: DueUpdate[] = [];
    for (const [index, { channel, state, attempts, failures, isDue }] of this.updates.entries()) {
      const updateId = index + 1;
      const isFresh = state === "fresh" && updateId > afterUpdateId && updateId >= this.nextFresh;
      if (this.order === "bot" && state === "waiting" && !isDue) break;
      if (!isFresh && !(state === "waiting" && isDue)) continue;
      const waitsFor = this.unresolved(channel, updateId).at(-1);
      found.push({
        updateId,
        payload: "{}",
        createdAt: 0,
        attemptCount: attempts,
        failureCount: failures,
        ...(state === "waiting" && attempts === 0 && { wasHeld: true }),
        ...(this.order === "channel" && { channelKey: channel, ...(waitsFor && { waitsFor }) }),
      });
    }
    // Like the store, it returns what waits before what is fresh.
    const waiting = found.filter(({ attemptCount, wasHeld }) => attemptCount > 0 || wasHeld);
    const fresh = found.filter((update) => !waiting.includes(update));
    const ofChannels = isFreshFirst
      ? [...fresh, ...waiting]
      : [...waiting.slice(0, Math.ceil(limit / 2)), ...fresh];
    const inTurn = this.order === "bot" ? found : ofChannels;
    return {
      updates: inTurn.slice(0, limit),
      hasMore: inTurn.length > limit || inTurn.length < found.length,
    };
  }

  record({ attempts, nextFreshId }: ReturnType<LaneLedger["collect"]>): void {
    for (const { updateId, failure, notSent } of attempts) {
      const update = this.updates[updateId - 1];
      if (!update || notSent === "held" || update.state === "delivered") continue;
      update.attempts += 1;
      update.failures = failure ? update.failures + 1 : 0;
      update.state = failure ? (failure.nextRetryAt === undefined ? "failed" : "waiting") : "delivered";
      update.isDue = false;
    }
    for (const { updateId, notSent } of attempts) {
      const update = this.updates[updateId - 1];
      if (notSent !== "held" || !update || (update.state !== "fresh" && update.state !== "waiting")) continue;
      Object.assign(update, { state: "held", failures: 0 });
    }
    this.nextFresh = Math.max(this.nextFresh, nextFreshId);
    for (const channel of new Set(this.updates.map(({ channel }) => channel))) {
      const all = this.unresolved(channel).map((id) => this.updates[id - 1] as Stored);
      if (all[0]?.state !== "held") continue;
      for (const update of all.slice(0, 3))
        if (update.state === "held") Object.assign(update, { state: "waiting", isDue: true });
    }
  }
}
