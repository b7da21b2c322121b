import type { Update } from "@botyard/sdk";
import { owner } from "../../../api/client.js";
import { describeFailure } from "../../../api/failure.js";
import { noteFailure } from "../../../api/query-client.js";

/** Older ones are in the list of all updates. */
const MAX_ROWS = 500;
/** The page begins with so many that are there already, so that whoever has just published finds it. */
const ROWS_AT_FIRST = 20;
const RETRY_MS = 2_000;
/** Faster than anybody reads; at a thousand updates a second the page does little else if each frame shows new ones. */
const SHOW_EVERY_MS = 100;

/** What has come of a bot's updates while somebody looks. */
export interface Tail {
  /** Newest first, the newest {@link MAX_ROWS}. */
  updates: readonly Update[];
  /** How many came in all. */
  count: number;
  /** Whether more can come right now. */
  connection: "opening" | "open" | "lost";
  /** Why none can. */
  error?: unknown;
}

export const NO_TAIL: Tail = { updates: [], count: 0, connection: "opening" };

/**
 * Follows a bot's log until the function that it gives is called. However many updates come, `show` hears of them ten
 * times a second at most, and not at all while nobody sees the page.
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
      // Nothing is drawn while the page is in the background.
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

/** Reads until the signal is aborted or the service refuses; what passes is waited out. */
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
      if (!describeFailure(error).isPassing) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

async function startOf(botId: string, signal: AbortSignal): Promise<number> {
  const { total_updates: newest } = await owner.getBotStats(botId, { signal });
  return Math.max(0, newest - ROWS_AT_FIRST);
}
