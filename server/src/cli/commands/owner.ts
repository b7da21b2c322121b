import type { ExportLine } from "@botyard/sdk";
import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../client.js";
import { UsageError } from "../errors.js";
import { openExportFile } from "../export-file.js";
import { typed } from "../input/confirm.js";
import { printResult, say, writeThrough } from "../output/print.js";
import { addAlerts } from "./owner/alerts.js";

/** Between two calls of an erasure, so that others come first. */
const ERASURE_PAUSE_MS = 200;

/** `botyard owner`: everything an owner has. */
export function addOwner(program: Command): void {
  const owner = program
    .command("owner")
    .description("export or erase everything you have, set your alerts, see your limits and usage");

  clientCommand(owner, "export")
    .description("write everything you have as JSON lines, without tokens and secrets")
    .option("--to <file>", "a file; one that broke off is continued")
    .option("--after <cursor>", "the cursor of a line: go on behind it")
    .addHelpText("after", "\nExample:\n  botyard owner export --to alice.ndjson")
    .action(exportAll);

  clientCommand(owner, "erase")
    .description("erase all your bots, channels, posts and updates")
    .option("-y, --yes <user>", "your user id: erase without asking")
    .addHelpText("after", "\nExample:\n  botyard owner erase --yes alice")
    .action(erase);

  clientCommand(owner, "limits")
    .description("show how many bots and channels you may have, and posts in a second")
    .addHelpText("after", "\nExample:\n  botyard owner limits")
    .action(limits);

  clientCommand(owner, "usage")
    .description("show what you and your bots have used, by day in UTC")
    .option("--from <day>", "the first day, such as 2026-05-12 (else 30 days before the last)")
    .option("--to <day>", "the last day (else today)")
    .addHelpText("after", "\nExample:\n  botyard owner usage --from 2026-05-01 --to 2026-05-31")
    .action(usage);

  addAlerts(owner);
}

async function exportAll({
  to,
  after,
  ...options
}: ClientCommandOptions & { to?: string; after?: string }): Promise<void> {
  if (to !== undefined && after !== undefined) {
    throw new UsageError("give --to or --after, not both: a file is continued behind its last line");
  }
  const owner = await ownerOf(options);
  if (to === undefined) {
    for await (const line of owner.exportOwner({ after })) await writeThrough(encode(line));
    return;
  }
  const file = await openExportFile(to);
  try {
    if (file.cursor !== undefined) say(`${to} is continued behind its last line`);
    for await (const line of owner.exportOwner({ after: file.cursor })) await file.append(encode(line));
  } finally {
    await file.close();
  }
  say(`${to} is complete`);
}

async function erase({ yes, ...options }: ClientCommandOptions & { yes?: string }): Promise<void> {
  const owner = await ownerOf(options);
  const user =
    yes ?? (await typed("This will erase all your bots, channels, posts and updates", "your user id"));
  let answer = await owner.eraseOwner(user);
  if (answer.status === "erasing") say("erasing; this takes a while");
  while (answer.status === "erasing") {
    await new Promise((resolve) => setTimeout(resolve, ERASURE_PAUSE_MS));
    answer = await owner.eraseOwner(user);
  }
  printResult(answer, options.json, [{ user, status: answer.status }]);
}

async function usage({
  from,
  to,
  ...options
}: ClientCommandOptions & { from?: string; to?: string }): Promise<void> {
  const answer = await (await ownerOf(options)).getUsage({ from, to });
  printResult(answer, options.json, answer.items);
}

async function limits(options: ClientCommandOptions): Promise<void> {
  const answer = await (await ownerOf(options)).getLimits();
  const rows = Object.entries(answer).map(([what, { limit, set_by, used }]) => ({
    what: what.replaceAll("_", " "),
    limit: limit ?? "none",
    used: used ?? "",
    "set by": set_by,
  }));
  printResult(answer, options.json, rows);
}

const encode = (line: ExportLine): string => `${JSON.stringify(line)}\n`;
