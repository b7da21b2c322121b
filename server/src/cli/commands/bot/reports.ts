import type { Timeline } from "@botyard/sdk";
import { type Command, Option } from "commander";
import { TIMELINE_RANGES, type TimelineRange } from "../../../domain/delivery/timeline.js";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../../client.js";
import { findBot } from "../../input/find.js";
import { printRecord, printResult } from "../../output/print.js";
import type { Row } from "../../output/table.js";
import { consumerRow } from "../reading/consumer-row.js";

const WEBHOOK_OPTION = [
  "--webhook <webhook>",
  "of this one of its webhooks (else of the one named default)",
] as const;

/** `botyard bot stats`, `botyard bot consumers` and `botyard bot timeline`: how a bot's deliveries are going. */
export function addBotReports(bot: Command): void {
  clientCommand(bot, "stats <bot>")
    .description("count a bot's channels and updates")
    .option(...WEBHOOK_OPTION)
    .addHelpText("after", "\nExample:\n  botyard bot stats echo")
    .action(stats);

  clientCommand(bot, "consumers <bot>")
    .description("list a bot's consumers: where each is in the log, how far behind, when it last polled")
    .addHelpText("after", "\nExample:\n  botyard bot consumers echo")
    .action(consumers);

  clientCommand(bot, "timeline <bot>")
    .description("show how a bot's deliveries went over the last hour, day or week")
    .addOption(
      new Option("--range <range>", "an hour by minutes, a day by quarters of an hour, or a week by hours")
        .choices([...TIMELINE_RANGES])
        .default("1h"),
    )
    .option(...WEBHOOK_OPTION)
    .addHelpText(
      "after",
      "\nThe table leaves out intervals without attempts; --json has all of them.\n\nExample:\n  botyard bot timeline echo --range 24h",
    )
    .action(timeline);
}

interface StatsOptions extends ClientCommandOptions {
  webhook?: string;
}

async function stats(name: string, { webhook, ...options }: StatsOptions): Promise<void> {
  const owner = await ownerOf(options);
  const { id, username } = await findBot(owner, name);
  const answer = await owner.getBotStats(id, { webhook });
  printRecord(answer, options.json, {
    bot: username,
    ...(webhook !== undefined && { webhook }),
    channels: answer.attached_channel_count,
    "updates in all": answer.total_updates,
    "… delivered": answer.delivered_updates,
    "… pending": answer.pending_updates,
    "… waiting for a retry": answer.scheduled_retries,
    "… failed for good": answer.terminal_failed_updates,
    "… skipped": answer.skipped_updates,
    "slowest consumer is behind": answer.slowest_consumer_lag,
    "oldest pending": answer.oldest_pending_at,
    "last update": answer.last_update_at,
    "last attempt": answer.last_attempted_at,
    "last delivery": answer.last_delivered_at,
  });
}

async function consumers(name: string, options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  const answer = await owner.listBotConsumers((await findBot(owner, name)).id);
  printResult(answer, options.json, answer.items.map(consumerRow));
}

interface TimelineOptions extends StatsOptions {
  range: TimelineRange;
}

async function timeline(name: string, { range, webhook, ...options }: TimelineOptions): Promise<void> {
  const owner = await ownerOf(options);
  const answer = await owner.readTimeline((await findBot(owner, name)).id, { range, webhook });
  const busy = answer.items.filter(
    ({ delivered, retried, failed, recorded = 0 }) => delivered + retried + failed + recorded > 0,
  );
  printResult(answer, options.json, busy.map(intervalRow));
}

function intervalRow(interval: Timeline["items"][number]): Row {
  return {
    start: interval.start,
    // Only without a webhook.
    ...(interval.recorded === undefined ? {} : { recorded: interval.recorded }),
    delivered: interval.delivered,
    retried: interval.retried,
    failed: interval.failed,
    "p50 ms": interval.p50_ms,
    "p99 ms": interval.p99_ms,
    backlog: interval.backlog,
    "oldest ms": interval.oldest_ms,
  };
}
