import type { AuditEntry, AuditOptions } from "@botyard/sdk";
import type { Command } from "commander";
import { type ClientCommandOptions, checked, clientCommand, credentialsOf, ownerOf } from "../client.js";
import { limitOf, momentOf, readPages } from "../input/values.js";
import { printResult } from "../output/print.js";
import type { Row } from "../output/table.js";

interface ShownOptions extends ClientCommandOptions {
  all?: boolean;
  operation?: string;
  target?: string;
  since?: string;
  until?: string;
  limit: string;
}

/** `botyard audit`: who changed what. */
export function addAudit(program: Command): void {
  clientCommand(program, "audit")
    .description("show who changed what of yours, newest first")
    .option("--all", "with the platform's token: of all owners")
    .option("--operation <id>", "only what this operation changed, such as rotateBotToken")
    .option("--target <id>", "only changes of the bot, channel or post with this id")
    .option("--since <time>", "only since then: a duration such as 2h, or a time such as 2026-01-31T12:00Z")
    .option("--until <time>", "only before then")
    .option("--limit <n>", "the most entries to print", "100")
    .addHelpText(
      "after",
      `
Examples:
  botyard audit --operation rotateBotToken --since 7d
  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard audit --all --since 1h`,
    )
    .action(show);
}

async function show(options: ShownOptions): Promise<void> {
  const { operation, target } = options;
  const now = Date.now();
  const time = (name: string, text: string | undefined) =>
    text === undefined ? undefined : new Date(momentOf(name, text, now)).toISOString();
  const which = {
    operation,
    target,
    from: time("--since", options.since),
    to: time("--until", options.until),
  };
  const read = await readerOf(options);
  const items = await readPages<AuditEntry>(limitOf(options.limit), (limit, last) =>
    read({ ...which, limit, before: last?.id }),
  );
  printResult({ items }, options.json, items.map(rowOf));
}

async function readerOf(options: ShownOptions) {
  if (!options.all) {
    const owner = await ownerOf(options);
    return (which: AuditOptions) => owner.listOwnerAudit(which);
  }
  const { url, token } = credentialsOf(options);
  const { PlatformClient } = await import("@botyard/sdk");
  const platform = checked(() => new PlatformClient(token, { url, retries: 0 }));
  return (which: AuditOptions) => platform.listAudit(which);
}

function rowOf({ at, by, operation, target, changes }: AuditEntry): Row {
  const { type, id, name, channel_id: channel } = target;
  const where = [name, channel && `in ${channel}`].filter(Boolean).join(" ");
  return {
    at,
    by: by.type === "platform" ? by.id : `${by.type} ${by.id}`,
    operation,
    target: `${type} ${id}${where && ` ${where}`}`,
    changes: Object.keys(changes).join(", "),
  };
}
