import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describeLibraries, libraryIn } from "./libraries.mjs";
import { root, runOrExit, step } from "./repository.mjs";

/** A file whose modification time is when the build began. */
const STAMP = ".built";
/** Files that every build depends on, beside its own sources. */
const EVERYWHERE = ["tsconfig.base.json", "package-lock.json"];
/** The folder of the scripts that bundle the server. */
const BUNDLER = "server/scripts";
/** The package of the API's reference page, of which one script for browsers is used. */
const SCALAR = "node_modules/@scalar/fastify-api-reference";

/** Compiles the workspaces that have changed since their last build, each after those it imports. */
export function buildIfNeeded() {
  const sdkFiles = ["sdk/src", "sdk/tsconfig.json", "sdk/tsconfig.cjs.json", "sdk/package.json"];
  build("the SDK", "sdk/dist", sdkFiles, (next) => {
    compile("sdk", join(next, "esm"));
    compile("sdk/tsconfig.cjs.json", join(next, "cjs"));
    // The package is of ECMAScript modules; this says of one folder that it is not.
    writeFileSync(join(next, "cjs/package.json"), '{ "type": "commonjs" }\n');
  });
  const page = ["src", "tsconfig.json", "vite.config.ts", "index.html", "package.json"];
  const pageFiles = [...page.map((file) => `console/${file}`), `sdk/dist/${STAMP}`];
  build("the console", "console/dist", pageFiles, (next) => {
    const vite = join(root, "node_modules/vite/bin/vite.js");
    const args = ["build", "console", "--outDir", next, "--emptyOutDir", "--logLevel", "warn"];
    runOrExit("The build of the console", process.execPath, [vite, ...args]);
  });
  build(
    "the server",
    "server/dist",
    ["server/src", "server/tsconfig.json", BUNDLER, `sdk/dist/${STAMP}`],
    (next) => {
      compile("server", next);
      runOrExit("The bundling of the server", process.execPath, [join(root, BUNDLER, "bundle.mjs"), next]);
    },
  );
  // What browsers load, beside the code, so that the package of the server has all of it.
  build("", "server/pages", [`console/dist/${STAMP}`], (next) => {
    cpSync(join(root, "console/dist"), join(next, "console"), { recursive: true });
    cpSync(join(root, SCALAR, "dist/js/standalone.js"), join(next, "scalar.js"));
  });
  build("", "server/libraries", [`console/dist/${STAMP}`, `server/dist/${STAMP}`], (next) => {
    mkdirSync(next);
    const inServer = JSON.parse(readFileSync(join(root, "server/dist/libraries.json"), "utf8"));
    const inConsole = JSON.parse(readFileSync(join(root, "console/dist/libraries.json"), "utf8"));
    describeLibraries(next, [...inServer, join(root, SCALAR)].map(libraryIn), inConsole);
  });
}

/**
 * @param name for people; empty when it takes no time
 * @param target the folder that is made
 * @param sources the files and folders that it is made from
 * @param {(next: string) => void} fill puts everything into an empty folder, which then replaces the one before
 */
function build(name, target, sources, fill) {
  const built = join(root, target);
  const depended = [...EVERYWHERE, ...sources].map((path) => newestIn(join(root, path)));
  if (builtAt(built) >= Math.max(...depended)) return;
  const startedAt = new Date();
  // Beside the build before and from nothing: no module outlives its source, and a build that fails harms nothing.
  // Each build has a folder of its own: two may run at the same time, such as those of two commands just started.
  const next = `${built}.${process.pid}`;
  const work = () => {
    fill(next);
    const nextStamp = join(next, STAMP);
    closeSync(openSync(nextStamp, "w"));
    utimesSync(nextStamp, startedAt, startedAt);
    putInPlace(next, built);
  };
  if (name) step(`Building ${name}`, work);
  else work();
}

function compile(project, outDir) {
  const compiler = join(root, "node_modules/typescript7/bin/tsc");
  runOrExit("The build", process.execPath, [compiler, "-p", project, "--outDir", outDir]);
}

/**
 * By renaming: another build may be put in place concurrently, and removing the old build in place could remove files
 * of that one.
 */
function putInPlace(next, built) {
  const before = `${next}.before`;
  try {
    if (existsSync(built)) renameSync(built, before);
    renameSync(next, built);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(error.code)) throw error;
    // Another build of the same sources was put in place just now.
    rmSync(next, { recursive: true, force: true });
  }
  rmSync(before, { recursive: true, force: true });
}

function builtAt(built) {
  return statSync(join(built, STAMP), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Folders count too: theirs is the only time that a deletion or a renaming changes. */
function newestIn(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const inside = readdirSync(path).map((entry) => newestIn(join(path, entry)));
  return Math.max(stats.mtimeMs, ...inside);
}
