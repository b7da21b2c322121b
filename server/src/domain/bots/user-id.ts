export const MAX_USER_ID_CHARS = 255;
/** Control characters and unpaired surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** Whether a text may identify an owner, or be an owner's name. */
export function isUserId(text: string): boolean {
  return text !== "" && text.length <= MAX_USER_ID_CHARS && isPrintable(text);
}

/** Whether a text has neither control characters nor unpaired surrogates. */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text);
}
