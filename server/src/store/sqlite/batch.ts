import { byChannel, inColumns } from "../post-columns.js";
import { type LogHead, type PostToAppend, StoreUnavailable } from "../store.js";
import { LISTS } from "../verbs.js";
import type { Call, Outcome } from "./engine.js";
import type { Appended } from "./verbs.js";

/** A call of a verb that waits for its outcome. */
export type WaitingCall = ((Call & { goesOn?: boolean }) | WaitingAppend) & {
  resolve(value: never): void;
  reject(error: Error): void;
};

/** Posts that wait to be appended. */
interface WaitingAppend {
  posts: readonly PostToAppend[];
  /** Not to be joined with others: a joined call failed, and this is how the one at fault is found. */
  isAlone?: boolean;
}

type Append = Extract<WaitingCall, WaitingAppend>;

/** What a caller hears of its posts. The first of those that shared a call hears what came of all of them. */
export interface AppendedPosts {
  /** For each of its own posts whether it was stored. */
  stored: boolean[];
  heads: LogHead[];
  /** Posts that were stored. */
  postCount: number;
  /** Updates that were appended for them, to all logs together. */
  updateCount: number;
}

const NOTHING_GREW: Omit<AppendedPosts, "stored"> = { heads: [], postCount: 0, updateCount: 0 };

/** Calls on their way to the engine's thread together. */
export interface Batch {
  /** What travels. */
  calls: Call[];
  /** How many callers wait for it. */
  size: number;
  /** How many of the calls are lists, which may take their time. */
  lists: number;
  /**
   * Tells the callers what became of their calls.
   *
   * @returns calls that must be made again: posts each alone, and lists that had to wait
   */
  settle(outcomes: readonly Outcome[]): WaitingCall[];
}

/**
 * Makes one call out of all that append posts: what travels between threads costs by the object, and the engine appends
 * the posts of one channel to its bots' logs together.
 */
export function composeBatch(waiting: readonly WaitingCall[]): Batch {
  const appends: Append[] = [];
  const rest: WaitingCall[] = [];
  for (const call of waiting) {
    if ("posts" in call && !call.isAlone) appends.push(call);
    else rest.push(call);
  }
  const others = plainBatch(rest);
  if (appends.length === 0) return others;
  const posts = appends.flatMap((append) => append.posts);
  return {
    ...others,
    size: waiting.length,
    calls: [appendOf(posts), ...others.calls],
    settle([joined, ...outcomes]) {
      const again = settleAppends(appends, posts, joined);
      return [...again, ...others.settle(outcomes)];
    },
  };
}

function plainBatch(waiting: readonly WaitingCall[]): Batch {
  return {
    size: waiting.length,
    lists: waiting.filter(isList).length,
    calls: waiting.map((call) =>
      "posts" in call ? appendOf(call.posts) : { verb: call.verb, parameters: call.parameters },
    ),
    settle(outcomes) {
      const deferred: WaitingCall[] = [];
      for (const [index, call] of waiting.entries()) {
        const outcome = outcomes[index];
        if (outcome && "deferred" in outcome) deferred.push(call);
        else settleCall(call, outcome);
      }
      return deferred;
    },
  };
}

/** Whether a call is a list: {@link LISTS}. */
export function isList(call: WaitingCall): boolean {
  return "verb" in call && LISTS.has(call.verb);
}

/** Whose list it is, of a bot, a channel or an owner: they take turns. */
export function listKey(call: WaitingCall): string {
  return "verb" in call ? String(call.parameters[0]) : "";
}

/** Whether a list is a further slice of what was begun before. */
export function goesOn(call: WaitingCall): boolean {
  return "verb" in call && call.goesOn === true;
}

function appendOf(posts: readonly PostToAppend[]): Call {
  return { verb: "appendPosts", parameters: [inColumns(posts)] };
}

function settleAppends(
  appends: readonly Append[],
  all: readonly PostToAppend[],
  joined: Outcome | undefined,
): WaitingCall[] {
  if (joined && "error" in joined && !joined.unavailable) {
    return appends.map(({ posts, resolve, reject }) => ({ posts, isAlone: true, resolve, reject }));
  }
  if (!joined || !("value" in joined)) {
    for (const append of appends) settleCall(append, joined);
    return [];
  }
  let { stored, heads, postCount, updateCount } = toAppendedPosts(joined.value as Appended, all);
  let taken = 0;
  for (const { posts, resolve } of appends) {
    const own = stored.slice(taken, (taken += posts.length));
    resolve({ stored: own, heads, postCount, updateCount } as never);
    ({ heads, postCount, updateCount } = NOTHING_GREW);
  }
  return [];
}

/** The posts themselves need not come back from the thread: they are here. */
function toAppendedPosts(appended: Appended, all: readonly PostToAppend[]): AppendedPosts {
  const { channelKeys, sourceKeys, botIds, lastUpdateIds, areClaimable } = appended;
  const postsOf = byChannel(all, channelKeys);
  let updateCount = 0;
  const heads = sourceKeys.map((key, index): LogHead => {
    const posts = postsOf.get(key) ?? [];
    updateCount += posts.length;
    const botId = botIds[index] as string;
    const lastUpdateId = lastUpdateIds[index] as number;
    return { botId, lastUpdateId, isClaimable: areClaimable[index] === true, posts };
  });
  const stored = channelKeys.map((key) => key !== null);
  return { stored, heads, postCount: stored.filter(Boolean).length, updateCount };
}

function settleCall(call: WaitingCall, outcome: Outcome | undefined): void {
  if (outcome && "value" in outcome) {
    const value = "posts" in call ? toAppendedPosts(outcome.value as Appended, call.posts) : outcome.value;
    call.resolve(value as never);
  } else if (!outcome || !("error" in outcome)) {
    call.reject(new StoreUnavailable("the store gave no answer"));
  } else if (outcome.unavailable) {
    call.reject(new StoreUnavailable(outcome.error));
  } else {
    call.reject(new Error(`${"posts" in call ? "appendPosts" : call.verb}: ${outcome.error}`));
  }
}
