import { type Static, Type } from "typebox";
import {
  DEFAULT_SETTINGS,
  type DeliveryOrder,
  formatAutoPause,
  parseAutoPause,
  type SettingsEdit,
  type WebhookSettings,
} from "../../../domain/delivery/webhook-settings.js";
import { formatDuration } from "../../../domain/duration.js";
import {
  MAX_HOLD_ATTEMPTS,
  MAX_IN_FLIGHT_PER_BOT,
  MAX_SENT_TYPES,
  MAX_WEBHOOK_BATCH,
  MAX_WEBHOOK_IN_FLIGHT,
  MAX_WEBHOOK_RATE,
} from "../../../domain/limits.js";
import { enumOf, refWith } from "../document/component.js";
import { EXTENSION } from "../values/scalars.js";
import { SubscribedType } from "../values/text.js";

const EVERY_TYPE = "*";

const UNCHANGED = "Left out: it stays as it is";
const AT_ONCE = "Another value makes what waits for a retry due at once. An extension of Botyard.";

export const DeliveryOrderName = enumOf<DeliveryOrder>(
  "DeliveryOrder",
  ["none", "channel", "bot"],
  "What an update waits for before it is sent: nothing, or the one before it, of its channel or of its bot. An extension of Botyard.",
);

/** How a webhook is called, in a request that sets it. */
export const SettingsOfRequest = {
  order: Type.Optional(
    refWith(DeliveryOrderName, {
      description: `What an update waits for: with \`channel\` and \`bot\` it is not sent before the one before it, of its channel or of the bot, was accepted, has failed for good, or was set aside after \`hold_attempts\`. A channel that waits holds up no other one. With \`bot\` there is one request at a time. ${UNCHANGED}, \`${DEFAULT_SETTINGS.order}\` at first. ${AT_ONCE}`,
    }),
  ),
  hold_attempts: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_HOLD_ATTEMPTS,
      description: `With an \`order\`: after so many refusals an update is set aside. It has failed, as after the last wait of the retry schedule, and can be replayed; the next one is sent. Refusals together with others count as one: of a batch, as many as it can be halved, 6 for 100. ${UNCHANGED}, ${DEFAULT_SETTINGS.holdAttempts} at first. ${AT_ONCE}`,
      examples: [DEFAULT_SETTINGS.holdAttempts],
    }),
  ),
  max_batch: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_WEBHOOK_BATCH,
      description: `The most updates of one request. Above 1 each body is \`{"items": [BotUpdate, …]}\`, also with one update: the \`webhooks\` section has it. ${UNCHANGED}, 1 at first. ${AT_ONCE}`,
      examples: [1],
    }),
  ),
  max_in_flight: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_WEBHOOK_IN_FLIGHT,
      description: `The most requests at once. A receiver gets fewer until it has accepted some. ${UNCHANGED}, ${MAX_IN_FLIGHT_PER_BOT} at first. ${AT_ONCE}`,
      examples: [MAX_IN_FLIGHT_PER_BOT],
    }),
  ),
  max_per_second: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WEBHOOK_RATE,
      description: `The most requests a second, retries included, at even intervals; what has to wait stays pending. Test events and updates that are sent again by hand do not count. 0: no limit. ${UNCHANGED}, without a limit at first. ${AT_ONCE}`,
      examples: [0],
    }),
  ),
  auto_pause: Type.Optional(
    Type.String({
      description: `After how long without a success a receiver that keeps failing is paused: a duration from \`1s\` to \`365d\`, or \`off\`. Its updates stay, and are sent when the webhook is resumed or gets another URL. A receiver that answers 410 is paused at once, whatever is set. ${UNCHANGED}, \`${formatDuration(DEFAULT_SETTINGS.autoPauseMs)}\` at first. ${AT_ONCE}`,
      examples: ["5d"],
    }),
  ),
  event_types: Type.Optional(
    Type.Array(SubscribedType, {
      maxItems: MAX_SENT_TYPES,
      uniqueItems: true,
      description: `The kinds of events that are sent, of those that the bot hears: as in a subscription. What is of other kinds is skipped. \`[]\` or \`["*"]\`: all. ${UNCHANGED}, all at first. ${AT_ONCE}`,
      examples: [["channel.post_created", "ticket.*"]],
    }),
  ),
};

type RequestFields = { [Name in keyof typeof SettingsOfRequest]: Static<(typeof SettingsOfRequest)[Name]> };

/** The same as it is read: what has its default is left out. */
export const SettingsOfConfig = {
  event_types: Type.Optional(
    Type.Array(Type.String({ description: "A kind, or the beginning of some." }), {
      description: "The kinds of events that are sent; left out when all are.",
      ...EXTENSION,
    }),
  ),
  order: Type.Optional(
    refWith(DeliveryOrderName, {
      description: "In which order updates are sent; left out when that is `none`. An extension of Botyard.",
    }),
  ),
  hold_attempts: Type.Optional(
    Type.Integer({
      description: `After how many refusals an update is set aside; left out when it is ${DEFAULT_SETTINGS.holdAttempts}.`,
      ...EXTENSION,
    }),
  ),
  auto_pause: Type.Optional(
    Type.String({
      description: `After how long of failing it is paused; left out when that is \`${formatDuration(DEFAULT_SETTINGS.autoPauseMs)}\`.`,
      ...EXTENSION,
    }),
  ),
  max_batch: Type.Optional(
    Type.Integer({
      description: "The most updates of one request; left out when each has its own.",
      ...EXTENSION,
    }),
  ),
  max_in_flight: Type.Optional(
    Type.Integer({
      description: `The most requests at once; left out when it is ${MAX_IN_FLIGHT_PER_BOT}.`,
      ...EXTENSION,
    }),
  ),
  max_per_second: Type.Optional(
    Type.Integer({
      description: "The most requests a second; left out when there is no limit.",
      ...EXTENSION,
    }),
  ),
};

export function settingsOf(body: Partial<RequestFields>): SettingsEdit {
  return {
    ...(body.order !== undefined && { order: body.order }),
    ...(body.hold_attempts !== undefined && { holdAttempts: body.hold_attempts }),
    ...(body.max_batch !== undefined && { maxBatch: body.max_batch }),
    ...(body.max_in_flight !== undefined && { maxInFlight: body.max_in_flight }),
    ...(body.auto_pause !== undefined && { autoPauseMs: parseAutoPause(body.auto_pause) }),
    ...(body.event_types && { eventTypes: body.event_types.includes(EVERY_TYPE) ? [] : body.event_types }),
    ...(body.max_per_second !== undefined && { maxPerSecond: body.max_per_second || null }),
  };
}

export function toSettingsBody(settings: WebhookSettings = {}) {
  const { maxBatch, maxInFlight, maxPerSecond, autoPauseMs, eventTypes, order, holdAttempts } = settings;
  return {
    ...(eventTypes && { event_types: [...eventTypes] }),
    ...(order === undefined ? {} : { order }),
    ...(holdAttempts === undefined ? {} : { hold_attempts: holdAttempts }),
    ...(autoPauseMs === undefined ? {} : { auto_pause: formatAutoPause(autoPauseMs) }),
    ...(maxBatch === undefined ? {} : { max_batch: maxBatch }),
    ...(maxInFlight === undefined ? {} : { max_in_flight: maxInFlight }),
    ...(maxPerSecond === undefined ? {} : { max_per_second: maxPerSecond }),
  };
}
