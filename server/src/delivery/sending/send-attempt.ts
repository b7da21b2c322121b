import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { type Cause, decodeCause } from "../../domain/events/cause.js";
import {
  MAX_BATCH_ANSWER_BYTES,
  MAX_KEPT_ANSWER_BYTES,
  MAX_RESPONSE_ANSWER_BYTES,
} from "../../domain/limits.js";
import { type AnswerText, readAnswerText } from "./answer-text.js";
import type { AttemptSpans } from "./attempt-spans.js";
import { judgeBatch, judgeResponse } from "./batch-answer.js";
import type { AnswerHandler } from "./connections.js";
import { createEgress, type EgressSettings } from "./egress.js";
import {
  brokenOffText,
  errorText,
  isOfTooLargeBody,
  NO_ANSWER,
  statusText,
  TOO_MANY_INFORMATIONAL,
  timeoutText,
} from "./failure-text.js";
import { retryAfterMs } from "./retry-after.js";
import { type SigningSecrets, signingHeaders } from "./signature.js";

/** Headers of an update that is sent again, as alternating names and values. */
export const SENT_AGAIN_HEADERS = ["Botyard-Sent-Again", "true"];

/** Where and how the updates of one bot are sent. */
export interface Endpoint extends SigningSecrets {
  origin: string;
  /** With the query, if any. */
  path: string;
  /** The owner's own, as alternating names and values. */
  headers?: readonly string[];
}

export type AttemptResult = AcceptedResult | FailedResult;

/** `status` and `responseBody` are present when the caller asked for them. */
export interface AcceptedResult {
  accepted: true;
  status?: number;
  responseBody?: string;
  /** The updates of a batch that the receiver has not handled, as its answer says. */
  failedIds?: ReadonlySet<number>;
  /** The body of the answer, if the caller wants it and it is whole. */
  answerText?: string;
}

/** The fields after `error` are present only when the receiver answered. */
export interface FailedResult {
  accepted: false;
  error: string;
  status?: number;
  /** From the `Retry-After` header of a refusal. */
  retryAfterMs?: number;
  /** The beginning of the answer's body; absent when it had none. */
  responseBody?: string;
}

export interface SendOptions {
  /** What Standard Webhooks call the id of the message. */
  messageId?: string | undefined;
  /** When the attempt begins, in milliseconds since the epoch, for its signature. Now, when left out. */
  startedAt?: number;
  /** Whether status and body are also returned for an accepted attempt. */
  keepsAnswer?: boolean;
  /** Whether the request says that the update was delivered before, and is sent again because its owner asked for it. */
  isAgain?: boolean | undefined;
  cause?: Cause | undefined;
  /** The updates of a batch: the body of its answer is read, since it may name those that have failed. */
  batchIds?: readonly number[] | undefined;
  /** Whether the body of an accepting answer is wanted, up to {@link MAX_RESPONSE_ANSWER_BYTES}. */
  wantsAnswer?: boolean;
}

/** Ends an attempt and its connection at once, without a result. */
export type CutOff = () => void;

export interface Sender {
  /**
   * One attempt. `onResult` is called exactly once, unless the attempt is cut off or the sender closed first.
   *
   * @param onResult with how many bytes the attempt received
   */
  send(
    endpoint: Endpoint,
    body: string,
    onResult: (result: AttemptResult, receivedBytes: number) => void,
    options?: SendOptions,
  ): CutOff;
  /** Ends every connection at once. Attempts in flight are cut off without a result. */
  close(): Promise<void>;
}

export interface SenderOptions extends EgressSettings {
  /** The limit of a whole exchange: name resolution, connection, TLS, request, and the answer up to its last byte. */
  timeoutMs: number;
  userAgent: string;
  /** Left out when nothing is traced. */
  spans?: AttemptSpans | undefined;
}

/**
 * Sends webhook requests over kept-alive connections. Any 2xx is acceptance; redirects are answers like any other and
 * are not followed.
 */
export function createSender({ userAgent, spans, ...settings }: SenderOptions): Sender {
  const { timeoutMs } = settings;
  const egress = createEgress(settings);
  const fixedHeaders = ["Content-Type", "application/json", "User-Agent", userAgent];
  let closed = false;

  return {
    send(endpoint, body, onResult, options = {}) {
      const { origin, path, headers: own } = endpoint;
      const { startedAt = Date.now(), isAgain = false, messageId, cause } = options;
      // The client is closed already, so nothing would close a connection that is opened now.
      if (closed) return () => {};
      const headers = [...fixedHeaders, ...signingHeaders(body, endpoint, startedAt, messageId)];
      if (own) headers.push(...own);
      if (isAgain) headers.push(...SENT_AGAIN_HEADERS);
      const span = spans?.begin(origin, cause);
      if (cause !== undefined || span) headers.push(...causeHeaders(cause, span?.traceparent));
      let isCutOff = false;
      const exchange = followExchange(timeoutMs, options, (result) => {
        const bytes = receivedBytes();
        span?.end(result.status, result.accepted ? undefined : result.error);
        afterConnectionIsFree(() => {
          if (!closed && !isCutOff) onResult(result, bytes);
        });
      });
      const request = { origin, path, method: "POST", headers, body } as const;
      const receivedBytes = egress.dispatch(request, exchange.handler);
      return () => {
        isCutOff = true;
        exchange.end();
      };
    },
    async close() {
      closed = true;
      await egress.destroy();
    },
  };
}

/**
 * Those of the request that caused the event, as it sent them.
 *
 * @param own that of the attempt's span, which is a child of the caller's
 */
export function causeHeaders(cause: Cause | undefined, own?: string): string[] {
  const { traceparent: given, requestId }: ReturnType<typeof decodeCause> =
    cause === undefined ? {} : decodeCause(cause);
  const traceparent = own ?? given;
  return [
    ...(traceparent === undefined ? [] : ["traceparent", traceparent]),
    ...(requestId === undefined ? [] : ["X-Request-Id", requestId]),
  ];
}

/**
 * undici frees a connection in an immediate that it queues when its handler has returned. The immediate queued here runs
 * just after that one, so the next attempt uses the same connection; without it each would open a second one.
 */
function afterConnectionIsFree(callback: () => void): void {
  queueMicrotask(() => setImmediate(callback));
}

/** A receiver sends one or two at most: 100 Continue, 103 Early Hints. */
const MAX_INFORMATIONAL = 8;

interface Exchange {
  handler: AnswerHandler;
  /** Ends the exchange now, with the result that it would have at the deadline. */
  end(): void;
}

/**
 * One exchange, from the wait for a connection to the end of the answer or the deadline. The status of the answer
 * decides: 200 accepts the update and 503 refuses it, also when the body then hangs or breaks off.
 */
function followExchange(
  timeoutMs: number,
  { keepsAnswer = false, batchIds, wantsAnswer = false }: SendOptions,
  onResult: (result: AttemptResult) => void,
): Exchange {
  let controller: Dispatcher.DispatchController | undefined;
  let answer: AttemptResult | undefined;
  let text: AnswerText | undefined;
  let settled = false;
  let informationalCount = 0;
  let hasEnded = false;
  let isTooLarge = false;
  let isEncoded = false;
  let okStatus = 200;
  const deadline = setTimeout(() => end(), timeoutMs);

  function end(error = timeoutText(timeoutMs)): void {
    settle(error);
    controller?.abort(new Error("the exchange was ended"));
  }

  /** @param error why the attempt failed, if no head of an answer has arrived, or why the answer ended early */
  function settle(error: string): void {
    if (settled) return;
    settled = true;
    clearTimeout(deadline);
    if (!answer) return onResult({ accepted: false, error });
    const responseBody = text?.end();
    if (answer.accepted && (batchIds || wantsAnswer)) {
      const maxBytes = batchIds ? MAX_BATCH_ANSWER_BYTES : MAX_RESPONSE_ANSWER_BYTES;
      // Of an answer that is too large, its judge says how large one may be.
      const early = hasEnded || isTooLarge ? {} : { error };
      const read = { text: responseBody ?? "", isWhole: isWhole(maxBytes), isEncoded, ...early };
      const { error: refusal, ...accepted } = batchIds ? judgeBatch(batchIds, read) : judgeResponse(read);
      answer =
        refusal === undefined
          ? { ...answer, ...accepted }
          : { accepted: false, error: refusal, status: okStatus };
    }
    const keeps = responseBody && (keepsAnswer || !answer.accepted);
    onResult(keeps ? { ...answer, responseBody: text?.end(MAX_KEPT_ANSWER_BYTES) ?? "" } : answer);
  }

  const isWhole = (maxBytes: number): boolean => hasEnded && handler.bodyBytes <= maxBytes;
  const handler = {
    bodyBytes: 0,
    onRequestStart(started) {
      controller = started;
      // The deadline passed while the connection was being opened: nothing may be sent any more.
      if (settled) started.abort(new Error("deadline"));
    },
    onResponseStart(_, status, headers, reason) {
      if (status < 200) {
        informationalCount += 1;
        if (informationalCount > MAX_INFORMATIONAL) end(TOO_MANY_INFORMATIONAL);
        return;
      }
      answer = resultOf(status, headers, reason);
      if (keepsAnswer && answer.accepted) answer = { ...answer, status };
      okStatus = status;
      isEncoded = (headers["content-encoding"] ?? "identity") !== "identity";
      if (batchIds && answer.accepted) text = readAnswerText(MAX_BATCH_ANSWER_BYTES);
      else if (wantsAnswer && answer.accepted) text = readAnswerText(MAX_RESPONSE_ANSWER_BYTES);
      else if (keepsAnswer || !answer.accepted) text = readAnswerText();
    },
    onResponseData(_, chunk) {
      handler.bodyBytes += chunk.length;
      text?.add(chunk);
    },
    onResponseEnd() {
      hasEnded = true;
      settle(NO_ANSWER);
    },
    onResponseError(_, error) {
      isTooLarge = isOfTooLargeBody(error);
      settle(answer ? brokenOffText(error, timeoutMs) : errorText(error, timeoutMs));
    },
  } satisfies AnswerHandler;
  return { handler, end: () => end() };
}

function resultOf(status: number, headers: IncomingHttpHeaders, reason?: string): AttemptResult {
  if (status < 300) return { accepted: true };
  return {
    accepted: false,
    error: statusText(status, reason),
    status,
    retryAfterMs: retryAfterMs(headers["retry-after"], Date.now()),
  };
}
