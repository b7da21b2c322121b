/**
 * An `@` that follows neither a word nor a slash, and text that may be a username. Addresses (`me@echo`,
 * `@echo@example.com`) and paths (`x/@echo`) do not count as mentions.
 */
const MENTION = /(?<![\w.@/-])@([a-z0-9][a-z0-9_.-]{0,63})(?![a-z0-9_@])/gi;
/** The rest of a URL: after its scheme, or after the end of a host name such as `example.com`. */
const IN_URL = /(?:[a-z]:\/\/|\.[a-z]{2,24}(?::\d{1,5})?[/?#])[^\s<>"]*/gi;
/** A username may end with a dot or a dash, and so may a sentence: both readings of `@echo.` count. */
const ENDING = /^[_.-]{0,3}$/;

/** Whether a text mentions this username, in any case, by the service's rules. */
export function mentions(text: string, username: string): boolean {
  const wanted = username.toLowerCase();
  for (const [, name = ""] of text.replace(IN_URL, "/").matchAll(MENTION)) {
    const given = name.toLowerCase();
    if (given.startsWith(wanted) && ENDING.test(given.slice(wanted.length))) return true;
  }
  return false;
}
