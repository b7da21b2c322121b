import type { PutSubscriptionRequest, Subscription } from "@botyard/sdk";
import { type Command, Option } from "commander";
import { looksLikeBotToken } from "../../../domain/bots/tokens.js";
import {
  type ClientCommandOptions,
  clientCommand,
  createBotClient,
  credentialsOf,
  ownerOf,
} from "../../client.js";
import { UsageError } from "../../errors.js";
import { kindOf } from "../../input/event-kinds.js";
import { findBot, findChannel } from "../../input/find.js";
import { printRecord, printResult } from "../../output/print.js";
import { shortened } from "../../output/text.js";

const NO_NAME = "with a bot's token, leave out the name of the bot";

/** `botyard bot subscription`: which events a bot hears. */
export function addSubscription(bot: Command): void {
  const subscription = bot.command("subscription").description("say which events a bot hears");

  clientCommand(subscription, "show [bot]")
    .description("show which events a bot hears; with a bot's token, which it hears itself")
    .addHelpText("after", "\nExample:\n  botyard bot subscription show echo")
    .action(show);

  subscriptionCommand(subscription, "set [bot]")
    .description("set which events a bot hears, from now on; with a bot's token, which it hears itself")
    .addHelpText(
      "after",
      `
Events that are not heard get no number and are not delivered. What the bot has in its log stays.

Examples:
  botyard bot subscription set echo --event channel.post_created --posts mentions
  botyard bot subscription set echo --event 'ticket.*' --event bot.detached
  botyard bot subscription set echo --event '*' --no-own-posts`,
    )
    .action(set);

  clientCommand(subscription, "remove <bot>")
    .description("let a bot hear posts and every custom event again, as without a subscription")
    .addHelpText("after", "\nExample:\n  botyard bot subscription remove echo")
    .action(remove);

  subscriptionCommand(subscription, "preview <bot> <channel>")
    .description("show which of a channel's last 100 events a bot would have heard; changes nothing")
    .addHelpText(
      "after",
      "\nExample:\n  botyard bot subscription preview echo news --event channel.post_created --posts mentions",
    )
    .action(preview);
}

interface SubscriptionOptions extends ClientCommandOptions {
  event?: string[];
  posts: "all" | "mentions";
  ownPosts: boolean;
}

function subscriptionCommand(parent: Command, nameAndArguments: string): Command {
  return clientCommand(parent, nameAndArguments)
    .option(
      "--event <type>",
      "a kind of event, all that begin alike ('ticket.*'), every custom one (custom), or '*'; may be given several times",
      (text: string, others: string[] | undefined) => [...(others ?? []), text],
    )
    .addOption(
      new Option("--posts <which>", "all posts, or those that mention the bot as @username")
        .choices(["all", "mentions"])
        .default("all"),
    )
    .option("--no-own-posts", "leave out the bot's own posts");
}

async function show(name: string | undefined, options: ClientCommandOptions): Promise<void> {
  const credentials = credentialsOf(options);
  if (looksLikeBotToken(credentials.token)) {
    if (name !== undefined) throw new UsageError(NO_NAME);
    const bot = await createBotClient(credentials);
    print(await bot.getMySubscription(), options);
    return;
  }
  if (name === undefined) throw new UsageError("say which bot: botyard bot subscription show echo");
  const owner = await ownerOf(options);
  print(await owner.getSubscription((await findBot(owner, name)).id), options);
}

async function set(name: string | undefined, options: SubscriptionOptions): Promise<void> {
  const subscription = subscriptionOf(options);
  const credentials = credentialsOf(options);
  if (looksLikeBotToken(credentials.token)) {
    if (name !== undefined) throw new UsageError(NO_NAME);
    const bot = await createBotClient(credentials);
    print(await bot.putMySubscription(subscription), options);
    return;
  }
  if (name === undefined)
    throw new UsageError("say which bot: botyard bot subscription set echo --event '*'");
  const owner = await ownerOf(options);
  print(await owner.putSubscription((await findBot(owner, name)).id, subscription), options);
}

async function remove(name: string, options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  const { id, username } = await findBot(owner, name);
  const answer = await owner.deleteSubscription(id);
  printResult(answer, options.json, [{ id, username, status: answer.status }]);
}

async function preview(botName: string, channelName: string, options: SubscriptionOptions): Promise<void> {
  const subscription = subscriptionOf(options);
  const owner = await ownerOf(options);
  const bot = await findBot(owner, botName);
  const channel = await findChannel(owner, channelName);
  const { items } = await owner.previewSubscription(bot.id, { channel_id: channel.id, ...subscription });
  printResult(
    { items },
    options.json,
    items.map(({ event_type, created_at, heard, payload }) => ({
      heard: heard ? "yes" : "no",
      event: event_type,
      created: created_at,
      payload: shortened(typeof payload.body === "string" ? payload.body : JSON.stringify(payload)),
    })),
  );
}

function subscriptionOf({ event, posts, ownPosts }: SubscriptionOptions): PutSubscriptionRequest {
  if (!event) throw new UsageError("say which events: --event channel.post_created, or --event '*' for all");
  return { event_types: [...new Set(event.map(kindOf))], posts, own_posts: ownPosts };
}

function print(subscription: Subscription, { json }: ClientCommandOptions): void {
  const { is_default: isDefault, event_types, posts, own_posts } = subscription;
  printRecord(subscription, json, {
    subscription: isDefault ? "none" : "set",
    events: isDefault ? `${event_types.join(", ")}, every custom event` : event_types.join(", "),
    posts,
    "own posts": own_posts ? "yes" : "no",
  });
}
