import { type DestinationStream, type Logger, pino } from "pino";
import type { Config } from "../config.js";

/**
 * The logger of the process, on stdout: JSON lines, or lines for people on a terminal.
 *
 * A line is written before its call returns. Writing in the background would lose the last lines when the process exits, and
 * those say why it did; at the default level there are so few lines that it does not matter.
 */
export function createLogger({ logLevel, logFormat }: Pick<Config, "logLevel" | "logFormat">): Logger {
  const output = pino.destination({ dest: 1, sync: true });
  const isPretty = logFormat === "pretty" || (logFormat === "auto" && process.stdout.isTTY);
  return pino(
    {
      level: logLevel,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    isPretty ? prettyLines(output) : output,
  );
}

/** A JSON line as a person reads it: `08:15:19 warn  message {"other":"fields"}`, a stack below it. */
export function prettyLine(json: string): string {
  const { level, time, msg, err, pid: _pid, hostname: _hostname, ...fields } = JSON.parse(json) as Entry;
  const rest = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : "";
  const failure = err ? `\n${err.stack ?? err.message ?? ""}` : "";
  return `${time.slice(11, 19)} ${level.padEnd(5)} ${msg ?? ""}${rest}${failure}\n`;
}

interface Entry {
  level: string;
  /** ISO 8601. */
  time: string;
  msg?: string;
  err?: { message?: string; stack?: string };
  pid?: number;
  hostname?: string;
  [field: string]: unknown;
}

function prettyLines(output: DestinationStream): DestinationStream {
  return { write: (json) => output.write(prettyLine(json)) };
}
