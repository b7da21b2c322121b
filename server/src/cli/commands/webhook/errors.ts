import type { WebhookErrorEntry } from "@botyard/sdk";
import type { Command } from "commander";
import { ownerOf } from "../../client.js";
import { findBot } from "../../input/find.js";
import { integerOf, limitOf, readPages } from "../../input/values.js";
import { printResult } from "../../output/print.js";
import { shortened } from "../../output/text.js";
import { type NamedWebhookOptions, namedBy, webhookCommand } from "./named.js";

/** `botyard webhook errors` and `botyard webhook attempts`: what failed, and what the receiver answered. */
export function addWebhookErrors(webhook: Command): void {
  webhookCommand(webhook, "errors <bot>")
    .description("list the updates whose delivery failed at least once, the one that failed last first")
    .option("--limit <number>", "how many", "20")
    .option("--by-cause", "count what is not delivered by its error instead")
    .option("--before <update>", "only entries after this one in the list, by its update number")
    .addHelpText("after", "\nExample:\n  botyard webhook errors echo --limit 100")
    .action(errors);

  webhookCommand(webhook, "attempts <bot> <update>")
    .description("list the last 20 failed attempts to deliver an update, oldest first")
    .addHelpText("after", "\nExample:\n  botyard webhook attempts echo 42")
    .action(attempts);
}

interface ErrorsOptions extends NamedWebhookOptions {
  limit: string;
  before?: string;
  byCause?: boolean;
}

async function errors(name: string, { before, byCause, ...options }: ErrorsOptions): Promise<void> {
  if (byCause) return await errorGroups(name, options);
  const limit = limitOf(options.limit);
  const first = before === undefined ? undefined : integerOf("--before", before, 1);
  const owner = await ownerOf(options);
  const { id } = await findBot(owner, name);
  const items = await readPages<WebhookErrorEntry>(limit, (limit, last) =>
    owner.listWebhookErrors(id, { limit, before: last?.update_id ?? first, ...namedBy(options) }),
  );
  printResult(
    { items },
    options.json,
    items.map((entry) => ({
      update: entry.update_id,
      event: entry.event_type,
      state: entry.state,
      attempts: entry.webhook_attempt_count,
      "last attempt": entry.last_attempted_at,
      "next retry": entry.next_retry_at ?? undefined,
      error: entry.last_delivery_error,
    })),
  );
}

async function errorGroups(name: string, options: NamedWebhookOptions): Promise<void> {
  const owner = await ownerOf(options);
  const answer = await owner.groupWebhookErrors((await findBot(owner, name)).id, namedBy(options));
  printResult(
    answer,
    options.json,
    answer.items.map((group) => ({
      error: group.error,
      failed: group.failed,
      "waiting for a retry": group.scheduled,
      "first attempt": group.first_attempted_at,
      "last attempt": group.last_attempted_at,
      example: group.example_update_id,
    })),
  );
}

async function attempts(name: string, update: string, options: NamedWebhookOptions): Promise<void> {
  const updateId = integerOf("<update>", update, 1);
  const owner = await ownerOf(options);
  const { id } = await findBot(owner, name);
  const { items } = await owner.listUpdateAttempts(id, updateId, namedBy(options));
  printResult(
    { items },
    options.json,
    items.map((attempt) => ({
      attempt: attempt.attempt,
      at: attempt.attempted_at,
      "took ms": attempt.duration_ms,
      error: attempt.error,
      answer: shortened(attempt.response_body),
    })),
  );
}
