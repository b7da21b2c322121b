/** A post that calls a command: `/weather Oslo`, `/weather@echo "New York" tomorrow`. */
export interface CommandCall {
  /** In lower case, without the slash. */
  name: string;
  /** The bot that the call names, in lower case; undefined when it names none. */
  to: string | undefined;
  /** What follows, split at blanks; text in quotation marks stays together. */
  args: string[];
  /** For each argument the text from there to the end, as it was written. */
  rests: string[];
}

export const COMMAND_NAME = /^[a-z0-9][\w-]{0,63}$/i;

const CALL = /^\/([a-z0-9][\w-]{0,63})(?:@([\w.-]+))?(?=\s|$)([\s\S]*)$/i;
/** An argument: in double, single or typographic quotation marks, which phones insert; otherwise up to the next blank. */
const ARGUMENT = /"((?:[^"\\]|\\[\s\S])*)"(?!\S)|'([^']*)'(?!\S)|“([^”]*)”(?!\S)|(\S+)/g;

/** Parses a text; undefined when it is not a command call. */
export function commandIn(text: string): CommandCall | undefined {
  const [, name, to, rest = ""] = CALL.exec(text.trim()) ?? [];
  if (name === undefined) return undefined;
  const found = [...rest.matchAll(ARGUMENT)];
  const args = found.map(
    ([, double, single, curly, plain]) =>
      double?.replace(/\\([\s\S])/g, "$1") ?? single ?? curly ?? plain ?? "",
  );
  const rests = found.map(({ index }) => rest.slice(index));
  return { name: name.toLowerCase(), to: to?.toLowerCase(), args, rests };
}
