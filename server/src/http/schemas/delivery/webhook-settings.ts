import { type Static, Type } from "typebox";
import type { SettingsEdit, WebhookSettings } from "../../../domain/delivery/webhook-settings.js";
import {
  MAX_IN_FLIGHT_PER_BOT,
  MAX_WEBHOOK_BATCH,
  MAX_WEBHOOK_IN_FLIGHT,
  MAX_WEBHOOK_RATE,
} from "../../../domain/limits.js";
import { EXTENSION } from "../values/scalars.js";

const UNCHANGED = "Left out: it stays as it is";
const AT_ONCE = "Another value makes what waits for a retry due at once. An extension of Botyard.";

/** How a webhook is called, in a request that sets it. */
export const SettingsOfRequest = {
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
};

type RequestFields = { [Name in keyof typeof SettingsOfRequest]: Static<(typeof SettingsOfRequest)[Name]> };

/** The same as it is read: what has its default is left out. */
export const SettingsOfConfig = {
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
    ...(body.max_batch !== undefined && { maxBatch: body.max_batch }),
    ...(body.max_in_flight !== undefined && { maxInFlight: body.max_in_flight }),
    ...(body.max_per_second !== undefined && { maxPerSecond: body.max_per_second || null }),
  };
}

export function toSettingsBody({ maxBatch, maxInFlight, maxPerSecond }: WebhookSettings = {}) {
  return {
    ...(maxBatch === undefined ? {} : { max_batch: maxBatch }),
    ...(maxInFlight === undefined ? {} : { max_in_flight: maxInFlight }),
    ...(maxPerSecond === undefined ? {} : { max_per_second: maxPerSecond }),
  };
}
