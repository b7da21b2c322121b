import type { Bot } from "../bot/bot.js";
import type { Outcome } from "../bot/bot-error.js";
import { checkOptions } from "../similar.js";
import type { Update } from "../types.js";
import type { WebhookHeaders } from "./headers.js";
import type { SeenStore } from "./seen.js";
import { VerificationError } from "./verification-error.js";
import { secretsOf, type VerifiedUpdates, verifyUpdates } from "./verify.js";

export interface WebhookOptions {
  /** The webhook's secret token; several while it is being changed. */
  secret: string | undefined | readonly (string | undefined)[];
  /** How far the signature's time may differ from this machine's. 300 unless given. */
  toleranceSeconds?: number;
  /**
   * The name of a consumer, in which the service keeps which updates were handled: an update that comes again after a
   * restart is not handled again, and a bot that changes to polling continues where the webhook ended. `main` unless
   * given.
   */
  consumer?: string;
  /** Remembers somewhere else which updates were handled, instead of a consumer. */
  seen?: SeenStore;
  /**
   * With `first` a request is answered as soon as its signature and its form have been checked, and handled afterwards: for
   * handlers that take longer than the service waits. **What has been acknowledged is lost when the process ends before it is
   * handled, or its handler fails**: the service does not send it again, unless the handler has stored it first, in a queue of yours or
   * by `createOnce`.
   */
  acknowledge?: "first";
  /**
   * Keeps the runtime alive for what `acknowledge: "first"` handles after the answer, such as `after` of Next.js or `waitUntil` of
   * `@vercel/functions`. Not needed in Node, nor on Cloudflare, whose context the handler gets.
   */
  waitUntil?(work: Promise<unknown>): void;
  /** Called for requests that were refused. Unless given, it prints a line, at most once a minute. */
  onRefused?(error: VerificationError): void;
}

/** The answer: a status, and a message for people. */
export interface Reply {
  status: number;
  body: { ok: true } | { error: string } | { failed: number[] };
}

/** Answers one webhook request of any framework. Never rejects. */
export type Receive = (
  headers: WebhookHeaders,
  rawBody: string | Uint8Array | ArrayBuffer,
  waitUntil?: (work: Promise<unknown>) => void,
) => Promise<Reply>;

/** The largest body that is read. An update takes less than a tenth. */
export const LONGEST_BODY_BYTES = 1_048_576;
export const TOO_LARGE: Reply = failed(413, "the body is larger than any update");
export const NOT_POST: Reply = failed(405, "updates are sent by POST");
export const UNREADABLE: Reply = failed(400, "the body could not be read");
const OPTIONS = ["secret", "toleranceSeconds", "consumer", "seen", "onRefused", "acknowledge", "waitUntil"];
const PRINTED_EVERY_MS = 60_000;
const CONSUMER = "main";
const OK: Reply = { status: 200, body: { ok: true } };
const HANDLER_FAILED: Reply = failed(500, "the handler failed");

const PARSED =
  "the signature covers the bytes of the body, which was parsed already: put the webhook handler before express.json(), or use express.raw on its route";

/** The answer when a parser has read the body before the handler. The owner sees it; the first time it is also printed. */
export function parsedReply(): () => Reply {
  let hasSaid = false;
  return () => {
    if (!hasSaid) console.error(`botyard: ${PARSED}`);
    hasSaid = true;
    return failed(400, PARSED);
  };
}

/**
 * Verifies requests, recognises repeated ones, and answers 2xx only after the handlers succeeded.
 *
 * @throws {TypeError} when there is no bot, or no secret
 */
export function createReceive(bot: Bot, options: WebhookOptions): Receive {
  if (typeof bot?.process !== "function")
    throw new TypeError("give the bot first: webhookHandler(bot, { secret })");
  checkOptions("a webhook handler", options, OPTIONS);
  const { toleranceSeconds, consumer, onRefused = printRefusals(), acknowledge } = options ?? {};
  if (consumer !== undefined && options.seen) throw new TypeError("give a consumer or seen, not both");
  const secrets = secretsOf(options?.secret);
  /** What the consumer needs is loaded with the first request, as the loop of polling is when it starts. */
  const openSeen = async (): Promise<SeenStore> =>
    (await import("./consumer-seen.js")).consumerSeen(bot.api, consumer ?? CONSUMER);
  let seenStore: SeenStore | Promise<SeenStore> | undefined = options?.seen;
  const tolerance = toleranceSeconds === undefined ? {} : { toleranceSeconds };
  /** The service repeats a request that takes too long; the second one waits for the handlers of the first. */
  const running = new Map<number, Promise<Outcome>>();

  const handleUnlessSeen = async (update: Update): Promise<Outcome> => {
    seenStore ??= openSeen();
    const seen = await seenStore;
    if (await seen.has(update.update_id, update)) return "done";
    const outcome = await bot.process(update);
    if (outcome === "done") await seen.add(update.update_id);
    return outcome;
  };

  const handleOnce = (update: Update): Promise<Outcome> => {
    const { update_id: id } = update;
    // Checked before the store, which may have answered before the running one was added.
    const begun = running.get(id);
    if (begun) return begun;
    const work = handleUnlessSeen(update).finally(() => running.delete(id));
    running.set(id, work);
    return work;
  };

  /** In their order, as polling does. */
  const handleAll = async ({ updates, isBatch }: VerifiedUpdates): Promise<Reply> => {
    const failed: number[] = [];
    for (const update of updates) {
      // A test event of the owner. No update has number 0, and handlers need not get it.
      const isTest = update.update_id === 0 && (update.event_type as string) === "webhook.test";
      if (!isTest && (await handleOnce(update)) !== "done") failed.push(update.update_id);
    }
    if (failed.length === 0) return OK;
    return isBatch ? { status: 200, body: { failed } } : HANDLER_FAILED;
  };

  const replyTo: Receive = async (headers, rawBody, waitUntil = options.waitUntil) => {
    let verified: VerifiedUpdates;
    try {
      verified = await verifyUpdates({ secret: secrets, headers, rawBody, ...tolerance });
    } catch (error) {
      if (!(error instanceof VerificationError)) throw error;
      onRefused(error);
      return failed(error.reason === "no-update" ? 400 : 401, error.message);
    }
    const work = handleAll(verified);
    if (!acknowledge) return work;
    // Nobody waits for it.
    const handled = work.catch(console.error);
    waitUntil?.(handled);
    return OK;
  };

  return (headers, rawBody, waitUntil) =>
    replyTo(headers, rawBody, waitUntil).catch((error: unknown) => {
      // Otherwise nobody would see the error; the service gets only the status.
      console.error(error);
      return HANDLER_FAILED;
    });
}

function failed(status: number, error: string): Reply {
  return { status, body: { error } };
}

/** Anybody can send requests that are refused, so not every one is printed. */
function printRefusals(): (error: VerificationError) => void {
  let printedAt = Number.NEGATIVE_INFINITY;
  return ({ message }) => {
    if (Date.now() - printedAt < PRINTED_EVERY_MS) return;
    printedAt = Date.now();
    console.error(`botyard: a webhook request was refused: ${message}`);
  };
}
