import type { BotRecord, BotReviewState } from "@botyard/sdk";
import { Argument, type Command, Option } from "commander";
import { REVIEW_STATES, VERDICTS, type Verdict } from "../../domain/bots/listing.js";
import { isId } from "../../domain/ids.js";
import { type ClientCommandOptions, platformOf, serviceCommand } from "../client.js";
import { printResult } from "../output/print.js";
import type { Row } from "../output/table.js";

/** `botyard review`: which listed bots the platform approves of, with its token. */
export function addReview(program: Command): void {
  const review = program
    .command("review")
    .description("approve or reject bots that their owners have listed, with the platform's token");

  serviceCommand(review, "list")
    .description("list the bots that their owners have listed, oldest first")
    .addOption(
      new Option("--state <state>", "only those that wait, are approved or are rejected").choices(
        REVIEW_STATES,
      ),
    )
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard review list --state waiting")
    .action(list);

  serviceCommand(review, "set <bot>")
    .description("decide on a bot, by its username among the listed ones or by its id")
    .addArgument(new Argument("<verdict>", "your decision").choices(VERDICTS))
    .option("--note <text>", "why, for its owner")
    .addHelpText(
      "after",
      '\nExample:\n  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard review set weather_bot rejected --note "Says nothing about itself"',
    )
    .action(set);
}

async function* listed(options: ClientCommandOptions, query: { state?: BotReviewState; q?: string } = {}) {
  const platform = await platformOf(options);
  for (let cursor: string | undefined; ; ) {
    const page = await platform.listReviews({ ...query, cursor });
    yield* page.items;
    cursor = page.next_cursor;
    if (cursor === undefined) return;
  }
}

async function list({ state, ...options }: ClientCommandOptions & { state?: BotReviewState }): Promise<void> {
  const items: BotRecord[] = [];
  for await (const bot of listed(options, { state })) items.push(bot);
  printResult({ items }, options.json, items.map(row));
}

async function set(
  name: string,
  status: Verdict,
  { note, ...options }: ClientCommandOptions & { note?: string },
): Promise<void> {
  const platform = await platformOf(options);
  const id = isId(name) ? name : await idOf(name, options);
  const bot = await platform.putBotReview(id, { status, ...(note === undefined ? {} : { note }) });
  printResult(bot, options.json, [row(bot)]);
}

async function idOf(username: string, options: ClientCommandOptions): Promise<string> {
  for await (const bot of listed(options, { q: username }))
    if (bot.username.toLowerCase() === username.toLowerCase()) return bot.id;
  throw new Error(`no listed bot has the username "${username}": botyard review list shows them`);
}

function row({ id, username, owner_user_id: owner, description, review }: BotRecord): Row {
  return { id, username, owner, description, review: review?.status ?? "waiting", note: review?.note };
}
