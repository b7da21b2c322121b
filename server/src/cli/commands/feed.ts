import type { FeedConsumer, FeedItem } from "@botyard/sdk";
import { type Command, Option } from "commander";
import { type ClientCommandOptions, platformOf, serviceCommand } from "../client.js";
import { sayFailure, untilStopped } from "../following/until-stopped.js";
import { payloadText } from "../following/update-line.js";
import { printResult, say, writeThrough } from "../output/print.js";
import type { Row } from "../output/table.js";
import { printable } from "../output/text.js";
import { addFeedWebhook } from "./feed/webhook.js";

/** `botyard feed`: what happens in all channels, with the token of the platform. */
export function addFeed(program: Command): void {
  const feed = program
    .command("feed")
    .description(
      "read the feed of what happens in all channels, or send it to a webhook, with the platform's token",
    );

  serviceCommand(feed, "tail")
    .description("print what happened and what happens, until Ctrl-C")
    .option("--after <cursor>", "begin after this cursor instead of with the oldest item that is kept")
    .addOption(
      new Option(
        "--consumer <name>",
        "begin after what this consumer has handled, and move it behind what was printed",
      ).conflicts("after"),
    )
    .option("--owner <user>", "only what happened in channels, or to bots, of this owner")
    .addOption(
      new Option("--author-type <type>", "only posts, edits and custom events of such authors").choices([
        "bot",
        "owner",
        "user",
      ]),
    )
    .addHelpText(
      "after",
      `
With --json, one item on each line, with its cursor.

Examples:
  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard feed tail
  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard feed tail --consumer audit --json >> audit.jsonl`,
    )
    .action(tail);

  serviceCommand(feed, "consumers")
    .description("list the consumers of the feed, oldest first")
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard feed consumers")
    .action(list);

  serviceCommand(feed, "move <consumer> <cursor>")
    .description("say that a consumer has handled everything up to a cursor; creates it if there is none")
    .option("--rewind", "move it also back: what follows is read again")
    .addHelpText(
      "after",
      "\nExample:\n  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard feed move audit AZ3vkq0cR1ZTKgEA --rewind",
    )
    .action(move);

  serviceCommand(feed, "delete <consumer>")
    .description("forget a consumer; the feed stays")
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard feed delete audit")
    .action(remove);

  addFeedWebhook(feed);
}

interface TailOptions extends ClientCommandOptions {
  after?: string;
  consumer?: string;
  authorType?: "bot" | "owner" | "user";
}

async function tail({ after, consumer, owner, authorType, ...options }: TailOptions): Promise<void> {
  const platform = await platformOf(options);
  const onExpired = () => say("items that this consumer has not handled have expired");
  await untilStopped(async (signal) => {
    const items = platform.feed({
      after,
      consumer,
      owner,
      authorType,
      signal,
      onFailure: sayFailure,
      onExpired,
    });
    for await (const item of items)
      await writeThrough(`${options.json ? JSON.stringify(item) : itemLine(item)}\n`);
  });
}

function itemLine(item: FeedItem): string {
  const { event_type: event, owner_user_id: owner, channel, created_at: at } = item;
  const where = [owner, channel?.external_id ?? channel?.id].filter((part) => part !== undefined).join(" ");
  return printable(`${at}  ${event}  ${where}  ${payloadText(item)}`);
}

async function list(options: ClientCommandOptions): Promise<void> {
  const answer = await (await platformOf(options)).listFeedConsumers();
  printResult(answer, options.json, answer.items.map(consumerRow));
}

async function move(
  name: string,
  cursor: string,
  { rewind, ...options }: ClientCommandOptions & { rewind?: boolean },
): Promise<void> {
  const platform = await platformOf(options);
  const answer = await platform.moveFeedConsumer(name, { cursor, ...(rewind ? { rewind } : {}) });
  printResult(answer, options.json, [consumerRow(answer)]);
}

async function remove(name: string, options: ClientCommandOptions): Promise<void> {
  const answer = await (await platformOf(options)).deleteFeedConsumer(name);
  printResult(answer, options.json, [{ consumer: name, status: answer.status }]);
}

function consumerRow({ name, cursor, lag, last_polled_at: polled, created_at: created }: FeedConsumer): Row {
  return { consumer: name, cursor, lag, "last poll": polled, created };
}
