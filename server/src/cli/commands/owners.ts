import type { OwnerUsageDay, PlatformOwner, PutOwnerRequest } from "@botyard/sdk";
import { type Command, Option } from "commander";
import { type ClientCommandOptions, platformOf, serviceCommand } from "../client.js";
import { UsageError } from "../errors.js";
import { CHANGED_METADATA, metadataField } from "../input/json.js";
import { integerOf, limitOf } from "../input/values.js";
import { printRecord, printResult } from "../output/print.js";

/** Of one request. */
const PAGE_ITEMS = 500;

/** `botyard owners`: what the platform decides about owners, with its token. */
export function addOwners(program: Command): void {
  const owners = program
    .command("owners")
    .description("suspend owners, set their limits and see what they use, with the platform's token");

  serviceCommand(owners, "list")
    .description("list the owners of whom you have decided something, by user id")
    .option("--limit <number>", "most owners to list", "100")
    .option("--after <user>", "only owners after this user id")
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard owners list")
    .action(list);

  serviceCommand(owners, "show <user>")
    .description("show what you have decided about an owner")
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard owners show alice")
    .action(show);

  serviceCommand(owners, "usage")
    .description("list what owners have used, by day in UTC")
    .option("--from <day>", "the first day, such as 2026-05-12 (else 30 days before the last)")
    .option("--to <day>", "the last day (else today)")
    .addHelpText(
      "after",
      "\nExample:\n  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard owners usage --from 2026-05-01 --to 2026-05-31 --json",
    )
    .action(usage);

  serviceCommand(owners, "set <user>")
    .description("suspend an owner or lift that, or set limits; what is not given stays as it is")
    .option("--suspend <reason>", "refuse the tokens of the owner and of their bots, which see the reason")
    .addOption(new Option("--resume", "lift the suspension").conflicts("suspend"))
    .option("--bots <number>", "bots that the owner may have; default: what the service's configuration says")
    .option("--channels <number>", "channels that the owner may have; default: as above")
    .option("--posts-per-second <number>", "posts of the owner and their bots in a second; default: any")
    .option("--destinations <number>", "webhooks of all bots of the owner together; default: any")
    .option("--bytes-kept <number>", "bytes that the owner's channels may keep; default: as for bots")
    .option("--metadata <json>", CHANGED_METADATA)
    .addHelpText(
      "after",
      `
Examples:
  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard owners set alice --suspend "spam"
  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard owners set alice --resume --bots 3 --posts-per-second default`,
    )
    .action(set);
}

async function list(options: ClientCommandOptions & { limit: string; after?: string }): Promise<void> {
  const platform = await platformOf(options);
  const answer = await platform.listOwners({ limit: limitOf(options.limit), after: options.after });
  printResult(answer, options.json, answer.items.map(fieldsOf));
}

async function show(user: string, options: ClientCommandOptions): Promise<void> {
  const owner = await (await platformOf(options)).getOwner(user);
  const { metadata } = owner;
  printRecord(owner, options.json, {
    ...fieldsOf(owner),
    metadata: metadata ? JSON.stringify(metadata) : "",
  });
}

/** All pages. */
async function usage({
  from,
  to,
  ...options
}: ClientCommandOptions & { from?: string; to?: string }): Promise<void> {
  const platform = await platformOf(options);
  const items: OwnerUsageDay[] = [];
  let after: string | undefined;
  do {
    const page = await platform.listUsage({ from, to, limit: PAGE_ITEMS, after });
    items.push(...page.items);
    after = page.cursor;
  } while (after !== undefined);
  printResult({ items }, options.json, items);
}

interface SetOptions extends ClientCommandOptions {
  suspend?: string;
  resume?: true;
  bots?: string;
  channels?: string;
  postsPerSecond?: string;
  destinations?: string;
  bytesKept?: string;
  metadata?: string;
}

async function set(user: string, options: SetOptions): Promise<void> {
  const { suspend, resume } = options;
  const limits = {
    ...limitField("bots", "--bots", options.bots, 0),
    ...limitField("channels", "--channels", options.channels, 0),
    ...limitField("posts_per_second", "--posts-per-second", options.postsPerSecond, 1),
    ...limitField("destinations", "--destinations", options.destinations, 0),
    ...limitField("bytes_kept", "--bytes-kept", options.bytesKept, 0),
  };
  const body: PutOwnerRequest = {
    ...(suspend === undefined ? {} : { suspended: true, reason: suspend }),
    ...(resume ? { suspended: false } : {}),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...metadataField(options.metadata),
  };
  if (Object.keys(body).length === 0)
    throw new UsageError(
      "say what to set: --suspend, --resume, --bots, --channels, --posts-per-second, --destinations, --bytes-kept or --metadata",
    );
  const owner = await (await platformOf(options)).putOwner(user, body);
  printRecord(owner, options.json, fieldsOf(owner));
}

type Limits = NonNullable<PutOwnerRequest["limits"]>;

function limitField(field: keyof Limits, option: string, text: string | undefined, least: number): Limits {
  if (text === undefined) return {};
  return {
    [field]: text === "default" ? null : integerOf(`${option}, unless it is "default",`, text, least),
  };
}

function fieldsOf({ user_id, suspended, suspended_at, reason, limits }: PlatformOwner) {
  return {
    user: user_id,
    state: suspended ? `suspended ${suspended_at}` : "active",
    reason: reason ?? "",
    bots: limits.bots ?? "default",
    channels: limits.channels ?? "default",
    "posts a second": limits.posts_per_second ?? "any",
    webhooks: limits.destinations ?? "any",
    "bytes kept": limits.bytes_kept ?? "default",
  };
}
