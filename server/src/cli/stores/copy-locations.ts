import { resolve } from "node:path";
import { parseDatabaseUrl } from "../../domain/database-url.js";
import type { Location } from "../../store/copy/open.js";
import { UsageError } from "../errors.js";

/**
 * Parses the source or target of a copy: `sqlite:<folder>` or `postgres://…`.
 *
 * @throws UsageError naming the option when the text is neither
 */
export function parseLocation(option: string, text: string, schema?: string): Location {
  const [, folder] = /^sqlite:(.+)$/.exec(text) ?? [];
  if (folder) return { engine: "sqlite", dataDir: resolve(folder) };
  if (parseDatabaseUrl(text)) return { engine: "postgres", url: text, schema };
  // The message does not repeat the text, which may contain a password.
  throw new UsageError(`${option} must be sqlite:<folder> or postgres://user:password@host:port/database`);
}
