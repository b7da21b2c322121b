import { MAX_HEADER_BYTES } from "../../domain/limits.js";

const HEAD_END = Buffer.from("\r\n\r\n");
/** What the methods that carry bodies, and no other that is known here, begin with. */
const P = 0x50;

/** What a client has sent and Node's parser has not seen. */
export class UnreadBytes {
  #bytes: Buffer | undefined;

  get isEmpty(): boolean {
    return this.#bytes === undefined;
  }

  /** Whether there is the whole head of a request, or more than one may be. */
  get hasHead(): boolean {
    const bytes = this.#bytes;
    return bytes !== undefined && (bytes.length > MAX_HEADER_BYTES || bytes.includes(HEAD_END));
  }

  add(chunk: Buffer): void {
    this.#bytes = this.#bytes ? Buffer.concat([this.#bytes, chunk]) : chunk;
  }

  /**
   * Takes what the parser is to see next: at most the end of a body and one whole head.
   *
   * @param isAlone whether a request may come with its body, which saves the parser a call: nothing before it is in work
   */
  next(isAlone: boolean): Buffer {
    const bytes = this.#bytes ?? Buffer.alloc(0);
    const headEnd = bytes.indexOf(HEAD_END);
    const cut = headEnd + HEAD_END.length;
    const isOneRequest = isAlone && bytes[0] === P && !bytes.includes(HEAD_END, cut);
    if (headEnd < 0 || cut === bytes.length || isOneRequest) {
      this.#bytes = undefined;
      return bytes;
    }
    this.#bytes = bytes.subarray(cut);
    return bytes.subarray(0, cut);
  }

  clear(): void {
    this.#bytes = undefined;
  }
}
