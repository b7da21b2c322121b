import {
  closeSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { progress, root, runOrExit } from "./repository.mjs";

/** A file whose time is the moment the build began. */
const STAMP = ".built";
/** What every build depends on, beside its own sources. */
const EVERYWHERE = ["tsconfig.base.json", "package-lock.json"];

/** Compiles the workspaces that have changed since their last build, each after those it imports. */
export function buildIfNeeded() {
  build("sdk", ["sdk/tsconfig.json", "sdk/tsconfig.cjs.json", "sdk/package.json"], (next) => {
    compile("sdk", join(next, "esm"));
    compile("sdk/tsconfig.cjs.json", join(next, "cjs"));
    // The package is of ECMAScript modules; this says of one folder that it is not.
    writeFileSync(join(next, "cjs/package.json"), '{ "type": "commonjs" }\n');
  });
  const page = ["tsconfig.json", "vite.config.ts", "index.html", "package.json"];
  build("console", [...page.map((file) => `console/${file}`), `sdk/dist/${STAMP}`], (next) => {
    const vite = join(root, "node_modules/vite/bin/vite.js");
    const args = ["build", "console", "--outDir", next, "--emptyOutDir", "--logLevel", "warn"];
    runOrExit("The build of the console", process.execPath, [vite, ...args]);
  });
  const bundler = "server/scripts/bundle.mjs";
  build("server", ["server/tsconfig.json", bundler, `sdk/dist/${STAMP}`], (next) => {
    compile("server", next);
    runOrExit("The bundling of the server", process.execPath, [join(root, bundler), next]);
  });
}

function build(workspace, settings, fill) {
  const source = join(root, workspace, "src");
  const built = join(root, workspace, "dist");
  const depended = [...EVERYWHERE, ...settings].map((file) => modifiedAt(join(root, file)));
  if (builtAt(built) >= Math.max(newestIn(source), ...depended)) return;
  progress(`Building the ${workspace} …`);
  const startedAt = new Date();
  // Beside the build before and from nothing: no module outlives its source, and a build that fails harms nothing.
  // Each build has a folder of its own: two may run at the same time, such as those of two commands just started.
  const next = join(root, workspace, `dist.${process.pid}`);
  fill(next);
  const nextStamp = join(next, STAMP);
  closeSync(openSync(nextStamp, "w"));
  utimesSync(nextStamp, startedAt, startedAt);
  putInPlace(next, built);
}

function compile(project, outDir) {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  runOrExit("The build", process.execPath, [compiler, "-p", project, "--outDir", outDir]);
}

function putInPlace(next, built) {
  try {
    rmSync(built, { recursive: true, force: true });
    renameSync(next, built);
  } catch (error) {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    // Another build of the same sources was put there in this very moment.
    rmSync(next, { recursive: true, force: true });
  }
}

function builtAt(built) {
  return statSync(join(built, STAMP), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Folders count too: theirs is the only time that a deletion or a renaming changes. */
function newestIn(folder) {
  const inside = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? newestIn(path) : modifiedAt(path);
  });
  return Math.max(modifiedAt(folder), ...inside);
}

function modifiedAt(path) {
  return statSync(path).mtimeMs;
}
