import type { Update } from "@botyard/sdk";
import { owner } from "../../../api/client.js";
import { describeFailure, isSignedOut } from "../../../api/failure.js";
import { noteFailure } from "../../../api/query-client.js";

/** Older updates are in the list of all updates. */
const MAX_ROWS = 500;
/** The number of earlier updates shown at first, so that a post published just before is visible. */
const ROWS_AT_FIRST = 20;
const RETRY_MS = 2_000;
/** Faster than anybody reads. At a thousand updates a second, rendering in each frame would use all the time. */
const SHOW_EVERY_MS = 100;

/** A bot's updates since the page was opened. */
export interface Tail {
  /** Newest first, the newest {@link MAX_ROWS}. */
  updates: readonly Update[];
  /** The number of updates in total. */
  count: number;
  /** Whether updates can arrive now. */
  connection: "opening" | "open" | "lost";
  /** Why they cannot. */
  error?: unknown;
}

export const NO_TAIL: Tail = { updates: [], count: 0, connection: "opening" };

/**
 * Follows a bot's log until the returned function is called. It calls `show` at most ten
 * times a second, and not while the page is hidden.
 */
export function followTail(botId: string, show: (tail: Tail) => void): () => void {
  const ended = new AbortController();
  let tail = NO_TAIL;
  /** Oldest first. */
  let arrived: Update[] = [];
  let shownAt = 0;
  let isDue = false;

  const draw = () => {
    if (ended.signal.aborted) return;
    isDue = false;
    shownAt = performance.now();
    if (arrived.length > 0) {
      const updates = [...arrived.toReversed(), ...tail.updates].slice(0, MAX_ROWS);
      tail = { ...tail, updates };
      arrived = [];
    }
    show(tail);
  };
  const change = (what: Partial<Tail>) => {
    tail = { ...tail, ...what };
    if (isDue) return;
    isDue = true;
    setTimeout(() => requestAnimationFrame(draw), shownAt + SHOW_EVERY_MS - performance.now());
  };

  void read(botId, ended.signal, {
    onUpdate(update) {
      arrived.push(update);
      // Nothing is rendered while the page is hidden.
      if (arrived.length > 2 * MAX_ROWS) arrived = arrived.slice(-MAX_ROWS);
      change({ count: tail.count + 1 });
    },
    onOpen: () => change({ connection: "open", error: undefined }),
    onLost: (error) => change({ connection: "lost", error }),
  });
  return () => ended.abort();
}

interface Reader {
  onUpdate(update: Update): void;
  onOpen(): void;
  onLost(error: unknown): void;
}

/** Reads until the signal is aborted or the service refuses; retries after temporary failures. */
async function read(botId: string, signal: AbortSignal, reader: Reader): Promise<void> {
  let offset: number | undefined;
  while (!signal.aborted) {
    try {
      offset ??= await startOf(botId, signal);
      const updates = owner.streamBotUpdates(botId, {
        offset,
        signal,
        onStreamOpen: () => reader.onOpen(),
        onStreamFailure: ({ error }) => reader.onLost(error),
      });
      for await (const update of updates) {
        offset = update.update_id;
        reader.onUpdate(update);
      }
    } catch (error) {
      if (signal.aborted) return;
      noteFailure(error);
      reader.onLost(error);
      // The next request waits until the owner has signed in again.
      if (isSignedOut(error)) continue;
      if (!describeFailure(error).isPassing) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

async function startOf(botId: string, signal: AbortSignal): Promise<number> {
  const { total_updates: newest } = await owner.getBotStats(botId, { signal });
  return Math.max(0, newest - ROWS_AT_FIRST);
}
