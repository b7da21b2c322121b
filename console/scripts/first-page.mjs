import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const built = new URL("../dist/", import.meta.url);

/** Kilobytes of JavaScript that the first page loads, gzipped. Code that is loaded later does not count. */
export function firstPageKilobytes() {
  const page = readFileSync(new URL("index.html", built), "utf8");
  const scripts = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+\.js)"/g)].map(
    ([, file]) => file,
  );
  if (scripts.length === 0) throw new Error("the page names no script");
  return (
    scripts
      .map((file) => gzipSync(readFileSync(new URL(file, built)), { level: 9 }).length)
      .reduce((sum, length) => sum + length, 0) / 1000
  );
}
