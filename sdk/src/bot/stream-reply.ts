import type { RequestOptions } from "../client/connection.js";
import { retryWaitMs, wait } from "../client/wait.js";
import { isPassing, ServiceError } from "../errors.js";
import type { BotPost } from "../types.js";

export interface StreamReplyOptions extends RequestOptions {
  /**
   * A text to show until the first part of the answer arrives, such as `"…"`. By default the post is published with the
   * first words.
   */
  placeholder?: string;
}

/** How posts are published and changed. */
interface PostOperations {
  post(body: string, options: RequestOptions): Promise<BotPost>;
  edit(post: BotPost, body: string, options: RequestOptions): Promise<unknown>;
}

/** 3 edits a second; the service allows 5. */
const SHORTEST_PAUSE_MS = 334;
const LONGEST_BODY = 4_096;
/** A full post is split at the end of a line or a word, if there is one among this many last characters. */
const LOOKED_AT_FOR_END = 400;
const TRIES = 5;

/** One post of the answer: the text that it should have, and the text that it has. */
interface Part {
  text: string;
  post: BotPost | undefined;
  shown: string;
}

/** See {@link Reply.stream}. */
export async function streamReply(
  parts: AsyncIterable<string>,
  { post, edit }: PostOperations,
  { placeholder, signal }: StreamReplyOptions = {},
): Promise<BotPost[]> {
  const published: Part[] = [];
  let current: Part = { text: "", post: undefined, shown: "" };
  let isEnded = false;
  /** Somebody has deleted a post of the answer: the rest is not published. */
  let isGone = false;
  let changed = () => {};
  let editedAt = 0;

  const show = async (part: Part, body: string): Promise<void> => {
    const isNew = !part.post;
    if (part.post) await edit(part.post, body, { signal }).catch(unlessGone);
    else part.post = await post(body, { signal });
    // When the handler runs again, the post is that of the first run, and may have another text.
    part.shown = isNew ? part.post.body : body;
    editedAt = Date.now();
  };

  const unlessGone = (error: unknown): void => {
    if (!(error instanceof ServiceError && error.status === 404)) throw error;
    isGone = true;
    changed();
  };

  /** Tries until the part has its whole text, since nothing edits it afterwards. */
  const finish = async (part: Part): Promise<void> => {
    const text = clean(part.text);
    const body = text.trim() === "" ? part.shown : text;
    for (let tries = 1; body !== part.shown; tries++) {
      try {
        await pause(editedAt + SHORTEST_PAUSE_MS - Date.now(), signal);
        await show(part, body);
      } catch (error) {
        if (!isPassing(error) || tries === TRIES) throw error;
        await pause(retryWaitMs(error, tries), signal);
      }
    }
  };

  /** Shows the newest state at limited intervals while further pieces arrive. */
  const follow = async (): Promise<void> => {
    while (!isGone) {
      while (!isGone && Array.from(current.text).length > LONGEST_BODY) {
        const full = current;
        const [head, rest] = splitText(full.text);
        full.text = head;
        // Before anything is awaited: what comes meanwhile belongs to the next one.
        current = { text: rest, post: undefined, shown: "" };
        published.push(full);
        await finish(full);
      }
      if (isEnded) break;
      const text = clean(current.text);
      if (text.trim() !== "" && text !== current.shown) {
        // The next state shows what this one could not.
        await show(current, text).catch((error: unknown) => {
          if (!isPassing(error) || !current.post) throw error;
          return pause(retryWaitMs(error, 1), signal);
        });
        await pause(SHORTEST_PAUSE_MS, signal);
      } else {
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
      }
    }
    if (!isGone) await finish(current);
    if (current.post) published.push(current);
  };

  if (placeholder !== undefined) await show(current, placeholder);
  let hasFailed = false;
  const following = follow();
  // Awaited below; until then it must not count as unhandled.
  following.catch(() => {
    hasFailed = true;
  });
  try {
    for await (const piece of untilAborted(parts, signal)) {
      if (hasFailed || isGone) break;
      current.text += piece;
      changed();
    }
  } finally {
    isEnded = true;
    changed();
    await following.catch(async (error: unknown) => {
      // What has come is shown, also when the rest is no longer wanted.
      const text = clean(current.text);
      if (signal?.aborted && current.post && text.trim() !== "")
        await edit(current.post, text, {}).catch(() => {});
      throw error;
    });
  }
  return published.flatMap(({ post }) => post ?? []);
}

/** The pieces; when the signal is aborted, also while one is awaited, it ends by throwing the signal's reason. */
async function* untilAborted(
  parts: AsyncIterable<string>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const iterator = parts[Symbol.asyncIterator]();
  const aborted = new Promise<never>((_, reject) => {
    if (signal?.aborted) reject(signal.reason as Error);
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  aborted.catch(() => {});
  try {
    for (;;) {
      const { done, value } = await Promise.race([iterator.next(), aborted]);
      if (done) return;
      yield value;
    }
  } finally {
    // Not awaited: a generator that waits for its source ends only when that does.
    void iterator.return?.().catch(() => {});
  }
}

/** Text that a post may have. A piece may end within an emoji: its other half comes with the next one. */
function clean(text: string): string {
  return text.replaceAll("\0", "").replace(/\p{Cs}/gu, "\ufffd");
}

/** What fits into one post, and the rest. */
function splitText(text: string): [string, string] {
  const fitting = Array.from(text).slice(0, LONGEST_BODY).join("");
  const end = fitting.slice(-LOOKED_AT_FOR_END);
  const found = Math.max(end.lastIndexOf("\n"), end.lastIndexOf(" "));
  const length = found < 0 ? fitting.length : fitting.length - end.length + found;
  return [text.slice(0, length), text.slice(found < 0 ? length : length + 1)];
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms > 0) await wait(ms, signal);
}
