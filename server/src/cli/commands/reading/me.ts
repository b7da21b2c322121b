import type { Command } from "commander";
import { looksLikeBotToken } from "../../../domain/bots/tokens.js";
import { type ClientCommandOptions, clientCommand, createBotClient, credentialsOf } from "../../client.js";
import { UsageError } from "../../errors.js";
import { printRecord } from "../../output/print.js";

/** `botyard me`: the bot that the token belongs to. */
export function addMe(program: Command): void {
  clientCommand(program, "me")
    .description("show the bot that the token belongs to")
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=bot_… botyard me")
    .action(me);
}

async function me(options: ClientCommandOptions): Promise<void> {
  const credentials = credentialsOf(options);
  if (!looksLikeBotToken(credentials.token))
    throw new UsageError("botyard me needs the token of a bot (bot_…): botyard bot create shows it");
  const bot = await createBotClient(credentials);
  const answer = await bot.getMe();
  printRecord(answer, options.json, {
    id: answer.id,
    username: answer.username,
    name: answer.display_name,
    "bot user": answer.bot_user_id,
  });
}
