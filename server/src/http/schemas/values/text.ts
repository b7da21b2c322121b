import { Type } from "typebox";
import { USERNAME_PATTERN } from "../../../domain/bots/bot.js";
import { MAX_USER_ID_CHARS } from "../../../domain/bots/user-id.js";
import { SECRET_TOKEN_PATTERN } from "../../../domain/delivery/webhook.js";
import { SLUG_PATTERN } from "../../../domain/events/channel.js";
import { EVENT_TYPE_PATTERN } from "../../../domain/events/event.js";
import { EVENT_TYPES_PATTERN } from "../../../domain/events/subscription.js";
import {
  DEFAULT_POST_CODE_POINTS,
  HIGHEST_POST_CODE_POINTS,
  MAX_DESCRIPTION_CODE_POINTS,
  MAX_DISPLAY_NAME_CODE_POINTS,
  MAX_EVENT_TYPE_CHARS,
  MAX_EXTERNAL_ID_CODE_POINTS,
  MAX_IDEMPOTENCY_KEY_CHARS,
  MAX_SEARCH_CODE_POINTS,
  MAX_SECRET_TOKEN_CHARS,
  MAX_SLUG_CHARS,
  MAX_TITLE_CODE_POINTS,
  MAX_USERNAME_CHARS,
  MAX_WEBHOOK_URL_CHARS,
} from "../../../domain/limits.js";
import { CLEAN_TEXT, EXTERNAL_ID, IDEMPOTENCY_KEY_PATTERN, USER_ID } from "./text-rules.js";

/** What is looked for whatever the case of ASCII letters, as a store compares it: it lowers the case of those alone. */
export function searchedFor(text: string | undefined): string | undefined {
  return text?.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Lengths count code points. */
export function cleanText(description: string, example: string, minLength: number, maxLength: number) {
  return Type.String({ minLength, maxLength, format: CLEAN_TEXT, description, examples: [example] });
}

export const Username = Type.String({
  minLength: 1,
  maxLength: MAX_USERNAME_CHARS,
  pattern: USERNAME_PATTERN,
  description: "Unique in the whole service, whatever the case.",
  examples: ["weather_bot"],
});

export const ConsumerName = Type.String({
  minLength: 1,
  maxLength: MAX_USERNAME_CHARS,
  pattern: USERNAME_PATTERN,
  description: "The consumer's name, unique among those of the same log, whatever the case.",
  examples: ["main"],
});

export const WebhookName = Type.String({
  minLength: 1,
  maxLength: MAX_USERNAME_CHARS,
  pattern: USERNAME_PATTERN,
  description: "The webhook's name, unique among those of its bot, whatever the case.",
  examples: ["audit"],
});

export const Slug = Type.String({
  minLength: 1,
  maxLength: MAX_SLUG_CHARS,
  pattern: SLUG_PATTERN,
  description:
    "Unique among all channels of the owner, and all that one bot is in. A slug that another owner has may be refused.",
  examples: ["weather-reports"],
});

export const DisplayName = cleanText(
  "Shown to people; the username when left out.",
  "Weather",
  0,
  MAX_DISPLAY_NAME_CODE_POINTS,
);
export const Description = cleanText(
  "Free text; empty when left out.",
  "About the weather.",
  0,
  MAX_DESCRIPTION_CODE_POINTS,
);
export const Title = cleanText("Shown to people.", "Weather reports", 1, MAX_TITLE_CODE_POINTS);
export const ExternalId = Type.String({
  minLength: 1,
  maxLength: MAX_EXTERNAL_ID_CODE_POINTS,
  format: EXTERNAL_ID,
  description: "Your own id of the channel, unique among your channels.",
  examples: ["room-42"],
});
export const Search = cleanText(
  "Only bots with this in their username or display name, whatever the case of ASCII letters.",
  "weather",
  1,
  MAX_SEARCH_CODE_POINTS,
);
export const SearchedText = cleanText(
  "Only updates with this text, whatever its case: in the body of a post, or anywhere in the payload of another event; or with this id of a post. An extension of Botyard.",
  "rain",
  1,
  MAX_SEARCH_CODE_POINTS,
);
export const UserId = Type.String({
  minLength: 1,
  maxLength: MAX_USER_ID_CHARS,
  format: USER_ID,
  description: "Your own id of the user, without control characters.",
  examples: ["user-7"],
});
export const UserName = cleanText("The name to show.", "Zoë", 1, MAX_USER_ID_CHARS);
/** Names the variable that sets the longest text; `maxLength` beside it is the most that this may be. */
export const CONFIGURED_MAXIMUM = "x-configured-maximum";
export const PostBody = Type.String({
  ...cleanText(
    `The text of the post; not only white space. At most ${DEFAULT_POST_CODE_POINTS} characters, or as many as the service is configured to take (\`MAX_POST_CHARACTERS\`), up to ${HIGHEST_POST_CODE_POINTS}. Empty only for a post with media, which is an extension of Botyard.`,
    "Sunny, 24 °C",
    0,
    HIGHEST_POST_CODE_POINTS,
  ),
  [CONFIGURED_MAXIMUM]: "MAX_POST_CHARACTERS",
});

export const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: MAX_WEBHOOK_URL_CHARS,
  format: CLEAN_TEXT,
  description:
    "Where updates are delivered: an absolute http or https URL without user name, password or fragment. " +
    "Loopback, private and link-local addresses are refused unless the service is configured to allow them.",
  examples: ["https://example.com/hook"],
});

export const SecretToken = Type.String({
  maxLength: MAX_SECRET_TOKEN_CHARS,
  pattern: SECRET_TOKEN_PATTERN,
  description:
    "Sent with every delivery and used as the key of its signature. Left out: the stored one stays, unless the URL's " +
    "origin changes: then it is removed. " +
    "Empty: the stored one is removed. `whsec_` and the base64 of 24 to 64 bytes: deliveries carry the headers of Standard Webhooks too.",
  examples: ["at-least-32-random-characters-of-yours"],
});

export const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: MAX_IDEMPOTENCY_KEY_CHARS,
  pattern: IDEMPOTENCY_KEY_PATTERN,
  description: "A name of yours for one call.",
});

export const CustomEventType = Type.String({
  maxLength: MAX_EVENT_TYPE_CHARS,
  pattern: EVENT_TYPE_PATTERN,
  description:
    "2 to 4 lower-case names with dots between them. `channel.`, `bot.`, `interaction.`, `webhook.` and `alert.` are reserved.",
  examples: ["ticket.opened"],
});

export const SubscribedType = Type.String({
  maxLength: MAX_EVENT_TYPE_CHARS,
  pattern: EVENT_TYPES_PATTERN,
  description: "A kind, the beginning of some, every custom one, or all.",
});
