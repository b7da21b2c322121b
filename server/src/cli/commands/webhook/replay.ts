import type { BotRecord, OwnerClient } from "@botyard/sdk";
import { type Command, Option } from "commander";
import { abortedBySignals } from "../../abort.js";
import { ownerOf } from "../../client.js";
import { UsageError } from "../../errors.js";
import { findBot } from "../../input/find.js";
import { integerOf, momentOf, PAGE_ITEMS } from "../../input/values.js";
import { printResult, say } from "../../output/print.js";
import { sayEverySecond } from "../../output/progress.js";
import { type NamedWebhookOptions, namedBy, webhookCommand } from "./named.js";

/** In this order: an update changes from scheduled to failed, so none is missed between the two lists. */
const UNDELIVERED = ["scheduled", "failed"] as const;

/** `botyard webhook replay`: puts failed updates back into delivery. */
export function addReplay(webhook: Command): void {
  webhookCommand(webhook, "replay <bot>")
    .description("put failed updates back into delivery, with a fresh retry schedule")
    .addOption(
      new Option("--all", "every update that failed or waits for a retry").conflicts(["since", "update"]),
    )
    .addOption(
      new Option(
        "--since <time>",
        "those recorded since then: a duration such as 2h, or a time such as 2026-01-31T12:00Z",
      ).conflicts("update"),
    )
    .option(
      "--update <number>",
      "this update, if it failed or waits for a retry; may be given several times",
      (text: string, others: string[] | undefined) => [...(others ?? []), text],
    )
    .addHelpText(
      "after",
      `
Updates that were delivered are left out: botyard webhook send-again sends one of them. Ctrl-C stops after the step in progress; the same command goes on with
the rest.

Examples:
  botyard webhook replay echo --all
  botyard webhook replay echo --since 2h
  botyard webhook replay echo --update 42 --update 43`,
    )
    .action(replay);
}

interface ReplayOptions extends NamedWebhookOptions {
  all?: boolean;
  since?: string;
  update?: string[];
}

async function replay(name: string, options: ReplayOptions): Promise<void> {
  const { all, since, update } = options;
  if (!all && since === undefined && !update)
    throw new UsageError("say which updates: --all, --since 2h or --update 42");
  const named = update && [...new Set(update.map((text) => integerOf("--update", text, 1)))];
  const sinceMs = since === undefined ? 0 : momentOf("--since", since, Date.now());
  // With retries: a long replay reaches the rate limit, and the SDK then waits as the service asks.
  const owner = await ownerOf(options, {});
  const bot = await findBot(owner, name);
  const at = { owner, botId: bot.id, ...namedBy(options) };
  if (named) await refuseMissing(owner, bot, named);
  const { found, requeued, interrupted } = await abortedBySignals(async (signal) => {
    signal.addEventListener("abort", () => say("stopping after the step in progress"));
    const ids = named ?? (await undeliveredIds(at, sinceMs, signal));
    const requeued = await requeue(at, ids, signal);
    return { found: ids.length, requeued, interrupted: signal.aborted };
  });

  const result = { bot_id: bot.id, found, requeued, interrupted };
  printResult(result, options.json, [{ bot: bot.username, found, requeued }]);
  if (interrupted) throw new Error("interrupted: run the same command again for the rest");
}

/** Where updates are replayed: at one webhook of a bot. */
interface ReplayTarget {
  owner: OwnerClient;
  botId: string;
  webhook?: string | undefined;
}

/** @throws Error when an update that was named is not in the bot's log */
async function refuseMissing(owner: OwnerClient, bot: BotRecord, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const { items } = await owner.listBotUpdates(bot.id, { before: id + 1, limit: 1 });
    if (items[0]?.update_id !== id)
      throw new Error(
        `${bot.username} has no update ${id}: botyard updates ${bot.username} lists those it has`,
      );
  }
}

/** The numbers of the updates to replay, ascending. */
async function undeliveredIds(
  { owner, botId, webhook }: ReplayTarget,
  sinceMs: number,
  signal: AbortSignal,
): Promise<number[]> {
  const ids = new Set<number>();
  const report = sayEverySecond((count: number) => `${count.toLocaleString("en-US")} failed updates found`);
  for (const state of UNDELIVERED) {
    let before: number | undefined;
    while (!signal.aborted) {
      const { items } = await owner.listBotUpdates(botId, { state, before, limit: PAGE_ITEMS, webhook });
      const wanted = items.filter(({ created_at }) => Date.parse(created_at) >= sinceMs);
      for (const { update_id } of wanted) ids.add(update_id);
      report(ids.size);
      before = items.at(-1)?.update_id;
      // Numbers rise with time, so older pages have only older updates.
      if (before === undefined || wanted.length < items.length) break;
    }
  }
  return [...ids].sort((a, b) => a - b);
}

/** @returns how many were requeued; those that were delivered meanwhile are not */
async function requeue(
  { owner, botId, webhook }: ReplayTarget,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<number> {
  let requeued = 0;
  const total = ids.length.toLocaleString("en-US");
  const report = sayEverySecond(
    (count: number) => `${count.toLocaleString("en-US")} of ${total} updates requeued`,
  );
  for (let done = 0; done < ids.length && !signal.aborted; done += PAGE_ITEMS) {
    const answer = await owner.replayWebhook(botId, {
      update_ids: ids.slice(done, done + PAGE_ITEMS),
      webhook,
    });
    requeued += answer.requeued;
    report(requeued);
  }
  return requeued;
}
