/** The result of an attempt, in few enough classes to count each. */
export const OUTCOME_CLASSES = [
  "accepted",
  "redirect",
  "client_error",
  "server_error",
  "timeout",
  "host_not_found",
  "unreachable",
  "tls",
  "bad_answer",
  "not_allowed",
  "proxy",
  "unreadable",
  "other",
] as const;

export type OutcomeClass = (typeof OUTCOME_CLASSES)[number];

/** By the texts of `delivery/sending/failure-text.ts`; the first match counts. The reason after a status may be missing. */
const CLASS_BY_TEXT: readonly [RegExp, OutcomeClass][] = [
  [/^3\d\d\b/, "redirect"],
  [/^4\d\d\b/, "client_error"],
  [/^5\d\d\b/, "server_error"],
  [/^timed out/, "timeout"],
  [/not allowed$/, "not_allowed"],
  [/^egress proxy/, "proxy"],
  [/^host (not found|look-up failed)/, "host_not_found"],
  [/^TLS /, "tls"],
  [
    /^(invalid (HTTP )?answer|answer names it|answer (headers )?too large|too many informational answers|connection closed)/,
    "bad_answer",
  ],
  [/^connection |unreachable$/, "unreachable"],
  [/^webhook /, "unreadable"],
];

/** The class of a failed attempt, by its error text. */
export function failureClass(error: string): OutcomeClass {
  return CLASS_BY_TEXT.find(([pattern]) => pattern.test(error))?.[1] ?? "other";
}
