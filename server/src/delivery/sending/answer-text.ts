import { MAX_KEPT_ANSWER_BYTES } from "../../domain/limits.js";

/** The beginning of an answer's body, collected from its chunks. */
export interface AnswerText {
  add(chunk: Buffer): void;
  /**
   * Decoded as UTF-8, whatever its content type: invalid bytes become U+FFFD.
   *
   * @param limit the most bytes of it; all that were kept unless given
   */
  end(limit?: number): string;
}

/** @param limit the most bytes that are kept */
export function readAnswerText(limit = MAX_KEPT_ANSWER_BYTES): AnswerText {
  const chunks: Buffer[] = [];
  let left = limit;
  return {
    add(chunk) {
      if (left === 0) return;
      // A copy: the parser may use its buffer again.
      const kept = Buffer.from(chunk.subarray(0, left));
      chunks.push(kept);
      left -= kept.length;
    },
    end(most = limit) {
      const kept = Buffer.concat(chunks);
      const isCut = left === 0 || kept.length > most;
      // In stream mode a character that the limit cut in two is left out. PostgreSQL's text type cannot hold NUL.
      const text = new TextDecoder().decode(kept.subarray(0, most), { stream: isCut });
      return text.replaceAll("\0", "\ufffd");
    },
  };
}
