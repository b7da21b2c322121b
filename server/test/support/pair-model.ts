import { Forbidden, InvalidInput, NotFound, Unauthenticated } from "#botyard/domain/errors.js";
import type { BotRole } from "#botyard/domain/events/channel.js";
import { StoreUnavailable } from "#botyard/store/store.js";

/** A bot of a maker and a channel of a holder, as callers know them. */
export interface State {
  bot: "listed" | "private" | "gone";
  isDisabled: boolean;
  channel: boolean;
  /** Of the bot in the channel; undefined when it is not in it. */
  role: BotRole | undefined;
  /** The direct channel of the holder with the bot, and the bot in it. */
  direct: { role: BotRole | undefined } | undefined;
  /** Of the bot in another channel, which is made with it; undefined when it is not in it. */
  roleInRoom: BotRole | undefined;
}

/** What a call is answered with; "none" of one that has no answer: it may have been done or not, as with "unavailable". */
export type Reply =
  | "done"
  | "not found"
  | "forbidden"
  | "unauthenticated"
  | "invalid"
  | "unavailable"
  | "none";

/** What a call does, and is answered with, when nothing happens at the same time. */
export type Rule = (state: State) => readonly [Reply, State];

const isOffered = ({ bot, isDisabled }: State): boolean => bot === "listed" && !isDisabled;
const isRefused = (state: State) => ["not found", state] as const;
const isDone = (state: State) => ["done", state] as const;

const botGone = (state: State): State => ({
  ...state,
  bot: "gone",
  isDisabled: false,
  role: undefined,
  direct: state.direct && { role: undefined },
  roleInRoom: undefined,
});

export const attachRule =
  (role: BotRole): Rule =>
  (state) => {
    if (!state.channel || state.bot === "gone") return isRefused(state);
    return state.role !== undefined || isOffered(state) ? isDone({ ...state, role }) : isRefused(state);
  };

/** In bulk, what cannot be done is left as it is. */
export const attachInBulkRule =
  (role: BotRole): Rule =>
  (state) =>
    isDone(attachRule(role)(state)[1]);

export const RULES = {
  takeOutInBulk: (state) => isDone({ ...state, role: undefined }),
  detach: (state) => (state.role === undefined ? isRefused(state) : isDone({ ...state, role: undefined })),
  changeBot: (state) => (state.bot === "gone" ? isRefused(state) : isDone(state)),
  putCommands: (state) => (state.bot === "gone" ? ["unauthenticated", state] : isDone(state)),
  deleteBot: (state) => (state.bot === "gone" ? isRefused(state) : isDone(botGone(state))),
  unlist: (state) => (state.bot === "gone" ? isRefused(state) : isDone({ ...state, bot: "private" })),
  disable: (state) => (state.bot === "gone" ? isRefused(state) : isDone({ ...state, isDisabled: true })),
  suspend: (state) => isDone({ ...state, isDisabled: state.bot !== "gone" }),
  deleteChannel: (state) =>
    state.channel ? isDone({ ...state, channel: false, role: undefined }) : isRefused(state),
  eraseMaker: (state) => isDone(botGone(state)),
  eraseHolder: (state) =>
    isDone({ ...state, channel: false, role: undefined, direct: undefined, roleInRoom: undefined }),
  makeDirect: (state) => {
    if (state.bot === "gone") return isRefused(state);
    if (state.direct?.role !== undefined) return isDone(state);
    return isOffered(state) ? isDone({ ...state, direct: { role: "moderator" } }) : isRefused(state);
  },
  makeRoom: (state) => {
    const isMade = state.roleInRoom !== undefined || isOffered(state);
    return isMade ? isDone({ ...state, roleInRoom: "moderator" }) : ["invalid", state];
  },
  leaveRoom: (state) =>
    state.roleInRoom === undefined ? isRefused(state) : isDone({ ...state, roleInRoom: undefined }),
  postAsBot: (state) =>
    state.role === undefined || state.role === "reader" || state.isDisabled
      ? ["forbidden", state]
      : isDone(state),
  postAsHolder: (state) => (state.channel ? isDone(state) : isRefused(state)),
} satisfies Record<string, Rule>;

/** Of calls that say which bots a channel shall have: they look once more until it has them. */
const LOOKS_AGAIN: ReadonlySet<Rule> = new Set([RULES.makeRoom]);

const REPLIES = new Map<unknown, Reply>([
  [NotFound, "not found"],
  [Forbidden, "forbidden"],
  [Unauthenticated, "unauthenticated"],
  [InvalidInput, "invalid"],
  [StoreUnavailable, "unavailable"],
]);

/** @throws an error that no caller may be answered with */
export function replyOf(error: unknown): Reply {
  const reply = REPLIES.get((error as Error).constructor);
  if (reply === undefined) throw error;
  return reply;
}

/** A call that was made, by the monotonic clock. */
export interface Made {
  name: string;
  rule: Rule;
  reply: Reply;
  beganAt: number;
  /** Infinity without an answer. */
  endedAt: number;
}

/** All states in which two calls may leave what there was, one after the other, so that each was answered as it was. */
export function possibleAfter(before: State, one: Made, other: Made): State[] {
  const orders: Made[][] = [];
  if (other.endedAt >= one.beganAt) orders.push([one, other]);
  if (one.endedAt >= other.beganAt) orders.push([other, one]);
  for (const [call, during] of [
    [one, other],
    [other, one],
  ] as const)
    if (LOOKS_AGAIN.has(call.rule) && call.endedAt >= during.endedAt) orders.push([call, during, call]);
  return orders.flatMap((order) =>
    order.reduce((states, made) => states.flatMap((state) => after(state, made)), [before]),
  );
}

function after(state: State, { rule, reply }: Made): State[] {
  const [expected, next] = rule(state);
  if (reply === "unavailable" || reply === "none") return [state, next];
  // What it makes is erased as it makes it, again and again.
  if (reply === "not found" && LOOKS_AGAIN.has(rule)) return [state, next];
  return reply === expected ? [next] : [];
}
