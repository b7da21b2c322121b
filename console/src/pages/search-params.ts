import { DEFAULT, type Range } from "../api/queries.js";
import { BOT_STATES, type BotStateName } from "../ui/bot-state.js";
import { type DeliveryState, STATE_WORDS } from "../ui/state-badge.js";

/**
 * The URL's search parameters. Invalid ones become undefined explicitly; a parameter that is left out, the router would
 * pass on.
 */
type Given = Record<string, unknown>;

/** The update that is open in the drawer. */
export interface OpenUpdate {
  update?: number | undefined;
}

export function openUpdate({ update }: Given): OpenUpdate {
  return {
    update:
      typeof update === "number" && Number.isInteger(update) && update > 0 && update < Number.MAX_SAFE_INTEGER
        ? update
        : undefined,
  };
}

/** The webhook that the page is about; left out for the one named `default`. */
export interface WebhookSearch {
  webhook?: string | undefined;
}

export function webhookSearch({ webhook }: Given): WebhookSearch {
  const name = textOf(webhook);
  return { webhook: name?.toLowerCase() === DEFAULT ? undefined : name };
}

export function errorsSearch(given: Given): OpenUpdate & WebhookSearch {
  return { ...openUpdate(given), ...webhookSearch(given) };
}

export interface UpdatesSearch extends OpenUpdate, WebhookSearch {
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
    state: typeof state === "string" && state in STATE_WORDS ? (state as DeliveryState) : undefined,
    search: textOf(search),
    channel: textOf(channel),
    kind: textOf(kind),
    since: isTime(since) ? since : undefined,
    until: isTime(until) ? until : undefined,
    ...openUpdate(given),
    ...webhookSearch(given),
  };
}

/** The update that is meant by "12" or "#12". */
export function numberIn(search: string): number | undefined {
  const digits = /^#?0*([1-9]\d{0,14})$/.exec(search.trim())?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const RANGES = ["1h", "24h", "7d"] as const satisfies readonly Range[];

export interface OverviewSearch extends WebhookSearch {
  range?: Range | undefined;
}

export function overviewSearch({ range, webhook }: Given): OverviewSearch {
  return { range: isOneOf(RANGES, range) ? range : undefined, ...webhookSearch({ webhook }) };
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
    state: typeof state === "string" && state in BOT_STATES ? (state as BotStateName) : undefined,
    sort: isOneOf(COLUMNS, sort) ? sort : undefined,
    desc: desc === true || undefined,
    create: create === "bot" ? create : undefined,
  };
}

export function channelsSearch({ create }: Given): { create?: "channel" | undefined } {
  return { create: create === "channel" ? create : undefined };
}

/** The router parses `search=42` as a number. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text : undefined;
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

function isOneOf<Value extends string>(values: readonly Value[], value: unknown): value is Value {
  return (values as readonly unknown[]).includes(value);
}
