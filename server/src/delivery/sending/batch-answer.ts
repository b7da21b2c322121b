import { MAX_BATCH_ANSWER_BYTES, MAX_RESPONSE_ANSWER_BYTES } from "../../domain/limits.js";

/** Why an update is retried that the receiver of a batch has named. */
export const NAMED_AS_FAILED = "answer names it as failed";
const NOT_A_LIST = "invalid answer to a batch: failed is no list of update_id";
const NOT_IN_BATCH = "invalid answer to a batch: failed names an update that was not in it";

/** The answer to a batch or to an interaction, as far as it was read. */
export interface ReadAnswer {
  /** The beginning of its body. */
  text: string;
  /** Whether that is all of it. */
  isWhole: boolean;
  /** Why it ended early, if it did. */
  error?: string | undefined;
  isEncoded: boolean;
}

/** Why nothing of a batch is accepted, or the updates that are not; neither when all are. */
export interface BatchVerdict {
  error?: string;
  failedIds?: ReadonlySet<number>;
}

const ACCEPTED: BatchVerdict = {};

/**
 * What a 2xx says of a batch. It accepts all, as receivers answer anything, unless its body is an object with `failed`. When such a
 * list cannot be trusted, nothing is accepted: sending an update twice is better than losing one.
 */
export function judgeBatch(updateIds: readonly number[], answer: ReadAnswer): BatchVerdict {
  const { text } = answer;
  const fault = faultOfAnswer(answer, "a batch", MAX_BATCH_ANSWER_BYTES);
  if (fault !== undefined) return { error: fault };
  if (!mayBeObject(text)) return ACCEPTED;
  const failed = failedIn(text);
  if (failed === undefined) return ACCEPTED;
  if (!Array.isArray(failed) || !failed.every((id) => Number.isSafeInteger(id))) return { error: NOT_A_LIST };
  const failedIds = new Set(failed as number[]);
  const sentIds = new Set(updateIds);
  if ([...failedIds].some((id) => !sentIds.has(id))) return { error: NOT_IN_BATCH };
  if (failedIds.size === 0) return ACCEPTED;
  return failedIds.size === updateIds.length ? { error: NAMED_AS_FAILED } : { failedIds };
}

/** What a 2xx says of an interaction: its body may have a response, which is not lost when the answer breaks off. */
export function judgeResponse(answer: ReadAnswer): { error?: string; answerText?: string } {
  const fault = faultOfAnswer(answer, "an interaction", MAX_RESPONSE_ANSWER_BYTES);
  if (fault !== undefined) return { error: fault };
  return answer.isWhole && answer.text !== "" ? { answerText: answer.text } : {};
}

/**
 * Why an answer cannot be trusted that may be an object of which something is missing: what it was sent is sent again.
 *
 * @param to what it answers
 */
function faultOfAnswer(
  { text, isWhole, error, isEncoded }: ReadAnswer,
  to: "a batch" | "an interaction",
  maxBytes: number,
): string | undefined {
  if (isEncoded && text !== "") return `invalid answer to ${to}: it has a Content-Encoding`;
  if (isWhole || !mayBeObject(text)) return undefined;
  return error ?? `invalid answer to ${to}: not a whole one of at most ${maxBytes / 1024} KiB`;
}

/** What begins otherwise is no object, whatever follows. */
function mayBeObject(text: string): boolean {
  const [first = "{"] = text.trimStart();
  return first === "{";
}

/** Undefined when the text is no JSON object with this field. */
function failedIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { failed?: unknown }).failed;
  } catch {
    return undefined;
  }
}
