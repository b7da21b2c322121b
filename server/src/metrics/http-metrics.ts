import type { Registry } from "prom-client";
import type { HttpTally } from "../http/tally.js";
import { counterOf, countersOf, gaugeOf } from "./counted.js";

export function watchHttp(
  registry: Registry,
  tally: Readonly<HttpTally>,
  polls: { readonly waiting: number },
): void {
  countersOf(
    registry,
    { name: "botyard_http_responses_total", help: "Answers to requests, by the class of their status." },
    "status",
    () => tally.responses,
  );
  countersOf(
    registry,
    {
      name: "botyard_platform_responses_total",
      help: "Answers to requests with the platform's token, by the class of their status.",
    },
    "status",
    () => tally.platformResponses,
  );
  countersOf(
    registry,
    {
      name: "botyard_refusals_total",
      help: "Requests and connections that were refused by a limit, by the event of their line in the log.",
    },
    "reason",
    () => tally.refusals,
  );
  counterOf(
    registry,
    {
      name: "botyard_key_set_failures_total",
      help: "Times that the key set for owner tokens could not be fetched.",
    },
    () => tally.keySetFailures,
  );
  gaugeOf(
    registry,
    { name: "botyard_polls_waiting", help: "Polls that wait for an update, and streams." },
    () => polls.waiting,
  );
}
