/** A post that calls a command: `/weather Oslo`, `/weather@echo "New York" tomorrow`. */
export interface CommandCall {
  /** In lower case, without the slash. */
  name: string;
  /** The bot that the call names, in lower case; undefined when it names none. */
  to: string | undefined;
  /** What follows, split at blanks; text in quotation marks stays together. */
  args: string[];
}

export const COMMAND_NAME = /^[a-z0-9][\w-]{0,63}$/i;

const CALL = /^\/([a-z0-9][\w-]{0,63})(?:@([\w.-]+))?(?=\s|$)([\s\S]*)$/i;
/** An argument: in double, single or typographic quotation marks, which phones insert; otherwise up to the next blank. */
const ARGUMENT = /"((?:[^"\\]|\\[\s\S])*)"(?!\S)|'([^']*)'(?!\S)|“([^”]*)”(?!\S)|(\S+)/g;

/** Parses a text; undefined when it is not a command call. */
export function commandIn(text: string): CommandCall | undefined {
  const [, name, to, rest = ""] = CALL.exec(text.trim()) ?? [];
  return name === undefined
    ? undefined
    : { name: name.toLowerCase(), to: to?.toLowerCase(), args: argumentsIn(rest) };
}

function argumentsIn(text: string): string[] {
  return [...text.matchAll(ARGUMENT)].map(
    ([, double, single, curly, plain]) =>
      double?.replace(/\\([\s\S])/g, "$1") ?? single ?? curly ?? plain ?? "",
  );
}
