import { OwnerClient } from "@botyard/sdk";
import { currentToken } from "../session.js";

/** Sent while nobody is signed in, so that the answer is a plain 401, which leads to the sign-in. */
const NO_TOKEN = "none";
/** Long enough for a busy service, short enough for somebody who waits. */
const TIMEOUT_MS = 15_000;

/** The API, as the owner who is signed in. Everything the console knows and does goes through it. */
export const owner = clientWith(() => currentToken() ?? NO_TOKEN);

/** The API with another token, to try it. */
export function clientWith(token: string | (() => string)): OwnerClient {
  // One more try; after that the page says so, and asks again by itself while it is open.
  return new OwnerClient(token, { url: location.origin, timeoutMs: TIMEOUT_MS, retries: 1 });
}
