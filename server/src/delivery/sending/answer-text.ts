import { MAX_KEPT_ANSWER_BYTES } from "../../domain/limits.js";

/** The beginning of an answer's body, collected from its chunks. */
export interface AnswerText {
  add(chunk: Buffer): void;
  /** Decoded as UTF-8, whatever its content type: invalid bytes become U+FFFD. */
  end(): string;
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
    end() {
      // In stream mode a character that the limit cut in two is left out. PostgreSQL's text type cannot hold NUL.
      const text = new TextDecoder().decode(Buffer.concat(chunks), { stream: left === 0 });
      return text.replaceAll("\0", "\ufffd");
    },
  };
}
