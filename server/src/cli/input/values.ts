import { parseDuration } from "../../domain/duration.js";
import { InvalidInput } from "../../domain/errors.js";
import { UsageError } from "../errors.js";

/** Items of one page of the API. */
export const PAGE_ITEMS = 100;
/** The most that a list command prints. */
const MAX_ITEMS = 10_000;

/**
 * An option or argument that is an integer.
 *
 * @throws UsageError naming it when it is not one from `least` to `most`
 */
export function integerOf(name: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
  throw new UsageError(`${name} must be an integer ${range}, not "${text}"`);
}

/** `--limit`: how many items to print. */
export function limitOf(text: string): number {
  return integerOf("--limit", text, 1, MAX_ITEMS);
}

/**
 * A moment in the past, in milliseconds since the epoch: a date and time, or a duration before now.
 *
 * @throws UsageError naming the option when the text is neither
 */
export function momentOf(name: string, text: string, now: number): number {
  try {
    return now - parseDuration(text);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
  }
  const moment = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(moment)) return moment;
  throw new UsageError(
    `${name} must be a duration such as 2h, or a time such as 2026-01-31T12:00Z, not "${text}"`,
  );
}

/**
 * Where to begin in a log, as an offset: updates numbered above it are read.
 *
 * @returns "now" for the end of the log
 * @throws UsageError when the text is neither `start`, `now` nor the number of an update
 */
export function startOf(text: string): number | "now" {
  if (text === "start") return 0;
  if (text === "now") return "now";
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text) - 1;
  throw new UsageError(`--from must be start, now or the number of an update, not "${text}"`);
}

/** The text that an option gives; `-` reads it from stdin, without the line break at its end. */
export async function textOf(value: string): Promise<string> {
  if (value !== "-") return value;
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

/** Reads pages until there are `limit` items, or no more. */
export async function readPages<Item>(
  limit: number,
  readPage: (limit: number, last: Item | undefined) => Promise<{ items: Item[] }>,
): Promise<Item[]> {
  const all: Item[] = [];
  while (all.length < limit) {
    const { items } = await readPage(Math.min(PAGE_ITEMS, limit - all.length), all.at(-1));
    if (items.length === 0) break;
    all.push(...items);
  }
  return all;
}
