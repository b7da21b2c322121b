import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";
import { botyard, type Environment } from "./program.js";

/** What bash has after TAB at the end of each line: it splits a line into words as readline does, `=` being a word. */
const COMPLETE_LINES = `
  botyard() { "$NODE" "$BOTYARD" "$@"; }
  source "$1"; shift
  cd "$1"; shift
  for line in "$@"; do
    read -ra COMP_WORDS <<< "\${line//=/ = }"
    [[ $line == *[\\ ] || $line == *= ]] && COMP_WORDS+=("")
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    $(complete -p botyard | sed 's/.*-F \\([^ ]*\\).*/\\1/')
    echo "\${COMPREPLY[*]}"
  done`;

/**
 * What bash completes each line with.
 *
 * @param script the file of `botyard completion bash`
 * @param env variables of the commands that completion runs
 */
export async function completedInBash({
  script,
  folder,
  lines,
  env = {},
}: {
  script: string;
  folder: string;
  lines: readonly string[];
  env?: Environment;
}): Promise<string[]> {
  const { PATH, HOME } = process.env;
  const args = ["-c", COMPLETE_LINES, "bash", script, folder, ...lines];
  const { stdout, stderr } = await promisify(execFile)("bash", args, {
    env: { PATH, HOME, NODE: process.execPath, BOTYARD: botyard, ...env },
  });
  expect(stderr).toBe("");
  return stdout.split("\n").slice(0, -1);
}
