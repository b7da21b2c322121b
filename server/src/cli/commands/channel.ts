import type { Channel } from "@botyard/sdk";
import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, createOwnerClient, credentialsOf } from "../client.js";
import { printResult, type Row } from "../print.js";

/** `botyard channel`: the channels the owner holds. */
export function addChannel(program: Command): void {
  const channel = program.command("channel").description("create and list your channels");

  clientCommand(channel, "create")
    .description("create a channel")
    .requiredOption("--slug <slug>", "short name in addresses: a-z, 0-9 and -")
    .requiredOption("--title <title>", "name for people")
    .option("--description <text>", "what it is about")
    .addHelpText("after", '\nExample:\n  botyard channel create --slug news --title "News"')
    .action(create);

  clientCommand(channel, "list")
    .description("list the channels you hold, oldest first")
    .addHelpText("after", "\nExample:\n  botyard channel list --json")
    .action(list);
}

interface CreateOptions extends ClientCommandOptions {
  slug: string;
  title: string;
  description?: string;
}

async function create({ slug, title, description, ...options }: CreateOptions): Promise<void> {
  const owner = await createOwnerClient(credentialsOf(options));
  const channel = await owner.createChannel({
    slug,
    title,
    ...(description === undefined ? {} : { description }),
  });
  printResult(channel, options.json, [row(channel)]);
}

async function list(options: ClientCommandOptions): Promise<void> {
  const owner = await createOwnerClient(credentialsOf(options));
  const items: Channel[] = [];
  for await (const channel of owner.channels()) items.push(channel);
  printResult({ items }, options.json, items.map(row));
}

function row({ id, slug, title, created_at, last_activity_at }: Channel): Row {
  return { id, slug, title, created: created_at, "last activity": last_activity_at };
}
