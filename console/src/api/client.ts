import { OwnerClient } from "@botyard/sdk";
import { nextToken } from "../session.js";

/** Long enough for a busy service, short enough for a waiting user. */
const TIMEOUT_MS = 15_000;

/** The API as the signed-in owner. The console uses nothing else. */
export const owner = clientWith(nextToken);

/** The API with another token, to check it. */
export function clientWith(token: string | (() => Promise<string>)): OwnerClient {
  // One retry; after that the page shows the failure and polls again while it is open.
  return new OwnerClient(token, { url: location.origin, timeoutMs: TIMEOUT_MS, retries: 1 });
}
