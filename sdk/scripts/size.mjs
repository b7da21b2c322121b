// Prints how large a bot is that a bundler has made of the main entry, minified and gzipped; fails above the limit.
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

const LIMIT_KB = 12;
const MAIN = fileURLToPath(new URL("../dist/esm/index.js", import.meta.url));

const bundle = await rolldown({ input: MAIN, platform: "neutral" });
const { output } = await bundle.generate({ minify: true });
await bundle.close();
const kilobytes = gzipSync(output[0].code, { level: 9 }).length / 1024;
console.log(`${kilobytes.toFixed(1)} KB of ${LIMIT_KB} KB, gzipped`);
if (kilobytes > LIMIT_KB) process.exitCode = 1;
