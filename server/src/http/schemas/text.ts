import { Type } from "typebox";
import { USERNAME_PATTERN } from "../../domain/bot.js";
import { SLUG_PATTERN } from "../../domain/channel.js";
import {
  MAX_DESCRIPTION_CODE_POINTS,
  MAX_DISPLAY_NAME_CODE_POINTS,
  MAX_EXTERNAL_ID_CODE_POINTS,
  MAX_POST_BODY_CODE_POINTS,
  MAX_SEARCH_CODE_POINTS,
  MAX_SECRET_TOKEN_CHARS,
  MAX_SLUG_CHARS,
  MAX_TITLE_CODE_POINTS,
  MAX_USERNAME_CHARS,
  MAX_WEBHOOK_URL_CHARS,
} from "../../domain/limits.js";
import { MAX_USER_ID_CHARS } from "../../domain/user-id.js";
import { SECRET_TOKEN_PATTERN } from "../../domain/webhook.js";

/**
 * Text that can be stored and sent on as it is: no NUL, and no half of a surrogate pair, which UTF-8 cannot carry.
 * JSON Schema patterns match by code point, so this class finds only unpaired surrogates.
 */
const CLEAN_TEXT_PATTERN = "^[^\\u0000\\ud800-\\udfff]*$";

/** The same without `.` and `..`, which URL parsers remove from a path. */
const EXTERNAL_ID_PATTERN = "^(?!\\.{1,2}$)[^\\u0000\\ud800-\\udfff]*$";

/** The rule of each pattern, for error messages. */
export const PATTERN_RULES: Readonly<Record<string, string>> = {
  [CLEAN_TEXT_PATTERN]: "must not contain NUL characters or unpaired surrogates",
  [EXTERNAL_ID_PATTERN]: "must not be . or .., nor contain NUL characters or unpaired surrogates",
  [USERNAME_PATTERN]: "must be made of letters, digits, _, . and -, and start with a letter or digit",
  [SLUG_PATTERN]: "must be made of lower-case letters, digits and -",
  [SECRET_TOKEN_PATTERN]: "must be made of visible ASCII characters, without spaces",
};

/** Lengths count code points. */
function cleanText(description: string, example: string, minLength: number, maxLength: number) {
  return Type.String({ minLength, maxLength, pattern: CLEAN_TEXT_PATTERN, description, examples: [example] });
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

export const Slug = Type.String({
  minLength: 1,
  maxLength: MAX_SLUG_CHARS,
  pattern: SLUG_PATTERN,
  description: "Unique in the whole service.",
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
  pattern: EXTERNAL_ID_PATTERN,
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
export const UserId = cleanText("Your own id of the user.", "user-7", 1, MAX_USER_ID_CHARS);
export const UserName = cleanText("The name to show.", "Zoë", 1, MAX_USER_ID_CHARS);
export const PostBody = cleanText(
  "The text of the post; not only white space.",
  "Sunny, 24 °C",
  1,
  MAX_POST_BODY_CODE_POINTS,
);

export const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: MAX_WEBHOOK_URL_CHARS,
  pattern: CLEAN_TEXT_PATTERN,
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
    "Empty: the stored one is removed.",
  examples: ["at-least-32-random-characters-of-yours"],
});
