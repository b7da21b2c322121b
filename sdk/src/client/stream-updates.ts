import { AnswerError, isPassing, ServiceError } from "../errors.js";
import type { Update } from "../types.js";
import type { Connection, RequestOptions } from "./connection.js";
import { eventsIn, openEvents, type ServerEvent } from "./event-stream.js";
import { type LogReset, type PollFailure, retryWaitMs, sayLogReset } from "./next-updates.js";
import { wait } from "./wait.js";

/** Where a stream begins. */
export interface StreamOptions extends RequestOptions {
  /** The number after which to begin. Unless given, with what comes from now on. */
  offset?: number | undefined;
  /** Hears that the service has answered, at first and after each connection that was lost. */
  onStreamOpen?(): void;
  /** Hears of a connection that was lost or refused for the moment, and is made again. */
  onStreamFailure?(failure: PollFailure): void;
  /**
   * Hears that the log ends before the last update that was received, because the service has lost data; the stream goes on
   * from that end. Unless given, a line on `console.error`; throw to end instead.
   */
  onLogReset?(reset: LogReset): void;
}

/**
 * Updates as they come, until the signal is aborted (it ends without an error) or the service refuses. Once it has
 * answered, a connection that is lost is made again and goes on after the last update.
 */
export async function* streamUpdates(
  connection: Connection,
  path: string,
  { offset, signal, onStreamOpen, onStreamFailure, onLogReset = sayLogReset }: StreamOptions,
): AsyncGenerator<Update, void, undefined> {
  let last: number | undefined;
  /** Whoever hears of a reset may end the stream by throwing. */
  let isRefused = false;
  const goOnAfter = (reset: LogReset): void => {
    isRefused = true;
    onLogReset(reset);
    isRefused = false;
  };
  for (let failures = 0; !signal?.aborted; ) {
    let error: unknown;
    try {
      const body = await connection.send<ReadableStream<Uint8Array>>({
        method: "GET",
        path,
        ...(last === undefined
          ? { query: { offset } }
          : { headers: { "last-event-id": String(last) }, retries: 0 }),
        read: openEvents,
        field: "",
        signal,
      });
      onStreamOpen?.();
      for await (const event of eventsIn(body, signal)) {
        const update = updateIn(event, last);
        const head = Number(event.id);
        // A stream begins where it was asked to, or at the end of a log that ends before.
        const before = last ?? offset ?? 0;
        last = head;
        if (!update && head < before) goOnAfter({ offset: before, head });
        if (!update) continue;
        failures = 0;
        yield update;
      }
    } catch (caught) {
      if (signal?.aborted) return;
      // The same service has answered well: a strange answer now is some proxy's, and will pass.
      if (last === undefined || isRefused || (caught instanceof ServiceError && !isPassing(caught)))
        throw caught;
      error = caught;
    }
    failures += 1;
    const waitMs = retryWaitMs(error, failures);
    if (error !== undefined) onStreamFailure?.({ error, failures, waitMs });
    await wait(waitMs, signal).catch(() => {});
  }
}

/** Where the stream begins an event says only that; a wrong number would skip updates for good. */
function updateIn({ id, data }: ServerEvent, last: number | undefined): Update | undefined {
  const number = /^\d{1,16}$/.test(id) ? Number(id) : Number.NaN;
  if (data === "" && Number.isSafeInteger(number)) return undefined;
  const update = parsed(data);
  const isNext = update?.update_id === number && number > (last ?? 0);
  if (isNext && typeof update.event_type === "string" && typeof update.payload === "object")
    return update as Update;
  throw new AnswerError(
    "the stream holds something else than updates in their order: is that a Botyard service?",
    {
      status: 200,
      isPassing: false,
    },
  );
}

function parsed(text: string): Partial<Update> | undefined {
  try {
    return (JSON.parse(text) as Partial<Update> | null) ?? undefined;
  } catch {
    return undefined;
  }
}
