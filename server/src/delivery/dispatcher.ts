import type { Logger } from "pino";
import type { RetrySchedule } from "../domain/delivery/retry-schedule.js";
import type { SecretBox } from "../domain/secret-box.js";
import type { Store } from "../store/store.js";
import { createDeliveryLog } from "./delivery-log.js";
import type { TakeResponse } from "./lanes/lane-attempts.js";
import { createSlots } from "./lanes/slots.js";
import { countUnsentBytes } from "./ledger/unsent-bytes.js";
import type { AttemptSpans } from "./sending/attempt-spans.js";
import type { EgressSettings } from "./sending/egress.js";
import { createUnreadableLog } from "./sending/endpoint.js";
import { createSender } from "./sending/send-attempt.js";
import { createStoreDelivery, elapsed, type StoreDelivery } from "./store-delivery.js";
import type { DeliveryTally, LaneCounts } from "./tally.js";

/** `timeoutMs` is for one whole exchange with a receiver. */
export interface DeliverySettings extends EgressSettings {
  retrySchedule: RetrySchedule;
  /** Attempts in flight at once in the whole process. */
  concurrency: number;
}

export interface DispatcherOptions {
  secretBox: SecretBox;
  settings: DeliverySettings;
  logger: Logger;
  userAgent: string;
  /** Left out when nothing is traced. */
  spans?: AttemptSpans | undefined;
  takeResponse: TakeResponse;
  /** Called for each attempt that begins. */
  onAttempt?: () => void;
}

/** Delivers updates to webhooks for as long as it runs. */
export interface Dispatcher {
  /** What it has done so far. */
  readonly tally: Readonly<DeliveryTally>;
  /** What it is working on now. */
  countLanes(): LaneCounts;
  /** Delivers the updates of a store as well, once it is started. @returns ends that; never rejects */
  serve(store: Store): () => Promise<void>;
  start(): void;
  /**
   * Starts no more attempts, waits up to `graceMs` for those in flight, records outcomes and releases every lane.
   * Attempts that take longer are cut off without an outcome, and so are repeated later. Never rejects.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Claims the lanes that are due, runs them, and releases them. Any number of dispatchers can work on one store: a lane is
 * held by one at a time. The lanes of all stores share the attempts of the process, and its memory for unsent updates.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { secretBox, settings, logger, userAgent, spans, takeResponse, onAttempt } = options;
  const slots = createSlots(settings.concurrency, onAttempt);
  const sender = createSender({ ...settings, userAgent, spans });
  const log = createDeliveryLog(logger);
  const shared = {
    slots,
    sender,
    secretBox,
    logUnreadable: createUnreadableLog(logger),
    takeResponse,
    retrySchedule: settings.retrySchedule,
    unsent: countUnsentBytes(),
    log,
    logger,
  };
  const deliveries = new Set<StoreDelivery>();
  let isStarted = false;

  return {
    tally: log.tally,
    countLanes() {
      const all: LaneCounts = { held: 0, failing: 0, queuedUpdates: 0, inFlight: 0 };
      for (const delivery of deliveries) {
        const counts = delivery.countLanes();
        for (const name of Object.keys(all) as (keyof LaneCounts)[]) all[name] += counts[name];
      }
      return all;
    },
    serve(store) {
      const delivery = createStoreDelivery(store, shared);
      deliveries.add(delivery);
      if (isStarted) delivery.start();
      return async () => {
        deliveries.delete(delivery);
        delivery.stopClaiming();
        await delivery.end();
      };
    },
    start() {
      isStarted = true;
      for (const delivery of deliveries) delivery.start();
    },
    async stop(graceMs) {
      isStarted = false;
      for (const delivery of deliveries) delivery.stopClaiming();
      slots.close();
      await Promise.race([slots.idle(), elapsed(graceMs)]);
      await sender.close();
      await Promise.all([...deliveries].map((delivery) => delivery.end()));
    },
  };
}
