import { AnswerError, isPassing, ServiceError } from "../errors.js";
import type { Update } from "../types.js";
import type { Connection, RequestOptions } from "./connection.js";
import { eventsIn, openEvents, type ServerEvent } from "./event-stream.js";
import { type LogReset, type PollFailure, printLogReset } from "./next-updates.js";
import { retryWaitMs, wait } from "./wait.js";

/** Where a stream begins. */
export interface StreamOptions extends RequestOptions {
  /** The number after which to begin. Unless given, it begins with the next update recorded. */
  offset?: number | undefined;
  /** Extension, for a bot's own stream: the name of a consumer, after whose position it begins, in place of `offset`. */
  consumer?: string | undefined;
  /** Called when the stream is open, at first and after each reconnect. */
  onStreamOpen?(): void;
  /** Called when the connection was lost or could not be made, before the next try. */
  onStreamFailure?(failure: PollFailure): void;
  /**
   * Called when the log ends before the last update that was received, because the service has lost data; the stream
   * continues from the end of the log. Unless given, it prints a line on `console.error`; throw to end instead.
   */
  onLogReset?(reset: LogReset): void;
}

/**
 * Updates as they are recorded, until the signal is aborted (it ends without an error) or the service refuses. Once it has
 * answered, it reconnects when the connection is lost, and continues after the last update.
 */
export async function* streamUpdates(
  connection: Connection,
  path: string,
  { offset, consumer, signal, onStreamOpen, onStreamFailure, onLogReset = printLogReset }: StreamOptions,
): AsyncGenerator<Update, void, undefined> {
  let last: number | undefined;
  /** `onLogReset` may end the stream by throwing. */
  let isRefused = false;
  const continueAfter = (reset: LogReset): void => {
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
          ? { query: { offset, consumer } }
          : { query: { consumer }, headers: { "last-event-id": String(last) }, retries: 0 }),
        read: openEvents,
        field: "",
        signal,
      });
      onStreamOpen?.();
      for await (const event of eventsIn(body, signal)) {
        const update = updateIn(event, last);
        const head = Number(event.id);
        // A stream begins at the offset that was asked for, or at the end of a log that ends before it.
        const before = last ?? offset ?? 0;
        last = head;
        if (!update && head < before) continueAfter({ offset: before, head });
        if (!update) continue;
        failures = 0;
        yield update;
      }
    } catch (caught) {
      if (signal?.aborted) return;
      // The service has answered correctly before, so an answer that is not Botyard's comes from a proxy and is
      // temporary.
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

/** The first event has only an id, where the stream begins. A wrong number would skip updates for good. */
function updateIn({ id, data }: ServerEvent, last: number | undefined): Update | undefined {
  const number = /^\d{1,16}$/.test(id) ? Number(id) : Number.NaN;
  if (data === "" && Number.isSafeInteger(number)) return undefined;
  const update = parsed(data);
  const isNext = update?.update_id === number && number > (last ?? 0);
  if (isNext && typeof update.event_type === "string" && typeof update.payload === "object")
    return update as Update;
  throw new AnswerError("the stream is not updates in order: is that a Botyard service?", {
    status: 200,
    isPassing: false,
  });
}

function parsed(text: string): Partial<Update> | undefined {
  try {
    return (JSON.parse(text) as Partial<Update> | null) ?? undefined;
  } catch {
    return undefined;
  }
}
