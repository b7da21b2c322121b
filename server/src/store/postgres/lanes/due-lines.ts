import type { DueUpdate } from "../../../domain/events/update.js";

/** An update without a cause, in a line. */
export const NO_CAUSE = "- -";
/** An update as `due-reads.ts` selects it: four integers, the kind of event, `-` for a post, the cause, then the payload. */
const DUE_LINE = /^(\d+) (-?\d+) (\d+) (\d+) (\S+) (\S+ \S+) (.*)$/s;
/** The same with the order `channel`, after its channel and the update that it waits for, 0 for none. */
const LINE_OF_CHANNEL = /^(\d+) (\d+) (.*)$/s;

export function toDueOfChannel(line: string): DueUpdate {
  const [, channel, waitsFor, rest = ""] = LINE_OF_CHANNEL.exec(line) ?? [];
  return {
    ...toDueUpdate(rest),
    ...(channel !== "0" && { channelKey: Number(channel) }),
    ...(waitsFor !== "0" && { waitsFor: Number(waitsFor) }),
  };
}

export function toDueUpdate(line: string): DueUpdate {
  const [, updateId, attempts, failureCount, createdAt, eventType, cause, payload = ""] =
    DUE_LINE.exec(line) ?? [];
  const attemptCount = Number(attempts);
  return {
    updateId: Number(updateId),
    attemptCount: Math.max(0, attemptCount),
    failureCount: Number(failureCount),
    createdAt: Number(createdAt),
    ...(attemptCount < 0 && { wasHeld: true }),
    ...(eventType !== "-" && { eventType }),
    ...(cause !== NO_CAUSE && { cause }),
    payload,
  };
}
