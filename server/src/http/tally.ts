/** Kinds of refusals, named after the `event` of their log lines. */
export type RefusalEvent =
  | "rate_limited"
  | "connections_full"
  | "poll_refused"
  | "posts_refused"
  | "bot_loop";

export type StatusClass = "2xx" | "3xx" | "4xx" | "5xx";

/** Counters of the HTTP server since the process began; the metrics read them. */
export interface HttpTally {
  /** Answers, by the class of their status. */
  readonly responses: Record<StatusClass, number>;
  /** Those of them to the platform. */
  readonly platformResponses: Record<StatusClass, number>;
  readonly refusals: Record<RefusalEvent, number>;
  /** How often the key set for owner tokens could not be fetched. */
  keySetFailures: number;
}

export function createHttpTally(): HttpTally {
  return {
    responses: { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 },
    platformResponses: { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 },
    refusals: { rate_limited: 0, connections_full: 0, poll_refused: 0, posts_refused: 0, bot_loop: 0 },
    keySetFailures: 0,
  };
}
