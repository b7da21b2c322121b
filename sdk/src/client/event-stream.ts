import { AnswerError } from "../errors.js";
import { readAnswer } from "./answer.js";

/** A server-sent event with the fields that updates use. */
export interface ServerEvent {
  id: string;
  /** Empty in an event that has only an id. */
  data: string;
}

type Body = ReadableStream<Uint8Array>;

/** The service sends a heartbeat every 15 s; a connection that is silent for longer than this is dead. */
const LONGEST_SILENCE_MS = 45_000;
/** More than ten times the largest update. */
const LONGEST_LINE_CHARS = 1_048_576;

/**
 * The body of an event-stream answer.
 *
 * @throws {ServiceError} {@link AnswerError}
 */
export async function openEvents(response: Response, url: string): Promise<Body> {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (response.ok && isStream && response.body) return response.body;
  await readAnswer(response, url, "event stream");
  throw new AnswerError("the answer is not a stream of events: is that a Botyard service?", {
    status: response.status,
    isPassing: false,
  });
}

/** The events as they arrive, until the stream ends, is silent for too long or `signal` is aborted. */
export async function* eventsIn(body: Body, signal?: AbortSignal): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  const decoder = new TextDecoder();
  const read = async () => {
    const silence = setTimeout(cancel, LONGEST_SILENCE_MS);
    try {
      return await reader.read();
    } finally {
      clearTimeout(silence);
    }
  };
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) cancel();
  try {
    let rest = "";
    let event: ServerEvent = { id: "", data: "" };
    for (let piece = await read(); !piece.done; piece = await read()) {
      const lines = (rest + decoder.decode(piece.value, { stream: true })).split(/\r?\n/);
      rest = lines.pop() ?? "";
      if (rest.length > LONGEST_LINE_CHARS) {
        throw new AnswerError("the stream has too long a line", {
          status: 200,
          isPassing: false,
        });
      }
      for (const line of lines) {
        if (line.startsWith("id:")) event.id = line.slice(3).trim();
        else if (line.startsWith("data:")) event.data += line.slice(5);
        else if (line === "" && event.id) {
          yield event;
          event = { id: "", data: "" };
        }
      }
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
}
