// Bundles what was compiled to a folder, with the libraries that it imports, into `bundle` inside it. Finding, opening and
// linking a thousand small files is half of the processor time that a start takes. And the package then needs no other one:
// who installs it runs the very versions that were tested.
import { cpSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { rolldown } from "rolldown";

/** SQLite for versions of Node without `node:sqlite`. It looks for its binary in a folder beside the one that it is in. */
const SQLITE = "@photostructure/sqlite";

/** The folder of the package that a file is of. */
const LIBRARY = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;

/** `debug` takes it where there is one. It is there only when tools are installed, and what goes in must not depend on that. */
const OPTIONAL = "supports-color";
const withoutOptional = {
  name: "without-optional",
  resolveId: (id) => (id === OPTIONAL ? `\0${OPTIONAL}` : null),
  load: (id) => (id === `\0${OPTIONAL}` ? "export {};" : null),
};

const [, , folder] = process.argv;
const compiled = resolve(folder);
const target = join(compiled, "bundle");
const databases = join(target, "databases");
const sqliteFolder = dirname(createRequire(import.meta.url).resolve(`${SQLITE}/package.json`));

const bundles = [
  // Side by side, two folders below the package: the code looks for `worker.js` beside it, and for the package's folder.
  bundle(target, {
    input: {
      botyard: join(compiled, "cli/main.js"),
      service: join(compiled, "main.js"),
      worker: join(compiled, "store/sqlite/thread/worker.js"),
      "backup-process": join(compiled, "store/backup/backup-process.js"),
      "damage-process": join(compiled, "store/sqlite/files/damage-process.js"),
    },
    external: ["pg", SQLITE],
    paths: { pg: "./databases/pg.js", [SQLITE]: "./databases/sqlite/dist/index.js" },
  }),
  // By themselves, because tests reach into both, to kill a service at each boundary of a write. pg-native is an option of pg.
  bundle(databases, { input: { pg: "pg" }, external: ["pg-native"] }),
  bundle(join(databases, "sqlite/dist"), { input: { index: join(sqliteFolder, "dist/index.mjs") } }),
];
const files = (await Promise.all(bundles)).flat();
// For tests, whose stores run beside the files that were compiled: opening and closing one took 190 ms of processor time when
// its thread loaded those files, and takes 85 with one bundle.
await bundle(join(compiled, "store/sqlite/thread"), {
  input: { worker: join(compiled, "store/sqlite/thread/worker.js") },
  external: [SQLITE],
});
cpSync(join(sqliteFolder, "prebuilds"), join(databases, "sqlite/prebuilds"), { recursive: true });
// For the licenses and the bill of materials. Our own files are in no node_modules.
const folders = new Set(files.map((file) => LIBRARY.exec(file)?.[1]).filter(Boolean));
writeFileSync(join(compiled, "libraries.json"), JSON.stringify([...folders]));

/** @returns the files that went in, by absolute path */
async function bundle(dir, { input, external = [], paths = {} }) {
  const built = await rolldown({
    input,
    external,
    platform: "node",
    treeshake: false,
    logLevel: "warn",
    plugins: [withoutOptional],
  });
  const { output } = await built.write({
    dir,
    paths,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    // By default it removes calls whose results are not used, such as decodeURIComponent in a `try` that asks whether it throws.
    minify: false,
    // A tenth of the text, which would be scanned at each start. The licenses are in a file of their own.
    comments: false,
  });
  await built.close();
  return output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
}
