/** The command was called in a way that cannot work; exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The service answered with an error; exit code 1. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** Nobody answered at the address of the service; exit code 3. */
export class NotReachable extends Error {
  override readonly name = "NotReachable";
}

/** What the shell gets to know, in the order of the help text. */
export const EXIT_CODES = { ok: 0, failed: 1, usage: 2, notReachable: 3 } as const;

/** The exit code for an error that ended a command. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT_CODES.usage;
  if (error instanceof NotReachable) return EXIT_CODES.notReachable;
  return EXIT_CODES.failed;
}
