import type { Command } from "commander";
import { variableRules } from "../../../config/schema.js";
import { parseDuration } from "../../../domain/duration.js";
import { InvalidInput } from "../../../domain/errors.js";
import { UsageError } from "../../errors.js";

/** `botyard serve`: the service in the foreground. */
export function addServe(program: Command): void {
  program
    .command("serve")
    .description("run the service in the foreground until Ctrl-C or SIGTERM")
    .option(
      "--wait [duration]",
      "wait for a PostgreSQL that cannot be reached yet: for ever, or for a duration such as 5m",
    )
    .addHelpText(
      "after",
      `
While it waits it logs a line a minute, /livez answers 200 and everything else 503. Errors that waiting does not change, such
as a wrong password, end the start at once.

Configured by environment variables:\n${variables()}\n\nExamples:\n  PORT=9000 botyard serve\n  botyard serve --wait`,
    )
    .action(async ({ wait }: { wait?: true | string }) => {
      const waitMs = wait === undefined ? undefined : durationOf(wait);
      // Loaded here, because the other commands don't need the service and start faster without it.
      const { runService } = await import("../../../main.js");
      await runService({ waitMs });
    });
}

function durationOf(wait: true | string): number {
  if (wait === true) return Number.POSITIVE_INFINITY;
  try {
    return parseDuration(wait);
  } catch (error) {
    if (error instanceof InvalidInput) throw new UsageError(`--wait: ${error.message}`);
    throw error;
  }
}

/** Without the Markdown of the table in docs/configuration.md. */
function plain(description: string): string {
  return description.replaceAll("`", "").replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, "docs/$2");
}

function variables(): string {
  const width = Math.max(...Object.keys(variableRules).map((name) => name.length)) + 2;
  return Object.entries(variableRules)
    .map(([name, rule]) => {
      const fallback = rule.default ?? rule.shownDefault?.replaceAll("`", "");
      return `  ${name.padEnd(width)}${plain(rule.description)}${fallback === undefined ? "" : ` [${fallback}]`}`;
    })
    .join("\n");
}
