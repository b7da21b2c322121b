/** The owner token of this tab. It is kept in sessionStorage: removed with the tab, and no other site can read it. */

const STORED_AS = "botyard.owner-token";
const IN_ADDRESS = "token";

/** The user that the token names. Only for display: the service verifies the token. */
export interface Owner {
  userId: string;
  name: string;
  expiresAt: number | undefined;
}

/**
 * Moves a token from the fragment (`#token=…`) into the session. The URL is replaced at once, so that the token
 * is not bookmarked, shared or left in the history.
 */
export function takeTokenFromAddress(): void {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get(IN_ADDRESS);
  if (token === null) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  if (isOwnerToken(token)) startSession(token);
}

/** @returns undefined while nobody is signed in */
export function currentToken(): string | undefined {
  return sessionStorage.getItem(STORED_AS) ?? undefined;
}

export function startSession(token: string): void {
  sessionStorage.setItem(STORED_AS, token);
}

export function endSession(): void {
  sessionStorage.removeItem(STORED_AS);
}

export function currentOwner(): Owner | undefined {
  const token = currentToken();
  return token === undefined ? undefined : ownerOf(token);
}

/** Whether a text looks like an owner token, a signed JWT. */
export function isOwnerToken(text: string): boolean {
  return ownerOf(text) !== undefined;
}

function ownerOf(token: string): Owner | undefined {
  try {
    const [, payload = "", signature = ""] = token.split(".");
    const claims = JSON.parse(textOf(payload)) as Record<string, unknown>;
    const { sub, preferred_username: name, exp } = claims;
    if (signature === "" || typeof sub !== "string") return undefined;
    return {
      userId: sub,
      name: typeof name === "string" && name !== "" ? name : sub,
      expiresAt: typeof exp === "number" ? exp * 1000 : undefined,
    };
  } catch {
    return undefined;
  }
}

function textOf(base64url: string): string {
  const binary = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}
