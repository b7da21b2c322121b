import { Format } from "typebox/format";
import { USERNAME_PATTERN } from "../../../domain/bots/bot.js";
import { isPrintable } from "../../../domain/bots/user-id.js";
import { SECRET_TOKEN_PATTERN } from "../../../domain/delivery/webhook.js";
import type { ErrorCode } from "../../../domain/error-codes.js";
import { SLUG_PATTERN } from "../../../domain/events/channel.js";
import { EVENT_TYPE_PATTERN } from "../../../domain/events/event.js";
import { EVENT_TYPES_PATTERN } from "../../../domain/events/subscription.js";
import { MAX_EVENT_TYPE_CHARS, MAX_IDEMPOTENCY_KEY_CHARS } from "../../../domain/limits.js";

/**
 * Formats of ours. As patterns they would need a look-ahead or the `u` flag, which generated clients in other languages
 * cannot compile or leave out.
 */
export const CLEAN_TEXT = "clean-text";
export const EXTERNAL_ID = "external-id";
export const USER_ID = "user-id";

export const IDEMPOTENCY_KEY_PATTERN = "^[\\x21-\\x7e]+$";

/** By code point, so that the class finds only unpaired surrogates. */
const UNPAIRED = /[\ud800-\udfff]/u;

/** Text that can be stored and sent on as it is: no NUL, and no half of a surrogate pair, which UTF-8 cannot carry. */
function isCleanText(text: string): boolean {
  return !text.includes("\0") && !UNPAIRED.test(text);
}

/** URL parsers remove `.` and `..` from a path. */
function isExternalId(text: string): boolean {
  return text !== "." && text !== ".." && isCleanText(text);
}

export const FORMATS = {
  [CLEAN_TEXT]: isCleanText,
  [EXTERNAL_ID]: isExternalId,
  [USER_ID]: isPrintable,
} as const;

// Ajv, which checks requests, takes them as an option; what checks a single value of a path knows those set here.
for (const [name, check] of Object.entries(FORMATS)) Format.Set(name, check);

/** What a refusal says: the rule, and its code if that is not `invalid_input`. */
interface TextRule {
  rule: string;
  code?: ErrorCode;
}

export const IDEMPOTENCY_KEY_RULE: TextRule = {
  rule: `must be 1 to ${MAX_IDEMPOTENCY_KEY_CHARS} visible ASCII characters, without spaces`,
  code: "invalid_idempotency_key",
};

/** The rule of each format and pattern. */
export const TEXT_RULES: Readonly<Record<string, TextRule>> = {
  "date-time": { rule: "must be a time with its zone, like 2026-01-31T12:00:00Z" },
  [CLEAN_TEXT]: { rule: "must not contain NUL characters or unpaired surrogates" },
  [EXTERNAL_ID]: { rule: "must not be . or .., nor contain NUL characters or unpaired surrogates" },
  [USER_ID]: { rule: "must not contain control characters or unpaired surrogates" },
  [USERNAME_PATTERN]: {
    rule: "must be made of letters, digits, _, . and -, and start with a letter or digit",
  },
  [SLUG_PATTERN]: { rule: "must be made of lower-case letters, digits and -" },
  [SECRET_TOKEN_PATTERN]: { rule: "must be made of visible ASCII characters, without spaces" },
  [IDEMPOTENCY_KEY_PATTERN]: IDEMPOTENCY_KEY_RULE,
  [EVENT_TYPE_PATTERN]: {
    rule: `must be 2 to 4 lower-case names with dots between them, like ticket.opened, and have at most ${MAX_EVENT_TYPE_CHARS} characters`,
    code: "invalid_event_type",
  },
  [EVENT_TYPES_PATTERN]: {
    rule: `must be a kind like ticket.opened, a beginning like ticket.*, custom for every custom one, or * for all, and have at most ${MAX_EVENT_TYPE_CHARS} characters`,
    code: "invalid_event_type",
  },
};
