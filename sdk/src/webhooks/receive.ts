import type { Bot } from "../bot/bot.js";
import type { Outcome } from "../bot/bot-error.js";
import type { Update } from "../types.js";
import type { WebhookHeaders } from "./headers.js";
import { memorySeen, type SeenStore } from "./seen.js";
import { VerificationError } from "./verification-error.js";
import { verifyWebhook } from "./verify.js";

export interface WebhookOptions {
  /** The webhook's secret token; several while it is being changed. */
  secret: string | readonly string[];
  /** How far the signature's time may be from this machine's. 300 unless given. */
  toleranceSeconds?: number;
  /** Which updates were handled already. The newest 10,000, in memory, unless given. */
  seen?: SeenStore;
  /** Hears of requests that were refused. */
  onRefused?(error: VerificationError): void;
}

/** What to answer: a status, and for people why. */
export interface Reply {
  status: number;
  body: { ok: true } | { error: string };
}

/** Answers one webhook request, whatever framework it came by. Never rejects. */
export type Receive = (headers: WebhookHeaders, rawBody: string | Uint8Array | ArrayBuffer) => Promise<Reply>;

/** The largest body that is read. An update takes less than a tenth. */
export const LONGEST_BODY_BYTES = 1_048_576;
export const TOO_LARGE: Reply = failed(413, "the body is larger than any update");
export const NOT_POST: Reply = failed(405, "updates come by POST");
export const UNREADABLE: Reply = failed(400, "the body could not be read");

/** Verifies, recognises repetitions, and answers 2xx only after the handlers succeeded. */
export function createReceive(bot: Bot, options: WebhookOptions): Receive {
  const { secret, toleranceSeconds, seen = memorySeen(), onRefused } = options;
  /** The service repeats a request that takes long; the second one waits for what the first one began. */
  const underWay = new Map<number, Promise<Outcome>>();

  const handleOnce = async (update: Update): Promise<Outcome> => {
    const { update_id: id } = update;
    if (await seen.has(id)) return "done";
    const begun = underWay.get(id);
    if (begun) return await begun;
    const work = bot.process(update);
    underWay.set(id, work);
    try {
      const outcome = await work;
      if (outcome === "done") await seen.add(id);
      return outcome;
    } finally {
      underWay.delete(id);
    }
  };

  return async (headers, rawBody) => {
    try {
      const tolerance = toleranceSeconds === undefined ? {} : { toleranceSeconds };
      const update = await verifyWebhook({ secret, headers, rawBody, ...tolerance });
      const outcome = await handleOnce(update);
      return outcome === "done" ? { status: 200, body: { ok: true } } : failed(500, "the handler failed");
    } catch (error) {
      if (error instanceof VerificationError) {
        onRefused?.(error);
        return failed(error.reason === "no-update" ? 400 : 401, error.message);
      }
      // Nobody else would hear of it; the service only sees the status.
      console.error(error);
      return failed(500, "the handler failed");
    }
  };
}

function failed(status: number, error: string): Reply {
  return { status, body: { error } };
}
