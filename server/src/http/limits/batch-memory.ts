import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import { MAX_BATCH_BODY_BYTES, MAX_BATCH_BYTES, MAX_BATCH_BYTES_PER_CALLER } from "../../domain/limits.js";
import { watchHangUp } from "../connections/hang-up.js";
import { sendRefusal } from "../refusal.js";
import type { BodyParsing } from "../requests/json-body.js";

const RETRY_AFTER_S = 1;

/** The memory of batches. A batch reserves as many bytes as its body has, or may have at most. */
export interface BatchMemory {
  /** The `onRequest` hook of the operations that take batches. */
  reserve(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void;
  /** Parses the body of such an operation in its owner's turn, until which it keeps its bytes, too. */
  parse: BodyParsing;
  /**
   * Runs the handler of such an operation. Its batch keeps its bytes until this ends, although the client may have
   * disconnected long before.
   */
  hold<Result>(request: FastifyRequest, handle: () => Promise<Result>): Promise<Result>;
}

/** A batch's reserved bytes. They are released when its client no longer waits, and neither parsing nor handler needs them. */
interface Reservation {
  isAwaited: boolean;
  holders: number;
  release(): void;
}

/** Limits the memory of batches; one caller gets at most a quarter. */
export function boundBatchMemory(parseInTurn: BodyParsing): BatchMemory {
  const reservedBy = new Map<string, number>();
  const reservations = new WeakMap<FastifyRequest, Reservation>();
  let all = 0;

  const reserve = (caller: string, bytes: number): Reservation | undefined => {
    const own = reservedBy.get(caller) ?? 0;
    if (all + bytes > MAX_BATCH_BYTES || own + bytes > MAX_BATCH_BYTES_PER_CALLER) return undefined;
    all += bytes;
    reservedBy.set(caller, own + bytes);
    let isReleased = false;
    return {
      isAwaited: true,
      holders: 0,
      release() {
        if (this.isAwaited || this.holders > 0 || isReleased) return;
        isReleased = true;
        all -= bytes;
        const left = (reservedBy.get(caller) ?? 0) - bytes;
        if (left > 0) reservedBy.set(caller, left);
        else reservedBy.delete(caller);
      },
    };
  };

  /** @returns a function that lets the bytes go */
  const keep = (request: FastifyRequest): (() => void) => {
    const reservation = reservations.get(request);
    if (!reservation) throw new Error("the batch has reserved no memory");
    reservation.holders += 1;
    return () => {
      reservation.holders -= 1;
      reservation.release();
    };
  };

  return {
    reserve(request, reply, done) {
      const caller = request.isPlatform ? "platform" : `owner ${request.owner?.userId}`;
      const reservation = reserve(caller, bytesOf(request));
      if (!reservation) {
        reply.header("retry-after", RETRY_AFTER_S);
        sendRefusal(
          reply,
          "too_many_batches",
          `too many batches are in progress: try again in ${RETRY_AFTER_S} s`,
        );
        return;
      }
      reservations.set(request, reservation);
      const end = (): void => {
        reservation.isAwaited = false;
        reservation.release();
      };
      reply.raw.once("close", end);
      watchHangUp(reply, end);
      done();
    },

    parse(request, bytes, parse) {
      const letGo = keep(request);
      parseInTurn(request, bytes, () => {
        // The handler begins meanwhile, unless the body is refused.
        parse();
        letGo();
      });
    },

    async hold(request, handle) {
      const letGo = keep(request);
      try {
        return await handle();
      } finally {
        letGo();
      }
    },
  };
}

/** The body's `Content-Length`; without one, the most that a body may have. */
function bytesOf({ headers }: FastifyRequest): number {
  const length = Number(headers["content-length"] ?? Number.NaN);
  return Number.isInteger(length) ? Math.min(length, MAX_BATCH_BODY_BYTES) : MAX_BATCH_BODY_BYTES;
}
