import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram } from "#botyard/cli/program.js";
import { commandResult } from "../support/command.js";

describe("the --help of botyard", () => {
  it("shows the first steps and the exit codes", async () => {
    const { code, stdout } = await commandResult(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("export BOTYARD_TOKEN=$(botyard owner-token --user alice)");
    expect(stdout).toContain("Exit codes: 0 done");
  });

  it("has an example for every command", () => {
    const commands = commandsOf(createProgram());
    expect(commands.length).toBeGreaterThan(14);
    const withoutExample = commands.filter(
      ({ name, help }) => !new RegExp(`Examples?:\\n.*botyard ${name}`).test(help),
    );
    expect(withoutExample).toEqual([]);
  });

  it("says which options a command needs", () => {
    const create = commandsOf(createProgram()).find(({ name }) => name === "channel create");
    expect(create?.help.replaceAll(/\s+/g, " ")).toMatch(/--slug <slug> .*?\(required\) --title/);
    expect(create?.help.match(/\(required\)/g)).toHaveLength(2);
  });

  it("of serve names every variable", async () => {
    const { code, stdout } = await commandResult(["serve", "--help"]);
    expect(code).toBe(0);
    for (const name of ["HOST", "OWNER_JWKS_URL", "WEBHOOK_RETRY_SCHEDULE", "LOG_LEVEL"])
      expect(stdout).toContain(name);
    // A name that is longer than its column stood directly before its description.
    expect(stdout).toMatch(/^ {2}PLATFORM_RATE_LIMIT_PER_SECOND {2}Requests/m);
    // The same descriptions are Markdown in docs/configuration.md.
    expect(stdout).not.toMatch(/`|\]\(/);
  });
});

/** The commands without subcommands, with their help. */
function commandsOf(command: Command, path: string[] = []): { name: string; help: string }[] {
  if (command.commands.length > 0)
    return command.commands.flatMap((each) => commandsOf(each, [...path, each.name()]));
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return [{ name: path.join(" "), help }];
}
