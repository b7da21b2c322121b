import type { Command } from "commander";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { botyardResult } from "../support/program.js";

describe("the --help of botyard", () => {
  let program: Command;
  beforeAll(async () => {
    program = await loadProgram();
  });

  it("shows the first steps and the exit codes", async () => {
    const { code, stdout } = await botyardResult(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("export BOTYARD_TOKEN=$(botyard owner-token --user alice)");
    expect(stdout).toContain("Exit codes: 0 done");
  });

  it("has an example for every command", () => {
    const commands = commandsOf(program);
    expect(commands.length).toBeGreaterThan(14);
    const withoutExample = commands.filter(
      ({ name, help }) => !new RegExp(`Examples?:\\n.*botyard ${name}`).test(help),
    );
    expect(withoutExample).toEqual([]);
  });

  it("of serve names every variable", async () => {
    const { code, stdout } = await botyardResult(["serve", "--help"]);
    expect(code).toBe(0);
    for (const name of ["HOST", "OWNER_JWKS_URL", "WEBHOOK_RETRY_SCHEDULE", "LOG_LEVEL"])
      expect(stdout).toContain(name);
  });
});

/** The command line in this process, since a process for each command takes half a second. */
async function loadProgram(): Promise<Command> {
  const { argv, exitCode } = process;
  const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  // The module runs the command line of its process when it is imported.
  process.argv = [process.execPath, "botyard", "--version"];
  try {
    return (await import("#botyard/cli/main.js")).program;
  } finally {
    process.argv = argv;
    process.exitCode = exitCode;
    output.mockRestore();
  }
}

/** The commands without subcommands, with their help. */
function commandsOf(command: Command, path: string[] = []): { name: string; help: string }[] {
  if (command.commands.length > 0)
    return command.commands.flatMap((each) => commandsOf(each, [...path, each.name()]));
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return [{ name: path.join(" "), help }];
}
