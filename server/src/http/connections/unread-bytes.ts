import { MAX_HEADER_BYTES } from "../../domain/limits.js";

const HEAD_END = Buffer.from("\r\n\r\n");
/** The first letter of the methods with a body (POST, PUT, PATCH), and of no other method here. */
const LETTER_P = 0x50;

/** The bytes of a connection that are received and not yet passed to Node's parser. */
export class UnreadBytes {
  #bytes: Buffer | undefined;

  get isEmpty(): boolean {
    return this.#bytes === undefined;
  }

  /** Whether they hold the whole head of a request, or are more than a head may have. */
  get hasHead(): boolean {
    const bytes = this.#bytes;
    return bytes !== undefined && (bytes.length > MAX_HEADER_BYTES || bytes.includes(HEAD_END));
  }

  add(chunk: Buffer): void {
    this.#bytes = this.#bytes ? Buffer.concat([this.#bytes, chunk]) : chunk;
  }

  /**
   * Takes the bytes to parse next: at most the end of a body and one whole head.
   *
   * @param isAlone no request before it is in progress: then its body may be parsed with it, which saves a call
   */
  next(isAlone: boolean): Buffer {
    const bytes = this.#bytes ?? Buffer.alloc(0);
    const headEnd = bytes.indexOf(HEAD_END);
    const cut = headEnd + HEAD_END.length;
    const isOneRequest = isAlone && bytes[0] === LETTER_P && !bytes.includes(HEAD_END, cut);
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
