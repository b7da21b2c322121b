import type { CustomEvent } from "@botyard/sdk";
import type { Command } from "commander";
import { looksLikeBotToken } from "../../domain/bots/tokens.js";
import {
  type ClientCommandOptions,
  clientCommand,
  createBotClient,
  createOwnerClient,
  credentialsOf,
  ownerOf,
} from "../client.js";
import { findBot, findChannel } from "../input/find.js";
import { payloadOf } from "../input/json.js";
import { textOf } from "../input/values.js";
import { printResult } from "../output/print.js";

interface EmitOptions extends ClientCommandOptions {
  payload: string;
  idempotencyKey?: string;
}

/** `botyard channel emit`: a custom event for every bot of a channel. */
export function addChannelEmit(channel: Command): void {
  emitCommand(channel, "emit <channel> <event-type>")
    .description(
      "emit a custom event to every bot in a channel that hears it, as its holder or as a bot in it",
    )
    .addHelpText("after", `\nExample:\n  botyard channel emit news ticket.opened --payload '{"ticket": 42}'`)
    .action(emitInChannel);
}

/** `botyard bot emit`: a custom event for one bot. */
export function addBotEmit(bot: Command): void {
  emitCommand(bot, "emit <bot> <event-type>")
    .description("emit a custom event to one bot: a command, or a direct message")
    .addHelpText("after", `\nExample:\n  botyard bot emit echo command.start --payload '{"by": "bob"}'`)
    .action(emitToBot);
}

function emitCommand(parent: Command, nameAndArguments: string): Command {
  return clientCommand(parent, nameAndArguments)
    .option("--payload <json>", "what the event carries, as a JSON object; - reads it from stdin", "{}")
    .option("--idempotency-key <key>", "emit nothing when there is an event with this key already");
}

async function emitInChannel(name: string, eventType: string, options: EmitOptions): Promise<void> {
  const payload = payloadOf(await textOf(options.payload));
  const { idempotencyKey } = options;
  const event = { event_type: eventType, payload };
  const credentials = credentialsOf(options);
  if (looksLikeBotToken(credentials.token)) {
    const bot = await createBotClient(credentials);
    const { id } = await findChannel(bot, name);
    return print(await bot.emitMyEvent(id, event, { idempotencyKey }), options);
  }
  const owner = await createOwnerClient(credentials);
  const { id } = await findChannel(owner, name);
  print(await owner.emitChannelEvent(id, event, { idempotencyKey }), options);
}

async function emitToBot(name: string, eventType: string, options: EmitOptions): Promise<void> {
  const payload = payloadOf(await textOf(options.payload));
  const owner = await ownerOf(options);
  const { id } = await findBot(owner, name);
  const { idempotencyKey } = options;
  print(await owner.emitBotEvent(id, { event_type: eventType, payload }, { idempotencyKey }), options);
}

function print(event: CustomEvent, { json }: ClientCommandOptions): void {
  printResult(event, json, [{ id: event.id, event: event.event_type, created: event.created_at }]);
}
