import { type CommandNode, isNamed, type OptionNode, valueOptions, withDescendants } from "./command-tree.js";

/** A completion script for zsh, as a file `_botyard` in a folder of `fpath` or by `source`. */
export function zshCompletion(root: CommandNode): string {
  const nodes = withDescendants(root);
  const children = nodes.filter((node) => node !== root);
  return `#compdef ${root.name}
# Completion of ${root.name} for zsh. In ~/.zshrc, after compinit: source <(${root.name} completion zsh)
_${root.name}() {
  local at=${root.name} option= asks= word i
  local -a verbs flags
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -n $option ]]; then
      option=
      continue
    fi
    case "$word" in
      (${valueOptions(root).join("|")}) option=$word; continue ;;
    esac
    case "$at $word" in
      (${children.map(({ path }) => `"${path}"`).join("|")}) at="$at $word" ;;
    esac
  done
  if [[ -n $option ]]; then
    case "$at $option" in
${nodes.flatMap(optionValues).join("\n")}
    esac
  else
    case "$at" in
${nodes.map(candidates).join("\n")}
    esac
  fi
  if [[ -n $asks && $PREFIX != -* ]]; then
    local -a names
    names=(\${(f)"$(${root.name} complete-names -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"})
    compadd -a names && return
  fi
  [[ -n $option ]] && return
  if [[ $PREFIX == -* || \${#verbs} -eq 0 ]]; then
    _describe -o option flags
  else
    _describe command verbs
  fi
}
if [[ \${funcstack[1]} == _${root.name} ]]; then _${root.name} "$@"; else compdef _${root.name} ${root.name}; fi
`;
}

function optionValues({ path, options }: CommandNode): string[] {
  return options.flatMap(({ long, value }) => {
    if (value?.isFile) return [`      ("${path} ${long}") _files ;;`];
    if (value && isNamed(value.name)) return [`      ("${path} ${long}") asks=1 ;;`];
    return value && value.choices.length > 0
      ? [`      ("${path} ${long}") compadd -- ${value.choices.join(" ")} ;;`]
      : [];
  });
}

function candidates({ path, options, commands, argumentChoices, argumentNames }: CommandNode): string {
  const verbs = [...commands.map(described), ...argumentChoices.map(quoted)].join(" ");
  const asks = argumentNames.some(isNamed) ? " asks=1" : "";
  return `      ("${path}") verbs=(${verbs}) flags=(${options.map(describedOption).join(" ")})${asks} ;;`;
}

function described({ name, description }: CommandNode): string {
  return quoted(`${name}:${description}`);
}

function describedOption({ long, description }: OptionNode): string {
  return quoted(`${long}:${description}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
