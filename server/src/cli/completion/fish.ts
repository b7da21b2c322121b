import { type CommandNode, isNamed, type OptionNode, valueOptions, withDescendants } from "./command-tree.js";

/** A completion script for fish. */
export function fishCompletion(root: CommandNode): string {
  const nodes = withDescendants(root);
  const children = nodes.filter((node) => node !== root);
  return `# Completion of ${root.name} for fish: ${root.name} completion fish > ~/.config/fish/completions/${root.name}.fish
function __${root.name}_at
    set -l at ${root.name}
    set -l option
    for word in (commandline -opc)[2..-1]
        if test -n "$option"
            set option
            continue
        end
        switch "$word"
            case ${valueOptions(root).map(quoted).join(" ")}
                set option $word
                continue
        end
        switch "$at $word"
            case ${children.map(({ path }) => quoted(path)).join(" ")}
                set at "$at $word"
        end
    end
    test "$at" = "$argv"
end
complete -c ${root.name} -f
${nodes.flatMap((node) => lines(root.name, node)).join("\n")}
`;
}

function lines(
  program: string,
  { path, options, commands, argumentChoices, argumentNames }: CommandNode,
): string[] {
  const start = `complete -c ${program} -n ${quoted(`__${program}_at ${path}`)}`;
  return [
    ...commands.map(({ name, description }) => `${start} -a ${name} -d ${quoted(description)}`),
    ...argumentChoices.map((choice) => `${start} -a ${quoted(choice)}`),
    ...(argumentNames.some(isNamed) ? [`${start} -a ${quoted(namesOf(program))}`] : []),
    ...options.map((option) => `${start} ${flagsOf(program, option)} -d ${quoted(option.description)}`),
  ];
}

/** Asks the service, each time. */
function namesOf(program: string): string {
  return `(${program} complete-names -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)`;
}

function flagsOf(program: string, { long, short, value }: OptionNode): string {
  const names = `-l ${long.slice(2)}${short ? ` -s ${short.slice(1)}` : ""}`;
  if (!value) return names;
  if (value.isFile) return `${names} -r -F`;
  if (isNamed(value.name)) return `${names} -x -a ${quoted(namesOf(program))}`;
  return value.choices.length > 0 ? `${names} -x -a ${quoted(value.choices.join(" "))}` : `${names} -x`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
