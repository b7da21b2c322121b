/** The command was called in a wrong way; exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The database of a command cannot be reached; exit code 3, as for a service that does not answer. */
export class NotReachable extends Error {
  override readonly name = "NotReachable";
}

/** In the order of the help text. */
export const EXIT_CODES = { ok: 0, failed: 1, usage: 2, notReachable: 3 } as const;

/** The exit code for an error that ended a command. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT_CODES.usage;
  // The SDK's error is known by its name, because most commands never load the SDK.
  if (error instanceof NotReachable || (error as Error).name === "NetworkError")
    return EXIT_CODES.notReachable;
  return EXIT_CODES.failed;
}

const URL_ADVICE =
  "BOTYARD_URL (or --url) must be the address of a Botyard service, such as http://127.0.0.1:8080, without the path of a page";
/** Advice to add to an error's message when something else than this service, or another path of it, has answered. */
export function adviceFor(error: unknown): string {
  const { name, status, code } = error as { name?: string; status?: number; code?: string };
  if (name === "AnswerError") return ` ${URL_ADVICE}`;
  // An answer without a code is from another program or an older Botyard.
  const isNoPath = status === 404 && (code === undefined || code === "route_not_found");
  return name === "ServiceError" && isNoPath ? `. ${URL_ADVICE}` : "";
}
