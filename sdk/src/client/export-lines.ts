import { AnswerError } from "../errors.js";
import type { ExportLine } from "../types.js";
import { readAnswer } from "./answer.js";

type Body = ReadableStream<Uint8Array>;

/**
 * The body of an export.
 *
 * @throws {ServiceError} {@link AnswerError}
 */
export async function openLines(response: Response, url: string): Promise<Body> {
  const isLines = response.headers.get("content-type")?.startsWith("application/x-ndjson") ?? false;
  if (response.ok && isLines && response.body) return response.body;
  await readAnswer(response, url, "export");
  throw new AnswerError("the answer is not an export: is that a Botyard service?", {
    status: response.status,
    isPassing: false,
  });
}

/**
 * The lines as they arrive.
 *
 * @throws {AnswerError} when the body ends before its last line
 */
export async function* linesIn(body: Body, signal?: AbortSignal): AsyncGenerator<ExportLine> {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  const decoder = new TextDecoder();
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) cancel();
  let isComplete = false;
  try {
    let rest = "";
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const lines = (rest + decoder.decode(piece.value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const text of lines) {
        const line = JSON.parse(text) as ExportLine;
        isComplete = line.type === "end";
        yield line;
      }
    }
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw brokenOff(cause);
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
  if (signal?.aborted) throw signal.reason;
  if (!isComplete) throw brokenOff();
}

function brokenOff(cause?: unknown): AnswerError {
  return new AnswerError("the export broke off: go on with `after`, the cursor of its last line", {
    status: 200,
    isPassing: true,
    cause,
  });
}
