// Bundles what was compiled to a folder, with the packages it imports, into `bundle` inside it: finding, opening and linking a
// thousand small files is half of the processor time that a start takes.
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

const [, , folder] = process.argv;
const compiled = resolve(folder);
const bundle = await rolldown({
  input: {
    botyard: join(compiled, "cli/main.js"),
    service: join(compiled, "main.js"),
    worker: join(compiled, "store/sqlite/worker.js"),
  },
  platform: "node",
  treeshake: false,
  // They read files of their own (binaries, pages). Into the databases' packages the tests reach from outside, to kill a service
  // at each boundary of a write.
  external: [/^@photostructure\/sqlite/, /^@scalar\//, /^@botyard\/console/, "pg"],
  logLevel: "warn",
});
// All side by side, two folders below the package: the code looks for `worker.js` beside it and for `../../package.json`.
await bundle.write({
  dir: join(compiled, "bundle"),
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
  // By default it removes calls whose results are not used, such as decodeURIComponent in a `try` that asks whether it throws.
  minify: false,
});
await bundle.close();
