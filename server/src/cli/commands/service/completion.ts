import { Argument, type Command } from "commander";
import { bashCompletion } from "../../completion/bash.js";
import { commandTree } from "../../completion/command-tree.js";
import { fishCompletion } from "../../completion/fish.js";
import { zshCompletion } from "../../completion/zsh.js";
import { write } from "../../output/print.js";

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
type Shell = keyof typeof SCRIPTS;

/** `botyard completion`: a script that completes commands, options and names, from the tree of all commands. */
export function addCompletion(program: Command): void {
  program
    .command("completion")
    .description("print a script that completes commands, options and the names of bots and channels")
    .addArgument(new Argument("<shell>", "your shell").choices(Object.keys(SCRIPTS)))
    .addHelpText(
      "after",
      `
In ~/.bashrc: source <(botyard completion bash)
In ~/.zshrc, after compinit: source <(botyard completion zsh)
For fish: botyard completion fish > ~/.config/fish/completions/botyard.fish
Names come from the service, with BOTYARD_URL and BOTYARD_TOKEN. When it has not answered within a second, there are none.

Example:
  source <(botyard completion bash)`,
    )
    .action((shell: Shell) => write(SCRIPTS[shell](commandTree(program))));
}
