import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { commandResult } from "../support/command.js";
import { completedInBash } from "../support/completed-in-bash.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const exec = promisify(execFile);

describe("completion in bash", () => {
  const folder = temporaryFolder("completion");
  const script = join(folder, "botyard.bash");

  beforeAll(async () => {
    writeFileSync(script, (await commandResult(["completion", "bash"])).stdout);
    writeFileSync(join(folder, "key file"), "");
  });

  const completed = (...lines: string[]) => completedInBash({ script, folder, lines });

  it("knows commands, sub-commands, options, their values, and files", async () => {
    expect(
      await completed(
        "botyard we",
        "botyard bot re",
        "botyard bot r",
        "botyard webhook set echo --generate",
        "botyard bot timeline echo --range ",
        "botyard bot timeline echo --range=",
        "botyard bot timeline --range 7d --js",
        "botyard --url x webhook pa",
        "botyard completion ",
        "botyard bot create --username ",
        "botyard copy --from-key-file k",
        "botyard nonsense x",
        "botyard post --med",
      ),
    ).toEqual([
      "webhook",
      "",
      "rotate-token",
      "--generate-secret",
      "1h 24h 7d",
      "1h 24h 7d",
      "--json",
      "pause",
      "bash zsh fish",
      "",
      "key file",
      "",
      "--media",
    ]);
  });

  it("offers every command and option of the help", async () => {
    const { stdout: help } = await commandResult(["--help"]);
    const commands = [...help.matchAll(/^ {2}([a-z][a-z-]+)(?: |$)/gm)].map(([, name = ""]) => name);
    const named = commands.filter((name) => name !== "help" && name !== "export" && name !== "botyard");
    expect(named.length).toBeGreaterThan(10);
    const [offered = ""] = await completed("botyard ");
    expect(offered.split(" ").sort()).toEqual([...new Set(named)].sort());

    const { stdout: replayHelp } = await commandResult(["webhook", "replay", "--help"]);
    const options = [...replayHelp.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name = ""]) => name);
    const [offeredOptions = ""] = await completed("botyard webhook replay echo --");
    expect(offeredOptions.split(" ").sort()).toEqual(options.sort());
  });
});

describe("completion", () => {
  const folder = temporaryFolder("completion");

  it.each([
    ["zsh", /^#compdef botyard\n/, "'rotate-token:give a bot a new token"],
    ["fish", /^# Completion of botyard for fish/, "-n '__botyard_at botyard bot' -a rotate-token"],
  ])("has a script for %s that its shell accepts, where there is one", async (shell, start, part) => {
    const { code, stdout } = await commandResult(["completion", shell]);
    expect(code).toBe(0);
    expect(stdout).toMatch(start);
    expect(stdout).toContain(part);
    const file = join(folder, `botyard.${shell}`);
    writeFileSync(file, stdout);
    const checked = await exec(shell, ["-n", file]).catch((error: NodeJS.ErrnoException) => error);
    if (checked instanceof Error && checked.code !== "ENOENT") throw checked;
  });

  it("refuses another shell", async () => {
    const result = await commandResult(["completion", "tcsh"]);
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("bash, zsh, fish") });
  });
});
