import { KINDS } from "../../domain/events/event.js";
import { EVENT_TYPES_PATTERN, EVERY_CUSTOM, isUnknownType } from "../../domain/events/subscription.js";
import { nearest } from "../../domain/similar-names.js";
import { UsageError } from "../errors.js";

const EVENT_TYPES = new RegExp(EVENT_TYPES_PATTERN);

/**
 * An option that is a kind of events, or stands for several.
 *
 * @throws UsageError with the kind that was meant, when no event can be of this one
 */
export function kindOf(text: string): string {
  if (EVENT_TYPES.test(text) && !isUnknownType(text)) return text;
  throw new UsageError(
    `no event is of the kind "${text}": did you mean ${nearest(text, [...KINDS, EVERY_CUSTOM])}?`,
  );
}
