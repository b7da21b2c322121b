import type { BotClient } from "@botyard/sdk";
import type { Command } from "commander";
import { looksLikeBotToken } from "../../../domain/bots/tokens.js";
import { type ClientCommandOptions, clientCommand, createBotClient, credentialsOf } from "../../client.js";
import { UsageError } from "../../errors.js";
import { integerOf } from "../../input/values.js";
import { printResult } from "../../output/print.js";
import { consumerRow } from "./consumer-row.js";
import { givenUpRow } from "./given-up-row.js";

/** `botyard consumer`: the positions that the service keeps for the bot whose token it is. */
export function addConsumer(program: Command): void {
  const consumer = program
    .command("consumer")
    .description("list, move and delete a bot's consumers: positions in its log, with the bot's token");

  clientCommand(consumer, "list")
    .description("list the bot's consumers, oldest first")
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=bot_… botyard consumer list")
    .action(list);

  clientCommand(consumer, "move <consumer> <update>")
    .description("say that a consumer has handled everything up to an update; creates it if there is none")
    .option("--rewind", "move it also to a lower number: what follows is read again")
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=bot_… botyard consumer move main 41 --rewind")
    .action(move);

  clientCommand(consumer, "delete <consumer>")
    .description("forget a consumer; the bot's updates stay")
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=bot_… botyard consumer delete main")
    .action(remove);

  clientCommand(consumer, "given-up <consumer>")
    .description(
      "list what a program that reads for a consumer gave up, and what its owner wants to be handled again",
    )
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=bot_… botyard consumer given-up main")
    .action(givenUp);

  clientCommand(consumer, "give-up <consumer> <update>")
    .description("list an update as given up, for its owner to see")
    .requiredOption("--error <text>", "why, at most 300 characters")
    .addHelpText(
      "after",
      '\nThe SDK does so itself.\n\nExample:\n  BOTYARD_TOKEN=bot_… botyard consumer give-up main 42 --error "no such city"',
    )
    .action(giveUp);

  clientCommand(consumer, "handled <consumer> <update>")
    .description("take an update that was given up from the list, since it is handled")
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=bot_… botyard consumer handled main 42")
    .action(handled);
}

async function botOf(options: ClientCommandOptions): Promise<BotClient> {
  const credentials = credentialsOf(options);
  if (looksLikeBotToken(credentials.token)) return await createBotClient(credentials);
  throw new UsageError(
    "botyard consumer needs the token of a bot (bot_…); an owner sees them with botyard bot consumers",
  );
}

async function list(options: ClientCommandOptions): Promise<void> {
  const answer = await (await botOf(options)).listConsumers();
  printResult(answer, options.json, answer.items.map(consumerRow));
}

async function move(
  name: string,
  update: string,
  { rewind, ...options }: ClientCommandOptions & { rewind?: boolean },
): Promise<void> {
  const position = integerOf("the update", update, 0);
  const bot = await botOf(options);
  const answer = await bot.moveConsumer(name, { position, ...(rewind ? { rewind } : {}) });
  printResult(answer, options.json, [consumerRow(answer)]);
}

async function remove(name: string, options: ClientCommandOptions): Promise<void> {
  const answer = await (await botOf(options)).deleteConsumer(name);
  printResult(answer, options.json, [{ consumer: name, status: answer.status }]);
}

async function givenUp(name: string, options: ClientCommandOptions): Promise<void> {
  const answer = await (await botOf(options)).listMyGivenUp(name);
  printResult(answer, options.json, answer.items.map(givenUpRow));
}

async function giveUp(
  name: string,
  update: string,
  { error, ...options }: ClientCommandOptions & { error: string },
): Promise<void> {
  const updateId = integerOf("the update", update, 1);
  const answer = await (await botOf(options)).giveUpUpdate(name, updateId, { error });
  printResult(answer, options.json, [{ consumer: name, update: updateId, status: answer.status }]);
}

async function handled(name: string, update: string, options: ClientCommandOptions): Promise<void> {
  const updateId = integerOf("the update", update, 1);
  const answer = await (await botOf(options)).forgetGivenUp(name, updateId);
  printResult(answer, options.json, [{ consumer: name, update: updateId, status: answer.status }]);
}
