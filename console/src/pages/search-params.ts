import type { Range } from "../api/queries.js";
import { BOT_STATES, type BotStateName } from "../ui/bot-state.js";
import { type DeliveryState, STATE_WORDS } from "../ui/state-badge.js";

/** What the URL says beside the path; whatever else it says is left out. */
type Given = Record<string, unknown>;

/** The update that is open in the drawer. */
export interface OpenUpdate {
  update?: number | undefined;
}

export function openUpdate({ update }: Given): OpenUpdate {
  return typeof update === "number" && Number.isInteger(update) && update > 0 ? { update } : {};
}

export interface UpdatesSearch extends OpenUpdate {
  state?: DeliveryState | undefined;
  /** A text to search for. */
  search?: string | undefined;
  /** The channel's id. */
  channel?: string | undefined;
  /** The kind of event. */
  kind?: string | undefined;
  /** The span of time that is shown, newest first. */
  since?: string | undefined;
  until?: string | undefined;
}

export function updatesSearch(given: Given): UpdatesSearch {
  const { state, search, channel, kind, since, until } = given;
  return {
    ...(typeof state === "string" && state in STATE_WORDS ? { state: state as DeliveryState } : {}),
    ...textOf("search", search),
    ...textOf("channel", channel),
    ...textOf("kind", kind),
    ...(isTime(since) ? { since } : {}),
    ...(isTime(until) ? { until } : {}),
    ...openUpdate(given),
  };
}

/** The update that is meant by "12" or "#12". */
export function numberIn(search: string): number | undefined {
  const digits = /^#?([1-9]\d{0,14})$/.exec(search.trim())?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const RANGES = ["1h", "24h", "7d"] as const satisfies readonly Range[];

export function overviewSearch({ range }: Given): { range?: Range } {
  return isOneOf(RANGES, range) ? { range } : {};
}

const COLUMNS = ["bot", "state", "delivered", "waiting", "failed", "channels"] as const;
export type Column = (typeof COLUMNS)[number];

export interface BotsSearch {
  state?: BotStateName | undefined;
  sort?: Column | undefined;
  desc?: boolean | undefined;
  /** What to create: the dialog is open. */
  create?: "bot" | undefined;
}

export function botsSearch({ state, sort, desc, create }: Given): BotsSearch {
  return {
    ...(typeof state === "string" && state in BOT_STATES ? { state: state as BotStateName } : {}),
    ...(isOneOf(COLUMNS, sort) ? { sort } : {}),
    ...(desc === true ? { desc } : {}),
    ...(create === "bot" ? { create } : {}),
  };
}

export function channelsSearch({ create }: Given): { create?: "channel" } {
  return create === "channel" ? { create } : {};
}

/** A URL that says `search=42` has a number there. */
function textOf(name: string, value: unknown): Record<string, string> {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" ? { [name]: text } : {};
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

function isOneOf<Value extends string>(values: readonly Value[], value: unknown): value is Value {
  return (values as readonly unknown[]).includes(value);
}
