// Prints how much JavaScript the first page loads, gzipped; fails above the limit.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT_KB = 220;
const built = new URL("../dist/", import.meta.url);

const page = readFileSync(new URL("index.html", built), "utf8");
// What the page names, scripts and what they import at once; the rest is loaded when somebody goes there.
const scripts = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+\.js)"/g)].map(([, file]) => file);
const bytes = scripts
  .map((file) => gzipSync(readFileSync(new URL(file, built)), { level: 9 }).length)
  .reduce((sum, length) => sum + length, 0);
const kilobytes = bytes / 1000;
console.log(`${kilobytes.toFixed(1)} kB of ${LIMIT_KB} kB, gzipped`);
if (scripts.length === 0 || kilobytes > LIMIT_KB) process.exitCode = 1;
