import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { rolldown } from "rolldown";

/** What every runtime of the fetch standard has; of Node's own there is nothing. */
const WEB_GLOBALS = [
  "AbortController",
  "AbortSignal",
  "ArrayBuffer",
  "Headers",
  "Request",
  "Response",
  "TextDecoder",
  "TextEncoder",
  "URL",
  "URLSearchParams",
  "Uint8Array",
  "clearTimeout",
  "console",
  "crypto",
  "fetch",
  "setTimeout",
] as const;

/** The SDK's main entry in one piece, as a bundler makes it for an edge runtime, loaded where only web standards are. */
export async function loadOnEdge(now: () => number): Promise<typeof import("@botyard/sdk")> {
  const input = fileURLToPath(import.meta.resolve("@botyard/sdk"));
  const bundle = await rolldown({ input, platform: "browser" });
  const { output } = await bundle.generate({ format: "iife", name: "sdk" });
  await bundle.close();
  const globals = Object.fromEntries(WEB_GLOBALS.map((name) => [name, globalThis[name]]));
  const context = createContext({ ...globals, now });
  runInContext("Date.now = now", context);
  return runInContext(`${output[0].code}; sdk`, context) as typeof import("@botyard/sdk");
}
