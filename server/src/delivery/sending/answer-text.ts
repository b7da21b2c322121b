import { MAX_KEPT_ANSWER_BYTES } from "../../domain/limits.js";

/** How an answer's body begins, read as it comes. */
export interface AnswerText {
  add(chunk: Buffer): void;
  /** As text, whatever the receiver calls it: what is no UTF-8 becomes U+FFFD. */
  end(): string;
}

export function readAnswerText(): AnswerText {
  const chunks: Buffer[] = [];
  let left = MAX_KEPT_ANSWER_BYTES;
  return {
    add(chunk) {
      if (left === 0) return;
      // A copy: the parser may use its buffer again.
      const kept = Buffer.from(chunk.subarray(0, left));
      chunks.push(kept);
      left -= kept.length;
    },
    end() {
      // In stream mode a character that the limit cut in two is left out. PostgreSQL's text cannot hold NUL.
      const text = new TextDecoder().decode(Buffer.concat(chunks), { stream: left === 0 });
      return text.replaceAll("\0", "\ufffd");
    },
  };
}
