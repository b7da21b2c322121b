import { type DestinationStream, type Logger, pino } from "pino";
import type { Config } from "../config.js";

/**
 * The logger of the process: JSON lines on stdout, or plain lines while a person is watching.
 *
 * A line is written before its call returns. Writing in the background would lose the last lines when the process exits, and
 * those say why it did; at the default level there are so few lines that it does not matter.
 */
export function createLogger(level: Config["logLevel"]): Logger {
  return pino(
    {
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    process.stdout.isTTY ? plainLines(process.stdout) : pino.destination({ dest: 1, sync: true }),
  );
}

/** A JSON line as a person reads it: `08:15:19 warn  message {"other":"fields"}`, a stack below it. */
export function plainLine(json: string): string {
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

function plainLines(terminal: NodeJS.WriteStream): DestinationStream {
  return { write: (json) => terminal.write(plainLine(json)) };
}
