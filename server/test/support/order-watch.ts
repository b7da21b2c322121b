import type { ServerResponse } from "node:http";
import { POST_CREATED } from "#botyard/domain/events/event.js";
import type { ReceivedRequest } from "./receiver.js";

interface SentUpdate {
  update_id: number;
  event_type: string;
  payload: { channel_id?: string };
}

/** What a receiver does with an update: never answering is `hang`, and breaking the connection `cut`. */
export type Verdict = "accept" | "refuse" | "hang" | "cut";

/** Watches at a receiver that updates of a channel come in order. */
export interface OrderWatch {
  /** Answers a request of one update, or of a list: that is refused if one of its updates is. */
  answer(response: ServerResponse, request: ReceivedRequest): void;
  /** Updates that came before an earlier one of their channel was accepted or refused often enough, as text. */
  faults: string[];
  /** The updates in the order in which they were accepted the first time. */
  accepted: number[];
  /** How often each was refused. */
  refusals: Map<number, number>;
  /** The requests so far, as lists of numbers. */
  requests: number[][];
  /** Begins to watch: in which order updates came before then is no fault. */
  begin(): void;
}

interface WatchOptions {
  judge(updateId: number, channelId: string): Verdict;
  /** What must be in order: the channel of an update, or all the same. */
  groupOf?(channelId: string): string;
  /** How often an update must have been refused by itself before those behind it may come. */
  setAsideAfter?: number;
  /** How long an answer takes. */
  delayMs?: () => number;
}

export function watchOrder({
  judge,
  groupOf = (channelId) => channelId,
  setAsideAfter = Number.POSITIVE_INFINITY,
  delayMs = () => 0,
}: WatchOptions): OrderWatch {
  const faults: string[] = [];
  const accepted: number[] = [];
  const isAccepted = new Set<number>();
  const refusals = new Map<number, number>();
  const requests: number[][] = [];
  /** The channels of the updates that came so far. */
  const seen = new Map<number, string>();
  /** Those of them that came before the watch began. */
  const before = new Set<number>();

  const ofUpdates = (body: string): SentUpdate[] => {
    const parsed = JSON.parse(body) as SentUpdate | { items: SentUpdate[] };
    return "items" in parsed ? parsed.items : [parsed];
  };
  const hasEnded = (updateId: number): boolean =>
    isAccepted.has(updateId) || (refusals.get(updateId) ?? 0) >= setAsideAfter;
  const check = (channelId: string, updateId: number, together: ReadonlySet<number>): void => {
    for (const [other, itsChannel] of seen) {
      if (groupOf(itsChannel) !== groupOf(channelId) || together.has(other)) continue;
      if (other < updateId && !hasEnded(other)) faults.push(`${updateId} came while ${other} had not ended`);
      if (other > updateId && !hasEnded(updateId) && isAccepted.has(other) && !before.has(other))
        faults.push(`${updateId} came the first time after ${other} was accepted`);
    }
    seen.set(updateId, channelId);
  };

  return {
    faults,
    accepted,
    refusals,
    requests,
    begin() {
      faults.splice(0);
      for (const updateId of seen.keys()) before.add(updateId);
    },
    answer(response, { body }) {
      const updates = ofUpdates(body);
      const ids = updates.map(({ update_id: id }) => id);
      requests.push(ids);
      if (ids.some((id, index) => index > 0 && id <= (ids[index - 1] ?? 0)))
        faults.push(`${ids.join()} in one request`);
      const posts = updates.filter(({ event_type: type }) => type === POST_CREATED);
      for (const { update_id: id, payload } of posts) check(payload.channel_id ?? "", id, new Set(ids));
      const verdicts = new Set(
        posts.map(({ update_id: id, payload }) => judge(id, payload.channel_id ?? "")),
      );
      if (verdicts.has("hang")) return;
      const end = (): void => {
        if (response.destroyed) return;
        if (verdicts.has("cut")) return void response.destroy();
        const isRefused = verdicts.has("refuse");
        if (isRefused && ids.length === 1)
          for (const id of ids) refusals.set(id, (refusals.get(id) ?? 0) + 1);
        if (!isRefused)
          for (const id of ids) {
            if (!isAccepted.has(id)) accepted.push(id);
            isAccepted.add(id);
          }
        response.writeHead(isRefused ? 500 : 200).end();
      };
      const wait = delayMs();
      if (wait > 0) setTimeout(end, wait);
      else end();
    },
  };
}
