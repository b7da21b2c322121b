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
export async function buildIfNeeded() {
  const sdkFiles = ["sdk/src", "sdk/tsconfig.json", "sdk/tsconfig.cjs.json", "sdk/package.json"];
  await build("the SDK", "sdk/dist", sdkFiles, async (next) => {
    await compile("sdk", join(next, "esm"));
    await compile("sdk/tsconfig.cjs.json", join(next, "cjs"));
    // The package is of ECMAScript modules; this says of one folder that it is not.
    writeFileSync(join(next, "cjs/package.json"), '{ "type": "commonjs" }\n');
  });
  const page = ["src", "tsconfig.json", "vite.config.ts", "index.html", "package.json"];
  const pageFiles = [...page.map((file) => `console/${file}`), `sdk/dist/${STAMP}`];
  await build("the console", "console/dist", pageFiles, async (next) => {
    const vite = join(root, "node_modules/vite/bin/vite.js");
    const args = ["build", "console", "--outDir", next, "--emptyOutDir", "--logLevel", "warn"];
    await runOrExit("The build of the console", process.execPath, [vite, ...args]);
  });
  await build(
    "the server",
    "server/dist",
    ["server/src", "server/tsconfig.json", BUNDLER, `sdk/dist/${STAMP}`],
    async (next) => {
      await compile("server", next);
      await runOrExit("The bundling of the server", process.execPath, [
        join(root, BUNDLER, "bundle.mjs"),
        next,
      ]);
    },
  );
  // What browsers load, beside the code, so that the package of the server has all of it.
  await build("", "server/pages", [`console/dist/${STAMP}`], async (next) => {
    cpSync(join(root, "console/dist"), join(next, "console"), { recursive: true });
    cpSync(join(root, SCALAR, "dist/js/standalone.js"), join(next, "scalar.js"));
  });
  await build("", "server/libraries", [`console/dist/${STAMP}`, `server/dist/${STAMP}`], async (next) => {
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
 * @param {(next: string) => void | Promise<void>} fill puts everything into an empty folder, which then replaces the one before
 */
async function build(name, target, sources, fill) {
  const built = join(root, target);
  const depended = [...EVERYWHERE, ...sources].map((path) => newestIn(join(root, path)));
  if (builtAt(built) >= Math.max(...depended)) return;
  const startedAt = new Date();
  // Beside the build before and from nothing: no module outlives its source, and a build that fails harms nothing.
  // Each build has a folder of its own: two may run at the same time, such as those of two commands just started.
  const next = `${built}.${process.pid}`;
  // A build that is ended half-way leaves nothing.
  process.once("exit", () => rmSync(next, { recursive: true, force: true }));
  const work = async () => {
    await fill(next);
    const nextStamp = join(next, STAMP);
    closeSync(openSync(nextStamp, "w"));
    utimesSync(nextStamp, startedAt, startedAt);
    putInPlace(next, built);
  };
  if (name) await step(`Building ${name}`, work);
  else await work();
}

async function compile(project, outDir) {
  const compiler = join(root, "node_modules/typescript7/bin/tsc");
  await runOrExit("The build", process.execPath, [compiler, "-p", project, "--outDir", outDir]);
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
