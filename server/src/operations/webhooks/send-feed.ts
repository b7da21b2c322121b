import { createHash } from "node:crypto";
import type { Logger } from "pino";
import { createBackOff } from "../../domain/back-off.js";
import type { RetrySchedule } from "../../domain/delivery/retry-schedule.js";
import type { SendPage, SentOnce } from "../../domain/delivery/webhook.js";
import { NotFound } from "../../domain/errors.js";
import { decodeFeedCursor, type FeedCursor } from "../../domain/events/feed.js";
import { createLogThrottle } from "../../domain/log-throttle.js";
import { type DueUpdates, FEED, PLATFORM, type Store, StoreUnavailable } from "../../store/store.js";
import { openConsumer } from "../logs/open-consumer.js";
import { type FeedPage, feedReader } from "../logs/read-feed.js";
import { beginAttempts, type FeedAttempts } from "./feed-attempts.js";
import { pageSizeOf, WEBHOOK_CONSUMER } from "./feed-webhook.js";

/** How often an instance looks whether there is a webhook, and whether it is the one that sends. */
const LOOK_INTERVAL_MS = 1_000;
/** An attempt ends when this instance no longer holds the upkeep: another one may send. It asks several times in a lease. */
const CONFIRM_INTERVAL_MS = 500;
const LOG_INTERVAL_MS = 60_000;
const NO_PAGE: FeedPage = { from: "", items: [], cursor: "", passed: 0, hasMore: false };

export interface FeedSenderOptions {
  store: Store;
  send: SendPage;
  /** The body of a request. */
  encode: (page: FeedPage) => string;
  /** Waits for the feed to grow. */
  waits: FeedWaits;
  retrySchedule: RetrySchedule;
  logger: Logger;
}

export interface FeedWaits {
  /** The page as soon as it has items, or after the time; undefined after the end. */
  next(read: () => Promise<FeedPage>, timeoutMs: number): Promise<FeedPage | undefined>;
  end(): void;
}

/** The background task. */
export interface FeedSender {
  /** Ends an attempt that takes longer than this. */
  stop(drainMs: number): Promise<void>;
}

/** A page, and the position of the consumer that it was read after. */
interface Reading {
  start: FeedCursor;
  page: FeedPage;
}

/**
 * Sends the feed to its webhook, as long as there is one: a page at a time, in order, each until it is accepted. Of several
 * instances the one that holds the upkeep sends, so there is one request at a time. The position is that of a consumer, which is moved
 * when a page was accepted.
 */
export function startFeedSender({
  store,
  send,
  encode,
  waits,
  retrySchedule,
  logger,
}: FeedSenderOptions): FeedSender {
  const mayLog = createLogThrottle(LOG_INTERVAL_MS);
  const backOff = createBackOff((err) =>
    logger.error({ event: "feed_webhook_stalled", err }, "sending the feed failed in an unexpected way"),
  );
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let cutOff: AbortController | undefined;
  let attempts: FeedAttempts | undefined;
  /** Accepted, but its position is not stored yet. */
  let accepted: Reading | undefined;

  const findWebhook = async (): Promise<DueUpdates | undefined> => {
    const id = await store.findWebhookLog("feed", PLATFORM);
    if (id === undefined) return undefined;
    const [due] = await store.readDueUpdates([{ destinationId: id, afterUpdateId: 0, limit: 0 }], Date.now());
    return due;
  };

  /**
   * The consumer is not there when it was deleted by itself, or with an earlier feed.
   *
   * @returns false when the webhook was removed at this moment: then its consumer stays removed, too
   */
  const hasConsumer = async (): Promise<boolean> => {
    if (await store.findConsumer(FEED, WEBHOOK_CONSUMER)) return true;
    await openConsumer(store, FEED, WEBHOOK_CONSUMER);
    if ((await findWebhook())?.target) return true;
    await store.deleteConsumer(FEED, WEBHOOK_CONSUMER);
    return false;
  };

  const readNext = async (size: number): Promise<Reading | undefined> => {
    if (!(await hasConsumer())) return undefined;
    let start: FeedCursor | undefined;
    const read = async (): Promise<FeedPage> => {
      start = await store.findConsumer(FEED, WEBHOOK_CONSUMER);
      // During the wait the webhook may be removed, and its consumer with it: then it stays removed.
      return start === undefined
        ? NO_PAGE
        : await feedReader(store, { consumer: WEBHOOK_CONSUMER, opened: true }, { limit: size })();
    };
    const page = await waits.next(read, LOOK_INTERVAL_MS);
    return page && start && page.items.length > 0 ? { start, page } : undefined;
  };

  /** Not if the consumer was moved or deleted meanwhile: that was somebody's wish. */
  const move = async ({ start, page }: Reading): Promise<void> => {
    const to = decodeFeedCursor(page.cursor);
    const from = start.positions;
    if (to) await store.moveConsumer(FEED, WEBHOOK_CONSUMER, { ...to, rewind: false, from }, Date.now());
  };

  const attempt = async (id: string, target: DueUpdates["target"], { page }: Reading) => {
    if (!target) return undefined;
    const control = new AbortController();
    cutOff = control;
    const confirm = async (): Promise<void> => {
      const isHeld = await store.holdUpkeep().catch(() => false);
      if (!isHeld) control.abort();
    };
    const confirming = setInterval(() => void confirm(), CONFIRM_INTERVAL_MS);
    try {
      const messageId = messageIdOfPage(id, page);
      return await send(id, target, { body: encode(page), messageId, tail: page.oldestKept }, control.signal);
    } finally {
      clearInterval(confirming);
      cutOff = undefined;
    }
  };

  const record = async (webhook: DueUpdates, sent: SentOnce, attemptedAt: number): Promise<void> => {
    const { destinationId, webhookVersion } = webhook;
    const failure = sent.accepted ? {} : { failure: { error: sent.error, status: sent.status } };
    // Its log is empty, so that this says only how the receiver has answered.
    const outcome = { updateId: 1, failureCount: 0, attemptedAt, durationMs: sent.durationMs, ...failure };
    await store.recordAttempts([{ destinationId, webhookVersion, nextFreshId: 0, attempts: [outcome] }]);
  };

  const conclude = (attempts: FeedAttempts, { page }: Reading, sent: SentOnce): void => {
    if (sent.accepted) {
      if (attempts.failureCount > 0)
        logger.info({ event: "feed_webhook_recovered" }, "the feed's webhook accepts again");
      attempts.accepted();
      return;
    }
    const waitMs = attempts.refused(page.items.length, sent.retryAfterMs);
    if (mayLog("failed"))
      logger.warn(
        { event: "feed_webhook_failed", error: sent.error, failures: attempts.failureCount, waitMs },
        "the feed's webhook refuses; it is tried again",
      );
  };

  /** @returns the wait until the next step, in milliseconds */
  const step = async (): Promise<number> => {
    if (accepted) await move(accepted);
    accepted = undefined;
    if (!(await store.holdUpkeep())) return LOOK_INTERVAL_MS;
    const known = await findWebhook();
    if (!known?.target) return LOOK_INTERVAL_MS;
    if (attempts?.generation !== known.generation)
      attempts = beginAttempts(known.generation, pageSizeOf(known.target), retrySchedule);
    const restMs = attempts.restMs();
    if (restMs > 0) return Math.min(restMs, LOOK_INTERVAL_MS);
    const reading = await readNext(attempts.size);
    if (!reading) return 0;
    // The wait may have been long.
    const webhook = await findWebhook();
    if (!webhook?.target || webhook.generation !== attempts.generation) return 0;
    if (stopped || !(await store.holdUpkeep())) return LOOK_INTERVAL_MS;
    const attemptedAt = Date.now();
    const sent = await attempt(webhook.destinationId, webhook.target, reading);
    if (!sent) return LOOK_INTERVAL_MS;
    if (sent.accepted) accepted = reading;
    conclude(attempts, reading, sent);
    await record(webhook, sent, attemptedAt);
    return 0;
  };

  const run = async (): Promise<void> => {
    try {
      const waitMs = await step();
      backOff.succeeded();
      again(waitMs);
    } catch (error) {
      const isPassing = error instanceof StoreUnavailable || error instanceof NotFound;
      again(isPassing ? LOOK_INTERVAL_MS : backOff.failed(error));
    }
  };
  const again = (waitMs: number): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = run();
    }, waitMs);
    timer.unref();
  };

  again(0);
  return {
    async stop(drainMs) {
      stopped = true;
      clearTimeout(timer);
      waits.end();
      const cut = setTimeout(() => cutOff?.abort(), drainMs);
      await running;
      clearTimeout(cut);
      if (accepted) await move(accepted).catch(() => {});
    },
  };
}

/** The same for each attempt of the same page. */
function messageIdOfPage(destinationId: string, { from, cursor }: FeedPage): string {
  return `${destinationId}_${createHash("sha256").update(`${from} ${cursor}`).digest("hex").slice(0, 32)}`;
}
