// Prints how large programs are that a bundler has made of the main entry, minified and gzipped; fails above a limit.
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

const MAIN = fileURLToPath(new URL("../dist/esm/index.js", import.meta.url));
/** What a program imports, and how many KB it may have, without what it loads when it polls (`import()`). The second shows what whoever uses everything gets. */
const programs = [
  { name: "a bot", imported: ["Bot", "webhookHandler"], limit: 17.5 },
  { name: "everything", imported: undefined, limit: 21.5 },
];

const sizes = [];
for (const { name, imported, limit } of programs) {
  const size = kilobytes(await bundled(imported));
  sizes.push(`${name} ${size.toFixed(1)} KB of ${limit} KB`);
  if (size > limit) process.exitCode = 1;
}
console.log(`${sizes.join(", ")}, gzipped`);

/** @param {readonly string[] | undefined} names what is imported; everything when undefined */
async function bundled(names) {
  const program = `export ${names ? `{ ${names.join(", ")} }` : "*"} from ${JSON.stringify(MAIN)};`;
  const bundle = await rolldown({
    input: "program",
    platform: "neutral",
    plugins: [
      {
        name: "program",
        resolveId: (id) => (id === "program" ? id : undefined),
        load: (id) => (id === "program" ? program : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ minify: true });
  await bundle.close();
  return codeOf(output[0], output);
}

/** The code of a chunk and of all that it imports when it is loaded, but not of what it loads later. */
function codeOf(chunk, output, seen = new Set([chunk])) {
  const imported = output.filter((other) => chunk.imports.includes(other.fileName) && !seen.has(other));
  for (const other of imported) seen.add(other);
  return [chunk.code, ...imported.map((other) => codeOf(other, output, seen))].join("\n");
}

function kilobytes(code) {
  return gzipSync(code, { level: 9 }).length / 1024;
}
