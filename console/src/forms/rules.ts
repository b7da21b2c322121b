/** The service's rules, checked while the user types; the service checks them again. Each returns the error. */

type Rule = (text: string) => string | undefined;

const MAX_NAME_CHARS = 64;
const MAX_MEDIA_ITEMS = 10;
const MAX_METADATA_BYTES = 4_096;

/** @param max in code points, as the service counts */
function atMost(max: number): Rule {
  return (text) => {
    const length = Array.from(text).length;
    return length > max ? `At most ${max} characters; these are ${length}` : undefined;
  };
}

export const username: Rule = (text) => nameOf(text, "A bot needs a username");
export const webhookName: Rule = (text) => nameOf(text, "A webhook needs a name");

function nameOf(text: string, missing: string): string | undefined {
  if (text === "") return missing;
  if (!/^[A-Za-z0-9]/.test(text)) return "Begins with a letter or a digit";
  const [wrong] = /[^A-Za-z0-9_.-]/u.exec(text) ?? [];
  if (wrong !== undefined) return `Letters, digits, _ . and - only, not ${quoted(wrong)}`;
  return atMost(MAX_NAME_CHARS)(text);
}

export const slug: Rule = (text) => {
  if (text === "") return "A channel needs a slug";
  const [wrong] = /[^a-z0-9-]/u.exec(text) ?? [];
  if (wrong !== undefined) return `Lower-case letters, digits and - only, not ${quoted(wrong)}`;
  return atMost(MAX_NAME_CHARS)(text);
};

export const title: Rule = (text) => (text === "" ? "A channel needs a title" : atMost(128)(text));

/** No service takes more; most take 4,096, and say so. */
const MOST_POST_CHARACTERS = 32_768;

export const postBody: Rule = (text) =>
  text.trim() === "" ? "Say something" : atMost(MOST_POST_CHARACTERS)(text);

/** A list of objects as JSON, or nothing. */
export const mediaList: Rule = (text) => {
  if (text.trim() === "") return undefined;
  const media = parsed(text);
  if (!Array.isArray(media) || !media.every(isObject))
    return 'A JSON list of objects, such as [{ "type": "image" }]';
  return media.length > MAX_MEDIA_ITEMS ? `At most ${MAX_MEDIA_ITEMS}; these are ${media.length}` : undefined;
};

/** The payload of a custom event. */
export const payloadObject: Rule = (text) =>
  isObject(parsed(text)) ? undefined : 'A JSON object, such as { "ticket": 42 }';

/** Metadata of a bot or a channel: a JSON object, or nothing. */
export const metadata: Rule = (text) => {
  if (text.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!isObject(value)) return 'A JSON object, such as { "team": "weather" }';
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  return bytes > MAX_METADATA_BYTES
    ? `At most ${MAX_METADATA_BYTES} bytes of JSON; these are ${bytes}`
    : undefined;
};

/** The owner's own id of a channel, or none. */
export const externalId: Rule = (text) =>
  text === "." || text === ".." ? "Not . or .., which no URL can have" : atMost(255)(text);

export const eventType: Rule = (text) =>
  /^[a-z0-9_]+(\.[a-z0-9_]+){1,3}$/.test(text)
    ? atMost(MAX_NAME_CHARS)(text)
    : "2 to 4 lower-case names with dots between them, such as ticket.opened";

export const displayName = atMost(128);
export const description = atMost(1024);

/** @returns undefined for what is no JSON */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function quoted(character: string): string {
  return /\s/.test(character) ? "spaces" : `“${character}”`;
}

export const webhookUrl: Rule = (text) => {
  const url = text.trim();
  if (url === "") return "A webhook needs a URL";
  if (!URL.canParse(url) || !/^https?:\/\//.test(url)) return "Begins with https:// or http://";
  const { username: user, password, hash } = new URL(url);
  if (user !== "" || password !== "") return "Without user name and password: use the secret";
  if (hash !== "") return "Without a fragment (#…)";
  return atMost(2048)(url);
};

export const secretToken: Rule = (text) => {
  if (text === "") return "Type one, or generate it";
  if (!/^[!-~]*$/.test(text)) return "Letters, digits and signs of ASCII only, without spaces";
  return atMost(256)(text);
};
