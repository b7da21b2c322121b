import type { Command } from "commander";
import { type ApiOptions, apiCommand, connect } from "../api.js";
import { type Channel, listChannels } from "../find.js";
import { printResult, type Row } from "../print.js";

/** `botyard channel`: the channels the owner holds. */
export function addChannel(program: Command): void {
  const channel = program.command("channel").description("create and list your channels");

  apiCommand(channel, "create")
    .description("create a channel")
    .requiredOption("--slug <slug>", "short name in addresses: a-z, 0-9 and -")
    .requiredOption("--title <title>", "name for people")
    .option("--description <text>", "what it is about")
    .addHelpText("after", '\nExample:\n  botyard channel create --slug news --title "News"')
    .action(create);

  apiCommand(channel, "list")
    .description("list the channels you hold, oldest first")
    .addHelpText("after", "\nExample:\n  botyard channel list --json")
    .action(list);
}

interface CreateOptions extends ApiOptions {
  slug: string;
  title: string;
  description?: string;
}

async function create({ slug, title, description, ...options }: CreateOptions): Promise<void> {
  const channel = await connect(options).request<Channel>("POST", "/v1/channels", {
    slug,
    title,
    description,
  });
  printResult(channel, options.json, [row(channel)]);
}

async function list(options: ApiOptions): Promise<void> {
  const items = await listChannels(connect(options));
  printResult({ items }, options.json, items.map(row));
}

function row({ id, slug, title, created_at, last_activity_at }: Channel): Row {
  return { id, slug, title, created: created_at, "last activity": last_activity_at };
}
