import type { Command } from "commander";
import { variableRules } from "../../../config/schema.js";

/** `botyard serve`: the service in the foreground. */
export function addServe(program: Command): void {
  program
    .command("serve")
    .description("run the service in the foreground until Ctrl-C or SIGTERM")
    .addHelpText(
      "after",
      `\nConfigured by environment variables:\n${variables()}\n\nExample:\n  PORT=9000 botyard serve`,
    )
    .action(async () => {
      // Loaded here, because the other commands don't need the service and start faster without it.
      const { runService } = await import("../../../main.js");
      await runService();
    });
}

function variables(): string {
  const width = Math.max(...Object.keys(variableRules).map((name) => name.length)) + 2;
  return Object.entries(variableRules)
    .map(([name, rule]) => {
      const fallback = rule.default ?? rule.shownDefault?.replaceAll("`", "");
      return `  ${name.padEnd(width)}${rule.description.replaceAll("`", "")}${fallback === undefined ? "" : ` [${fallback}]`}`;
    })
    .join("\n");
}
