import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { type Store, StoreUnavailable } from "../../store/store.js";

/** Channels attached in one transaction: a few milliseconds of the store's time. */
const CHANNELS_PER_STEP = 500;
const STEP_INTERVAL_MS = 5;
const OUTAGE_INTERVAL_MS = 1_000;
/** How long the start waits until existing channels are attached; the rest is attached in the background. */
const START_WAIT_MS = 3_000;

export interface FeedKeeper {
  stop(): void;
}

/**
 * Switches the feed on and attaches every channel to it, or switches it off, as configured.
 *
 * @param feed undefined leaves the feed as it is in the database
 */
export async function keepFeed(
  store: Store,
  feed: { isOn: boolean; hasAudit: boolean } | undefined,
  logger: Logger,
): Promise<FeedKeeper> {
  let stopped = false;

  const attachAll = async (): Promise<void> => {
    let from: number | undefined = 0;
    while (from !== undefined && !stopped) {
      try {
        from = await store.attachFeed(from, CHANNELS_PER_STEP);
        await sleep(STEP_INTERVAL_MS, undefined, { ref: false });
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        await sleep(OUTAGE_INTERVAL_MS, undefined, { ref: false });
      }
    }
  };

  const hadFeed = await store.hasFeed();
  if (!feed) {
    if (hadFeed) {
      logger.warn(
        { event: "feed_unserved" },
        "the platform's feed is recorded, but not served by this instance: set PLATFORM_FEED=true to serve it, or false to switch it off and remove it",
      );
    }
    return { stop() {} };
  }
  const { isOn, hasAudit } = feed;
  await store.switchFeed(isOn, hasAudit);
  if (isOn && !hadFeed)
    logger.info({ event: "feed_switched", on: true }, "the platform's feed was switched on");
  if (!isOn && hadFeed)
    logger.warn(
      { event: "feed_switched", on: false },
      "the platform's feed was switched off and is being removed, for all instances: PLATFORM_FEED=false",
    );
  if (isOn) {
    const attached = attachAll().catch((err: unknown) =>
      logger.error({ event: "feed_attaching_failed", err }, "not all channels are in the platform's feed"),
    );
    await Promise.race([attached, sleep(START_WAIT_MS, undefined, { ref: false })]);
  }
  return {
    stop() {
      stopped = true;
    },
  };
}

/**
 * The store as the routes of the feed see it: without a feed unless this instance serves it. A log line says when another
 * instance has removed it.
 */
export function servedFeed(store: Store, isServed: boolean, logger: Logger): Store {
  let isLost = false;
  const note = <Read>(read: Read | undefined): Read | undefined => {
    if (isServed && read === undefined && !isLost)
      logger.warn(
        { event: "feed_lost" },
        "the platform's feed, which this instance serves, is gone: another instance was started with PLATFORM_FEED=false. Set it to true there, and restart all",
      );
    isLost = read === undefined;
    return read;
  };
  return {
    ...store,
    hasFeed: async () => isServed && (await store.hasFeed()),
    async readFeed(from, ...rest) {
      const read = isServed ? await store.readFeed(from, ...rest) : undefined;
      // It may be only the consumer that does not exist.
      return "consumer" in from ? read : note(read);
    },
    findConsumer: async (...args) => (isServed ? await store.findConsumer(...args) : undefined),
    openConsumer: async (...args) => note(isServed ? await store.openConsumer(...args) : undefined),
    moveConsumer: async (...args) => note(isServed ? await store.moveConsumer(...args) : undefined),
  };
}
