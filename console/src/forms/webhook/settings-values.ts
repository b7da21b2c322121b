import type { PutWebhookRequest, WebhookConfig } from "@botyard/sdk";

/** The fields of a request that sets a webhook which say how its receiver is called. */
export const SETTINGS = [
  "event_types",
  "order",
  "hold_attempts",
  "max_batch",
  "max_in_flight",
  "max_per_second",
  "auto_pause",
  "headers",
] as const;

/** What the service does when nothing is set. */
const DEFAULTS = {
  event_types: [],
  order: "none",
  hold_attempts: 5,
  max_batch: 1,
  max_in_flight: 16,
  max_per_second: 0,
  auto_pause: "5d",
} as const;

const NUMBERS = ["max_batch", "max_in_flight", "max_per_second"] as const;

export interface SettingsValues extends Record<string, unknown> {
  /** Empty for all. */
  event_types: string[];
  order: NonNullable<PutWebhookRequest["order"]>;
  /** Without an order it is not shown, and not sent. */
  hold_attempts: number | string;
  max_batch: number | string;
  max_in_flight: number | string;
  /** 0 for no limit. */
  max_per_second: number | string;
  auto_pause: string;
  /** A line for each; empty leaves those that are set. */
  headers: string;
  removesHeaders: boolean;
}

export type SettingsChanges = Pick<PutWebhookRequest, (typeof SETTINGS)[number]>;

export function valuesOf(webhook: WebhookConfig): SettingsValues {
  return {
    event_types: webhook.event_types ?? [...DEFAULTS.event_types],
    order: webhook.order ?? DEFAULTS.order,
    hold_attempts: webhook.hold_attempts ?? DEFAULTS.hold_attempts,
    max_batch: webhook.max_batch ?? DEFAULTS.max_batch,
    max_in_flight: webhook.max_in_flight ?? DEFAULTS.max_in_flight,
    max_per_second: webhook.max_per_second ?? DEFAULTS.max_per_second,
    auto_pause: webhook.auto_pause ?? DEFAULTS.auto_pause,
    headers: "",
    removesHeaders: false,
  };
}

/** Only what was changed is sent, so that what others have set meanwhile stays. */
export function changesOf(values: SettingsValues, saved: SettingsValues): SettingsChanges {
  const { event_types, order, auto_pause, headers, removesHeaders } = values;
  const fields = order === "none" ? NUMBERS : (["hold_attempts", ...NUMBERS] as const);
  const numbers = fields.flatMap((name) =>
    values[name] === saved[name] ? [] : [[name, values[name] === "" ? DEFAULTS[name] : Number(values[name])]],
  );
  return {
    ...Object.fromEntries(numbers),
    ...(event_types.join() !== saved.event_types.join() && { event_types }),
    ...(order !== saved.order && { order }),
    ...(auto_pause !== saved.auto_pause && { auto_pause: auto_pause.trim() || DEFAULTS.auto_pause }),
    ...(removesHeaders ? { headers: {} } : headers.trim() !== "" && { headers: headersIn(headers) }),
  };
}

/** @returns undefined when a line is no header */
export function headersIn(text: string): Record<string, string> | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const headers = lines.map((line) => /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line));
  if (!headers.every((header) => header !== null)) return undefined;
  return Object.fromEntries(headers.map(([, name = "", value = ""]) => [name, value]));
}
