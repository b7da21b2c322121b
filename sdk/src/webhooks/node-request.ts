import type { Reply } from "./receive.js";

/** The parts of a request of Node's http that are used. */
export interface NodeRequest extends AsyncIterable<unknown> {
  /** Such as `POST`. */
  method?: string | undefined;
  /** By their names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as an earlier parser has set it. */
  body?: unknown;
  /** The bytes of the body, on platforms that keep them beside the parsed body. */
  rawBody?: unknown;
  /** Whether somebody has begun to read the body. */
  readableDidRead?: boolean;
  /** Reads the body without ending the connection. */
  iterator?(options: { destroyOnReturn: boolean }): AsyncIterable<unknown>;
}

/** The parts of a response of Node's http that are used. */
export interface NodeResponse {
  /** Whether it has been answered already. */
  readonly headersSent: boolean;
  /** Begins the answer. */
  writeHead(status: number, headers: Record<string, string>): unknown;
  /** Ends the answer. */
  end(body: string): unknown;
}

/** A body, or why there is none: an earlier parser has read it, or the client disconnected. */
export type NodeBody = { raw: Uint8Array | string } | "parsed" | "broken";

/** The body as it was received, at most one chunk more than `limitBytes` of it. */
export async function readNodeBody(request: NodeRequest, limitBytes: number): Promise<NodeBody> {
  const raw = [request.rawBody, request.body].find(isRaw);
  if (raw !== undefined) return { raw };
  if (request.readableDidRead) return "parsed";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    // A destroyed request could not be answered.
    const body = request.iterator?.({ destroyOnReturn: false }) ?? request;
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > limitBytes) break;
    }
  } catch {
    return "broken";
  }
  return { raw: concatenated(chunks, bytes) };
}

export function sendReply(response: NodeResponse, { status, body }: Reply): void {
  // For example, a time-out of the application has answered already.
  if (response.headersSent) return;
  response.writeHead(status, {
    "content-type": "application/json",
    ...(status === 405 ? { allow: "POST" } : {}),
    // The rest of a body that is too large is not read.
    ...(status === 413 ? { connection: "close" } : {}),
  });
  response.end(JSON.stringify(body));
}

function isRaw(body: unknown): body is Uint8Array | string {
  return body instanceof Uint8Array || typeof body === "string";
}

function concatenated(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const [only] = chunks;
  if (only && chunks.length === 1) return only;
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
