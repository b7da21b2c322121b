import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { UsageError } from "../errors.js";

/** Parses `--media`. The service checks the objects. */
export function mediaOf(text: string): Record<string, unknown>[] {
  return arrayOf("--media", text, '[{"kind": "photo"}]');
}

/** Parses commands of a bot. The service checks the objects. */
export function commandsOf(text: string): Record<string, unknown>[] {
  return arrayOf("<json>", text, '[{"name": "weather", "description": "Tell the weather"}]');
}

/** Parses `--components`. The service checks them. */
export function componentsOf(text: string): Record<string, unknown>[] {
  return arrayOf("--components", text, '[[{"type": "button", "id": "yes", "label": "Yes"}]]');
}

/** Parses `--options` of a command. */
export function optionsOf(text: string): Record<string, unknown> {
  const options = parsed(text);
  if (isObject(options)) return options;
  throw new UsageError(`--options must be a JSON object, such as '{"city": "Oslo"}'`);
}

function arrayOf(name: string, text: string, example: string): Record<string, unknown>[] {
  const array = parsed(text);
  if (Array.isArray(array)) return array as Record<string, unknown>[];
  throw new UsageError(`${name} must be a JSON array, such as '${example}'`);
}

/** Parses `--payload`. */
export function payloadOf(text: string): Record<string, unknown> {
  const payload = parsed(text);
  if (isObject(payload)) return payload;
  throw new UsageError(`--payload must be a JSON object, such as '{"ticket": 42}'`);
}

/** Parses `--metadata`, as a field of a request; none when the option is not given. */
export function metadataField(text: string | undefined): { metadata?: Record<string, unknown> } {
  if (text === undefined) return {};
  const metadata = parsed(text);
  if (isObject(metadata)) return { metadata };
  throw new UsageError(`--metadata must be a JSON object, such as '{"plan": "free"}'`);
}

/** The descriptions of `--metadata`: for what is new, and for what may have metadata already. */
export const METADATA = "data of your own, as a JSON object";
export const CHANGED_METADATA = `${METADATA}; {} removes it`;

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
    if (!isObject(object)) {
      throw new UsageError(`line ${number} of ${file === "-" ? "stdin" : file} is not a JSON object`);
    }
    lines.push(number);
    yield object as Item;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined when the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
