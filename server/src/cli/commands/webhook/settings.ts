import type { PutWebhookRequest } from "@botyard/sdk";
import type { Command } from "commander";
import { UsageError } from "../../errors.js";
import { kindOf } from "../../input/event-kinds.js";
import { integerOf } from "../../input/values.js";

export interface HeaderOptions {
  header?: string[];
  removeHeaders?: boolean;
}

export interface SettingsOptions extends HeaderOptions {
  order?: string;
  holdAttempts?: string;
  maxBatch?: string;
  maxInFlight?: string;
  maxPerSecond?: string;
  autoPause?: string;
  eventType?: string[];
}

const ORDERS = ["none", "channel", "bot"] as const;
const MAX_HOLD_ATTEMPTS = 10;
const MAX_BATCH = 100;
const MAX_IN_FLIGHT = 64;
const MAX_PER_SECOND = 1_000;

/** Options of `botyard webhook set` that say how the receiver is called. */
export function addSettings(set: Command): void {
  set
    .option(
      "--order <order>",
      "send each update after the one before it: none, channel or bot (else it stays as it is; none at first)",
    )
    .option(
      "--hold-attempts <number>",
      "with an order, set an update aside after so many refusals, 1 to 10 (else it stays as it is; 5 at first)",
    )
    .option(
      "--max-batch <number>",
      "the most updates of one request, 1 to 100 (else it stays as it is; 1 at first)",
    )
    .option(
      "--max-in-flight <number>",
      "the most requests at once, 1 to 64 (else it stays as it is; 16 at first)",
    )
    .option(
      "--max-per-second <number>",
      "the most requests a second, 1 to 1000, or off (else it stays as it is; off at first)",
    )
    .option(
      "--auto-pause <duration>",
      "pause it after failing for so long, or off (else it stays as it is; 5d at first)",
    );
  addHeaders(set);
  set.option(
    "--event-type <kind>",
    "send only updates of this kind, ticket.* for all that begin alike, * for all; may be repeated (else it stays as it is)",
    (kind: string, before: string[] | undefined) => [...(before ?? []), kindOf(kind)],
  );
}

export function addHeaders(set: Command): void {
  set
    .option(
      "--header <name: value>",
      "a header of your own, in place of those that are set; may be repeated",
      (header: string, before: string[] | undefined) => [...(before ?? []), header],
    )
    .option("--remove-headers", "send no headers of your own any more");
}

export function settingsOf(options: SettingsOptions): Partial<PutWebhookRequest> {
  const { order, holdAttempts, maxInFlight, maxPerSecond, autoPause, eventType } = options;
  return {
    ...(order === undefined ? {} : { order: orderOf(order) }),
    ...(holdAttempts === undefined
      ? {}
      : { hold_attempts: integerOf("--hold-attempts", holdAttempts, 1, MAX_HOLD_ATTEMPTS) }),
    ...batchOf(options),
    ...(maxInFlight === undefined
      ? {}
      : { max_in_flight: integerOf("--max-in-flight", maxInFlight, 1, MAX_IN_FLIGHT) }),
    ...(maxPerSecond === undefined ? {} : { max_per_second: rateOf(maxPerSecond) }),
    ...(autoPause === undefined ? {} : { auto_pause: autoPause }),
    ...(eventType && { event_types: [...new Set(eventType)] }),
    ...headersOf(options),
  };
}

export function batchOf({ maxBatch }: { maxBatch?: string }): { max_batch?: number } {
  return maxBatch === undefined ? {} : { max_batch: integerOf("--max-batch", maxBatch, 1, MAX_BATCH) };
}

export function headersOf({ header, removeHeaders }: HeaderOptions): Pick<PutWebhookRequest, "headers"> {
  if (header && removeHeaders) throw new UsageError("--remove-headers cannot be used together with --header");
  if (removeHeaders) return { headers: {} };
  return header ? { headers: Object.fromEntries(header.map(headerOf)) } : {};
}

function orderOf(text: string): (typeof ORDERS)[number] {
  const order = ORDERS.find((known) => known === text);
  if (!order) throw new UsageError(`--order must be ${ORDERS.join(", ")}`);
  return order;
}

function rateOf(text: string): number {
  return text === "off" ? 0 : integerOf("--max-per-second", text, 1, MAX_PER_SECOND);
}

function headerOf(text: string): [name: string, value: string] {
  const end = text.indexOf(":");
  if (end < 1)
    throw new UsageError('--header must be a name and a value, such as "Authorization: Bearer 4f1c"');
  return [text.slice(0, end).trim(), text.slice(end + 1).trim()];
}
