import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { UsageError } from "../errors.js";

/** Parses `--media`. The service checks the objects. */
export function mediaOf(text: string): Record<string, unknown>[] {
  const media = parsed(text);
  if (Array.isArray(media)) return media as Record<string, unknown>[];
  throw new UsageError(`--media must be a JSON array of objects, such as '[{"kind": "photo"}]'`);
}

/** Parses `--payload`. */
export function payloadOf(text: string): Record<string, unknown> {
  const payload = parsed(text);
  if (typeof payload === "object" && payload !== null && !Array.isArray(payload)) {
    return payload as Record<string, unknown>;
  }
  throw new UsageError(`--payload must be a JSON object, such as '{"ticket": 42}'`);
}

/**
 * The JSON objects of a file, one on each line; `-` reads stdin. Empty lines are skipped. The service checks the
 * objects.
 *
 * @param lines gets the number of each object's line
 * @throws UsageError naming the line that is no object
 */
export async function* objectsIn<Item extends object>(file: string, lines: number[]): AsyncGenerator<Item> {
  const input = file === "-" ? process.stdin : createReadStream(file);
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() === "") continue;
    const object = parsed(line);
    if (typeof object !== "object" || object === null || Array.isArray(object)) {
      throw new UsageError(`line ${number} of ${file === "-" ? "stdin" : file} is not a JSON object`);
    }
    lines.push(number);
    yield object as Item;
  }
}

/** Undefined when the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
