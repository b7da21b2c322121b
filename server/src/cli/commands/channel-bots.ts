import type { ChannelBot } from "@botyard/sdk";
import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../client.js";
import { type ConfirmOptions, confirm, confirmedCommand } from "../input/confirm.js";
import { findAttachableBot, findBotIn, findChannel } from "../input/find.js";
import { limitOf, readPages } from "../input/values.js";
import { printResult } from "../output/print.js";

/** `botyard channel bots` and `set-bots`: the bots that are attached to a channel. */
export function addChannelBots(channel: Command): void {
  clientCommand(channel, "bots <channel>")
    .description("list the bots that are attached to a channel, oldest first")
    .option("--limit <number>", "how many", "100")
    .addHelpText("after", "\nExample:\n  botyard channel bots news")
    .action(bots);

  confirmedCommand(clientCommand(channel, "set-bots <channel> [bots...]"))
    .description("attach exactly these bots, yours or listed ones, to a channel, and detach all others")
    .addHelpText("after", "\nExample:\n  botyard channel set-bots news echo weather --yes")
    .action(setBots);
}

async function bots(name: string, options: ClientCommandOptions & { limit: string }): Promise<void> {
  const limit = limitOf(options.limit);
  const owner = await ownerOf(options);
  const { id } = await findChannel(owner, name);
  const items = await readPages<ChannelBot>(limit, (limit, last) =>
    owner.listChannelBots(id, { limit, after: last?.bot.id }),
  );
  printResult(
    { items },
    options.json,
    items.map(({ bot, role }) => ({ id: bot.id, username: bot.username, name: bot.display_name, role })),
  );
}

async function setBots(
  name: string,
  usernames: readonly string[],
  options: ClientCommandOptions & ConfirmOptions,
): Promise<void> {
  const owner = await ownerOf(options);
  const channel = await findChannel(owner, name);
  const ids: string[] = [];
  for (const username of usernames) {
    const bot = (await findBotIn(owner, channel.id, username)) ?? (await findAttachableBot(owner, username));
    ids.push(bot.id);
  }
  await confirm(`attach only ${usernames.join(", ") || "nobody"} to the channel ${channel.slug}`, options);
  const answer = await owner.putChannelBots(channel.id, ids);
  printResult(answer, options.json, [
    { channel: channel.slug, attached: answer.attached.length, detached: answer.detached.length },
  ]);
}
