import type { BotRole } from "@botyard/sdk";
import { type Command, Option } from "commander";
import { BOT_ROLES } from "../../../domain/events/channel.js";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../../client.js";
import { findAttachableBot, findAttachment, findBot, findChannel } from "../../input/find.js";
import { printResult } from "../../output/print.js";

/** `botyard bot attach`, `detach` and `channels`: where a bot posts and listens. */
export function addBotChannels(bot: Command): void {
  clientCommand(bot, "attach <bot> <channel>")
    .description(
      "attach your bot, or a listed one, to a channel: it may post there and receives what is posted",
    )
    .addOption(
      new Option(
        "--role <role>",
        "moderator; member: it may not delete the posts of others; reader: it only receives; changes the role of one attached",
      ).choices(BOT_ROLES),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  botyard bot attach echo news\n  botyard bot attach archive news --role reader",
    )
    .action(attach);

  clientCommand(bot, "detach <bot> <channel>")
    .description("take a bot out of your channel, or your bot out of any; the updates it has received stay")
    .addHelpText("after", "\nExample:\n  botyard bot detach echo news")
    .action(detach);

  clientCommand(bot, "channels <bot>")
    .description("list the channels a bot is attached to, oldest first")
    .addHelpText("after", "\nExample:\n  botyard bot channels echo")
    .action(channels);
}

async function attach(
  botName: string,
  channelName: string,
  options: ClientCommandOptions & { role?: BotRole },
): Promise<void> {
  const owner = await ownerOf(options);
  const bot = await findAttachableBot(owner, botName);
  const channel = await findChannel(owner, channelName);
  const answer = await owner.attachBot(bot.id, channel.id, { role: options.role });
  printResult(answer, options.json, [{ bot: bot.username, channel: channel.slug, role: answer.role }]);
}

async function detach(botName: string, channelName: string, options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  const { bot, channel } = await findAttachment(owner, botName, channelName);
  const answer = await owner.detachBot(bot.id, channel.id);
  printResult(answer, options.json, [{ bot: bot.username, channel: channel.slug, status: answer.status }]);
}

async function channels(name: string, options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  const { items } = await owner.listBotChannels((await findBot(owner, name)).id);
  printResult(
    { items },
    options.json,
    items.map(({ id, slug, title, bot_role, last_activity_at }) => ({
      id,
      slug,
      title,
      role: bot_role,
      "last activity": last_activity_at,
    })),
  );
}
