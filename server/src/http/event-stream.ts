import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { InvalidInput, NotFound } from "../domain/errors.js";
import { encodeUpdate, type Update } from "../domain/events/update.js";
import { MAX_PAGE_ITEMS, STREAM_HEARTBEAT_MS } from "../domain/limits.js";
import type { AnswerMemory } from "../fairness/answer-memory.js";
import type { LogFollower } from "../polling/update-polls.js";
import { type Store, StoreUnavailable } from "../store/store.js";
import type { AppOptions } from "./api.js";
import { watchHangUp } from "./connections/hang-up.js";
import { queryOf } from "./schemas/values/scalars.js";

/** How long a client waits before it reconnects. */
const RETRY_MS = 2_000;
const EVENT_ID = /^(?:0|[1-9]\d{0,15})$/;

export const StreamQuery = queryOf({
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        "Updates numbered above this are sent. Unless given, those recorded from now on. `Last-Event-ID` takes precedence.",
    }),
  ),
});

export const StreamHeaders = Type.Object({
  "Last-Event-ID": Type.Optional(
    Type.String({ description: "The last `id` that was received: updates numbered above it are sent." }),
  ),
});

/** The answer of a stream, for the `response` of its schema. */
export const eventStream = {
  description:
    "Server-sent events: `id` the update_id, `event` always `update`, `data` the update as in polling. A comment every 15 s.",
  content: { "text/event-stream": { schema: { type: "string" } } },
} as const;

/**
 * The offset at which a stream begins. An offset beyond the end of the log was given out before a loss of data, and new
 * updates will have lower numbers. The stream then begins at the end of the log, as its first event says.
 *
 * @throws InvalidInput when `Last-Event-ID` is not the id of an event
 */
export async function startOf(
  store: Store,
  botId: string,
  { headers, query }: { headers: FastifyRequest["headers"]; query: { offset?: number } },
): Promise<number> {
  const given = givenStart(String(headers["last-event-id"] ?? "")) ?? query.offset;
  if (given === 0) return 0;
  const head = (await store.readLogHead(botId)) ?? 0;
  return Math.min(given ?? head, head);
}

function givenStart(lastEventId: string): number | undefined {
  if (lastEventId === "") return undefined;
  if (EVENT_ID.test(lastEventId) && Number.isSafeInteger(Number(lastEventId))) return Number(lastEventId);
  throw new InvalidInput(
    "Last-Event-ID must be the id of an event: the number of an update, or 0",
    "invalid_cursor",
  );
}

export interface StreamSource {
  follower: LogFollower;
  /** Where it begins. */
  offset: number;
  /** Whether the caller's credential is still valid; checked before updates are sent. */
  isAuthorized(): Promise<boolean>;
}

/** Answers with a stream, with backpressure: no batch is read while the one before waits to be sent. */
export function sendEvents(
  reply: FastifyReply,
  source: StreamSource,
  { heartbeatMs = STREAM_HEARTBEAT_MS, answerMemory }: Pick<AppOptions, "heartbeatMs" | "answerMemory">,
): FastifyReply {
  return sendStream(reply, eventsOf(source, heartbeatMs, answerMemory), source.follower.end);
}

/**
 * Answers with server-sent events as they come.
 *
 * @param onEnd called when the stream has ended, whoever ended it; further calls have no effect
 */
export function sendStream(
  reply: FastifyReply,
  pieces: AsyncGenerator<string>,
  onEnd: () => void,
): FastifyReply {
  watchHangUp(reply, onEnd);
  const events = readAsSent(pieces, reply.request.method);
  events.once("close", onEnd);
  return reply
    .header("content-type", "text/event-stream")
    .header("cache-control", "no-cache, no-transform")
    .header("x-accel-buffering", "no")
    .send(events);
}

/**
 * Unlike `Readable.from`, which reads one piece ahead, this requests the next piece when the last one was sent. For a HEAD request
 * nothing is read: Fastify would read a stream to its end, and that of server-sent events has none.
 */
export function readAsSent(pieces: AsyncGenerator<string>, method = "GET"): Readable {
  return new Readable({
    objectMode: true,
    highWaterMark: 0,
    read() {
      if (method === "HEAD") {
        this.push(null);
        return;
      }
      pieces.next().then(
        ({ done, value }) => this.push(done ? null : value),
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      void pieces.return(undefined);
      callback(error);
    },
  });
}

/** The stream of a bot's log as text. */
export function eventsOf(
  { follower, offset, isAuthorized }: StreamSource,
  heartbeatMs: number,
  memory: AnswerMemory,
): AsyncGenerator<string> {
  const next = async (): Promise<string[] | undefined> => {
    const updates = await follower.next(MAX_PAGE_ITEMS, heartbeatMs);
    if (!updates || !(await isAuthorized())) return undefined;
    return updates.length === 0 ? [HEARTBEAT] : [updates.map(encodeEvent).join("")];
  };
  return piecesOf(String(offset), next, memory, follower.end);
}

/** A comment, which shows clients and proxies that the connection works. */
export const HEARTBEAT = ":\n\n";

/**
 * A stream as text. Its first event has the position where it begins, so that a client that loses the connection before
 * anything else comes resumes there.
 *
 * @param next the next pieces, counted in the memory of answers until all are sent; undefined at the end
 */
export async function* piecesOf(
  start: string,
  next: () => Promise<string[] | undefined>,
  memory: AnswerMemory,
  onEnd: () => void,
): AsyncGenerator<string> {
  let release = (): void => {};
  try {
    yield `retry: ${RETRY_MS}\nid: ${start}\n\n`;
    for (let pieces = await next(); pieces; pieces = await next()) {
      release = memory.hold(pieces.reduce((bytes, piece) => bytes + Buffer.byteLength(piece), 0));
      for (const piece of pieces) yield piece;
      release();
    }
  } catch (error) {
    // The client reconnects by itself, and then gets the reason: the store is unavailable, or the feed was switched off.
    const isTold =
      error instanceof StoreUnavailable || error instanceof NotFound || error instanceof InvalidInput;
    if (!isTold) throw error;
  } finally {
    release();
    onEnd();
  }
}

/** JSON has no line breaks, so one line of data is enough. */
function encodeEvent(update: Update): string {
  return `id: ${update.updateId}\nevent: update\ndata: ${encodeUpdate(update)}\n\n`;
}
