import type { BotClient } from "../client/bot-client.js";
import type { Update } from "../types.js";
import type { BotError, ErrorHandler } from "./bot-error.js";
import type { StartOptions } from "./start-options.js";

const LOOKED_EVERY_MS = 10_000;
/** As much as the service keeps of an error. */
const MAX_ERROR_CHARS = 300;

/** The updates that a bot gave up, which the service lists for its owner. */
export interface GivenUpUpdates {
  /** To be called for one that is given up. It counts as handled when this has ended. */
  onGivenUp: ErrorHandler;
  /** To be called for each update that counts as handled, those that are given up included. */
  onDone(update: Update): void;
}

/**
 * Lists what a bot gives up, and hands in what its owner wants to be handled again: looks for that every 10 s,
 * as long as something is listed. A service that keeps no such list is not asked again.
 *
 * @param untilReached tries until the service can be reached, or `stopping` is aborted
 * @param handIn has an update handled
 */
export function keepGivenUp(
  api: BotClient,
  { consumer = "main", onGivenUp }: Pick<StartOptions, "consumer" | "onGivenUp">,
  untilReached: (work: () => Promise<unknown>, stopping: AbortSignal) => Promise<unknown>,
  handIn: (update: Update) => Promise<void>,
  stopping: AbortSignal,
): GivenUpUpdates {
  /** Those handed in again, until they are handled or given up. */
  const handedIn = new Set<number>();
  let mayBeListed = true;
  /** Nothing waits for it: what stays in the list is handled again. */
  const onDone = (id: number): void => {
    if (handedIn.delete(id)) api.forgetGivenUp(consumer, id, { timeoutMs: 2_000 }).catch(() => {});
  };

  const look = async (): Promise<void> => {
    if (!mayBeListed) return;
    const { items } = await api.listMyGivenUp(consumer, { signal: stopping });
    mayBeListed = items.length > 0;
    for (const { update_id: id, handed_in_at: at } of items.toReversed()) {
      if (at === undefined || handedIn.has(id)) continue;
      const found = await api.pollUpdates({ offset: id - 1, limit: 1, signal: stopping });
      const update = found.items.find(({ update_id }) => update_id === id);
      if (handedIn.has(id)) continue;
      handedIn.add(id);
      // It may have expired.
      if (update) await handIn(update);
      else onDone(id);
    }
  };
  const tryToLook = (): void => {
    look().catch(({ status }: { status?: number }) => {
      if (status === 404) mayBeListed = false;
    });
  };
  const timer = setInterval(tryToLook, LOOKED_EVERY_MS);
  const stop = (): void => clearInterval(timer);
  // A bot may be stopped before this was loaded.
  if (stopping.aborted) stop();
  else stopping.addEventListener("abort", stop, { once: true });

  return {
    async onGivenUp(error) {
      const { update_id: id } = error.ctx.update;
      await untilReached(() => api.giveUpUpdate(consumer, id, { error: textOf(error) }), stopping).catch(
        (refusal: { status?: number }) => {
          // With 404 the update has expired, or the service keeps no list. One that could not be reached until the bot was
          // stopped has listed nothing: then the update does not count as handled.
          if (stopping.aborted && refusal.status !== 404) throw refusal;
        },
      );
      handedIn.delete(id);
      mayBeListed = true;
      return await onGivenUp?.(error);
    },
    onDone: ({ update_id: id }) => onDone(id),
  };
}

function textOf({ cause }: BotError): string {
  const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  // The service refuses NUL and halves of characters.
  return text.slice(0, MAX_ERROR_CHARS).replaceAll(/\0|\p{Surrogate}/gu, "");
}
