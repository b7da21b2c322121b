// Prints how much JavaScript the first page loads, gzipped; fails above the limit.
import { firstPageKilobytes } from "./first-page.mjs";

const LIMIT_KB = 220;

const kilobytes = firstPageKilobytes();
console.log(`${kilobytes.toFixed(1)} kB of ${LIMIT_KB} kB, gzipped`);
if (kilobytes > LIMIT_KB) process.exitCode = 1;
