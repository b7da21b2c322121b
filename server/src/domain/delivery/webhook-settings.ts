import { durationOf, formatDuration } from "../duration.js";
import { InvalidInput } from "../errors.js";
import { MAX_AUTO_PAUSE_MS, MAX_IN_FLIGHT_PER_BOT, MIN_AUTO_PAUSE_MS } from "../limits.js";

/**
 * What an update waits for before it is sent: for nothing, or until the one before it, of its channel or of its bot, was accepted, has failed
 * for good or was set aside.
 */
export type DeliveryOrder = "none" | "channel" | "bot";

/** How a webhook is called, as far as it differs from {@link DEFAULT_SETTINGS}. */
export interface WebhookSettings {
  /** The most updates of one request: above 1, each body is a list. */
  maxBatch?: number;
  /** The most requests at once. */
  maxInFlight?: number;
  /** The most requests in a second. */
  maxPerSecond?: number;
  /** A webhook that has failed for so long without a success is paused. */
  autoPauseMs?: number;
  /** In which order updates are sent: see {@link DeliveryOrder}. */
  order?: DeliveryOrder;
  /** With an order: an update that was refused so often is set aside, and what is behind it goes on. */
  holdAttempts?: number;
  /** The kinds of events that are sent, of those that the bot hears: patterns as in its subscription; all when left out. */
  eventTypes?: readonly string[];
}

/** What is to change: null brings the default back, what is left out stays. */
export type SettingsEdit = { [Name in keyof WebhookSettings]?: WebhookSettings[Name] | null };

export type WebhookDefaults = Readonly<Required<WebhookSettings>>;

export const DEFAULT_SETTINGS: WebhookDefaults = {
  maxBatch: 1,
  maxInFlight: MAX_IN_FLIGHT_PER_BOT,
  maxPerSecond: Number.POSITIVE_INFINITY,
  autoPauseMs: 5 * 24 * 60 * 60_000,
  order: "none",
  holdAttempts: 5,
  eventTypes: [],
};

const NAMES = Object.keys(DEFAULT_SETTINGS) as (keyof WebhookSettings)[];

/** What an edit changes of these settings; undefined when that is nothing. */
export function changesOf(
  edit: SettingsEdit,
  settings: WebhookSettings = {},
  defaults = DEFAULT_SETTINGS,
): SettingsEdit | undefined {
  const changes = NAMES.flatMap((name) => {
    const given = edit[name];
    if (given === undefined) return [];
    const value = given !== null && areSame(given, defaults[name]) ? null : given;
    return areSame(value, settings[name] ?? null) ? [] : [[name, value] as const];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

export function areSameSettings(some: WebhookSettings = {}, others: WebhookSettings = {}): boolean {
  return some === others || NAMES.every((name) => areSame(some[name], others[name]));
}

type Value = WebhookSettings[keyof WebhookSettings] | null;

function areSame(some: Value, other: Value): boolean {
  if (typeof some !== "object" || typeof other !== "object" || some === null || other === null)
    return some === other;
  return some.length === other.length && some.every((entry, index) => entry === other[index]);
}

const OFF = "off";

/** JSON has no infinity. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;

/** @throws InvalidInput */
export function parseAutoPause(text: string): number {
  if (text === OFF) return NEVER_MS;
  const ms = durationOf(text) ?? 0;
  if (ms >= MIN_AUTO_PAUSE_MS && ms <= MAX_AUTO_PAUSE_MS) return ms;
  throw new InvalidInput("auto_pause must be a duration from 1s to 365d, or off", "invalid_auto_pause");
}

export function formatAutoPause(ms: number): string {
  return ms === NEVER_MS ? OFF : formatDuration(ms);
}
