import { owner } from "../../../api/client.js";

/** Which of the undelivered updates are to be sent again. */
export type WhatToReplay =
  | { kind: "all"; total: number }
  /** Those whose last attempt failed for this reason. */
  | { kind: "group"; error: string; total: number }
  /** Those whose last attempt was made since a time that the dialog asks for. */
  | { kind: "since"; since?: number };

interface ReplayOptions {
  botId: string;
  /** The one named `default` when undefined. */
  webhook: string | undefined;
  what: WhatToReplay;
  /** Ends it after the call in progress. */
  signal: AbortSignal;
  onProgress: (done: number) => void;
}

/** Replays page by page, each time up to a hundred updates. @returns how many were requeued */
export async function replay(options: ReplayOptions): Promise<number> {
  return options.what.kind === "all"
    ? await replayAll(options, options.what.total)
    : await replaySome(options);
}

/**
 * Oldest first, and no more than there were at the start, so that updates that fail again meanwhile are not replayed
 * twice.
 */
async function replayAll(
  { botId, webhook, signal, onProgress }: ReplayOptions,
  total: number,
): Promise<number> {
  let done = 0;
  while (done < total && !signal.aborted) {
    const { requeued } = await owner.replayWebhook(botId, { webhook });
    if (requeued === 0) break;
    done += requeued;
    onProgress(Math.min(done, total));
  }
  return done;
}

/** By number, beginning with the newest, so that updates that fail again meanwhile are not reached. */
async function replaySome({ botId, webhook, what, signal, onProgress }: ReplayOptions): Promise<number> {
  let done = 0;
  for (const state of ["failed", "scheduled"] as const) {
    let before: number | undefined;
    while (!signal.aborted) {
      const { items } = await owner.listWebhookErrors(botId, { state, before, webhook });
      before = items.at(-1)?.update_id;
      if (before === undefined) break;
      const update_ids = items
        .filter(({ last_delivery_error: error, last_attempted_at: attemptedAt = "" }) =>
          what.kind === "group" ? error === what.error : Date.parse(attemptedAt) >= sinceOf(what),
        )
        .map(({ update_id: id }) => id);
      if (update_ids.length > 0) done += (await owner.replayWebhook(botId, { update_ids, webhook })).requeued;
      onProgress(done);
    }
  }
  return done;
}

function sinceOf(what: WhatToReplay): number {
  return what.kind === "since" ? (what.since ?? 0) : 0;
}
