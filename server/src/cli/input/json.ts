import { UsageError } from "../errors.js";

/** `--media`. What the objects must be is for the service to say. */
export function mediaOf(text: string): Record<string, unknown>[] {
  const media = parsed(text);
  if (Array.isArray(media)) return media as Record<string, unknown>[];
  throw new UsageError(`--media must be a JSON array of objects, such as '[{"kind": "photo"}]'`);
}

/** `--payload`. */
export function payloadOf(text: string): Record<string, unknown> {
  const payload = parsed(text);
  if (typeof payload === "object" && payload !== null && !Array.isArray(payload)) {
    return payload as Record<string, unknown>;
  }
  throw new UsageError(`--payload must be a JSON object, such as '{"ticket": 42}'`);
}

/** Undefined when the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
