import type { CommandCall } from "./command-line.js";
import type { OptionSpec } from "./command-offer.js";

/** A value of an option. */
type Value = string | number | boolean;

const TYPES: Partial<Record<OptionSpec["type"], { meant: string; read(text: string): Value | undefined }>> = {
  integer: {
    meant: "a whole number",
    read: (text) =>
      /^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined,
  },
  number: {
    meant: "a number",
    read: (text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined),
  },
  boolean: {
    meant: "yes or no",
    read: (text) =>
      /^(?:yes|true|on)$/i.test(text) ? true : /^(?:no|false|off)$/i.test(text) ? false : undefined,
  },
};

/**
 * Reads the options of a text command from its arguments, by their order. A text that comes last takes all that is left as it was written,
 * so that nobody needs quotation marks for `/weather New York`; those around all of it are not part of it.
 *
 * @returns the values by name, or one line for people that says what is wrong
 */
export function optionsIn(
  command: string,
  specs: readonly OptionSpec[],
  { args, rests }: Pick<CommandCall, "args" | "rests">,
): Record<string, Value> | string {
  const values: [string, Value][] = [];
  for (const [index, spec] of specs.entries()) {
    const { name, type, choices, required } = spec;
    const takesRest = index === specs.length - 1 && type === "string" && !choices;
    const text = takesRest && index < args.length - 1 ? rests[index] : args[index];
    const value = text === undefined ? undefined : valueOf(spec, text);
    if (value !== undefined) values.push([name, value]);
    else if (text !== undefined) {
      const meant = choices ? `one of ${choices.map((one) => one.value).join(", ")}` : TYPES[type]?.meant;
      return `${name} must be ${meant}. ${usageOf(command, specs)}`;
    } else if (required) return `${name} is missing. ${usageOf(command, specs)}`;
  }
  return Object.fromEntries(values);
}

function valueOf({ type, choices }: OptionSpec, text: string): Value | undefined {
  if (!choices) {
    const known = TYPES[type];
    return known ? known.read(text) : text;
  }
  const isMeant = (one: Value) => String(one).toLowerCase() === text.toLowerCase();
  return choices.find(({ value, label }) => isMeant(value) || isMeant(label))?.value;
}

/** `Usage: /weather city [days]` */
function usageOf(command: string, specs: readonly OptionSpec[]): string {
  const shown = specs.map(({ name, required }) => (required ? name : `[${name}]`));
  return `Usage: ${[`/${command}`, ...shown].join(" ")}`;
}
