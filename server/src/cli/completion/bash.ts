import { type CommandNode, isNamed, type OptionNode, valueOptions, withDescendants } from "./command-tree.js";

/** A completion script for bash, from version 3.2 on. */
export function bashCompletion(root: CommandNode): string {
  const nodes = withDescendants(root);
  const children = nodes.filter((node) => node !== root);
  return `# Completion of ${root.name} for bash. In ~/.bashrc: source <(${root.name} completion bash)
_${root.name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} at=${root.name} option= words= options= asks= word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $option ]]; then
      # --option=value is three words.
      [[ $word == = ]] || option=
      continue
    fi
    case $word in
      ${valueOptions(root).join("|")}) option=$word; continue ;;
    esac
    case "$at $word" in
      ${children.map(({ path }) => `"${path}"`).join("|")}) at="$at $word" ;;
    esac
  done
  [[ $current == = ]] && current=
  if [[ -n $option ]]; then
    case "$at $option" in
${nodes.flatMap(optionValues).join("\n")}
    esac
  else
    case $at in
${nodes.map(candidates).join("\n")}
    esac
    [[ $current == -* ]] && words=$options asks=
  fi
  # The service's names are letters, digits and _.-, of which bash expands nothing.
  [[ -n $asks ]] && words=$(${root.name} complete-names -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$current" 2>/dev/null)
  [[ -z $option && -z $words ]] && words=$options
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _${root.name} ${root.name}
`;
}

function optionValues({ path, options }: CommandNode): string[] {
  return options.flatMap((option) => {
    const action = valueAction(option);
    return action
      ? [
          `      ${spellings(option)
            .map((name) => `"${path} ${name}"`)
            .join("|")}) ${action} ;;`,
        ]
      : [];
  });
}

function valueAction({ value }: OptionNode): string | undefined {
  if (value?.isFile) return `local IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$current")); return`;
  if (value && isNamed(value.name)) return "asks=1";
  return value && value.choices.length > 0 ? `words="${value.choices.join(" ")}"` : undefined;
}

function candidates({ path, options, commands, argumentChoices, argumentNames }: CommandNode): string {
  const words = [...commands.map(({ name }) => name), ...argumentChoices].join(" ");
  const asks = argumentNames.some(isNamed) ? " asks=1" : "";
  return `      "${path}") words="${words}" options="${options.flatMap(spellings).join(" ")}"${asks} ;;`;
}

function spellings({ long, short }: OptionNode): string[] {
  return short ? [short, long] : [long];
}
