import { MAX_BATCH_ANSWER_BYTES } from "../../domain/limits.js";

/** Why an update is retried that the receiver of a batch has named. */
export const NAMED_AS_FAILED = "answer names it as failed";
const NOT_A_LIST = "invalid answer to a batch: failed is no list of update_id";
const NOT_IN_BATCH = "invalid answer to a batch: failed names an update that was not in it";
const TOO_LARGE = `invalid answer to a batch: not a whole one of at most ${MAX_BATCH_ANSWER_BYTES / 1024} KiB`;
const ENCODED = "invalid answer to a batch: it has a Content-Encoding";

/** The answer to a batch, as far as it was read. */
export interface BatchAnswer {
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
 *
 */
export function judgeBatch(
  updateIds: readonly number[],
  { text, isWhole, error = TOO_LARGE, isEncoded }: BatchAnswer,
): BatchVerdict {
  if (isEncoded && text !== "") return { error: ENCODED };
  // What begins otherwise is no object, whatever follows.
  const [first = "{"] = text.trimStart();
  if (!isWhole && first === "{") return { error };
  if (first !== "{") return ACCEPTED;
  const failed = failedIn(text);
  if (failed === undefined) return ACCEPTED;
  if (!Array.isArray(failed) || !failed.every((id) => Number.isSafeInteger(id))) return { error: NOT_A_LIST };
  const failedIds = new Set(failed as number[]);
  const sentIds = new Set(updateIds);
  if ([...failedIds].some((id) => !sentIds.has(id))) return { error: NOT_IN_BATCH };
  if (failedIds.size === 0) return ACCEPTED;
  return failedIds.size === updateIds.length ? { error: NAMED_AS_FAILED } : { failedIds };
}

/** Undefined when the text is no JSON object with this field. */
function failedIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { failed?: unknown }).failed;
  } catch {
    return undefined;
  }
}
