/** The user that an owner token names. Only for display: the service verifies the token. */
export interface Owner {
  userId: string;
  name: string;
  /** Milliseconds since the Unix epoch. */
  expiresAt: number | undefined;
}

/** @returns undefined when the text does not look like an owner token, a signed JWT */
export function ownerOf(token: string): Owner | undefined {
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
