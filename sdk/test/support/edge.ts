import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { rolldown } from "rolldown";

/** The globals of every runtime with the fetch standard, without any of Node's own. */
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

/** The SDK's main entry, bundled for an edge runtime and loaded with web standards only. */
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
