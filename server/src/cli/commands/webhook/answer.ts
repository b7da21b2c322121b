import type { WebhookTestResult } from "@botyard/sdk";
import { printRecord } from "../../output/print.js";

/** Prints what a receiver answered. */
export function printAnswer(answer: WebhookTestResult, json: boolean | undefined): void {
  printRecord(answer, json, {
    delivered: answer.delivered ? "yes" : "no",
    status: answer.status,
    error: answer.error || undefined,
    "took ms": answer.duration_ms,
    recovery: answer.recovery_started ? "started: updates are sent again" : undefined,
    answer: answer.response_body || undefined,
  });
}
