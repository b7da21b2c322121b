import type { WhichWebhookOptions } from "@botyard/sdk";
import { type Command, Option } from "commander";
import { type ClientCommandOptions, clientCommand } from "../../client.js";

/** The options of every command about one webhook of a bot. */
export interface NamedWebhookOptions extends ClientCommandOptions {
  name?: string;
}

/** Adds a sub-command about one of a bot's webhooks. */
export function webhookCommand(parent: Command, nameAndArguments: string): Command {
  return clientCommand(parent, nameAndArguments).addOption(
    new Option("--name <webhook>", "which of the bot's webhooks (else the one named default)"),
  );
}

/** The webhook that is meant, for a call. */
export function namedBy({ name }: NamedWebhookOptions): WhichWebhookOptions {
  return name === undefined ? {} : { webhook: name };
}
