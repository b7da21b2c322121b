import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { dockerfile, environment, ignored, readme } from "./texts.js";

/** @typedef {import("./main.js").Wishes} Wishes */

const templates = fileURLToPath(new URL("../templates", import.meta.url));
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
/** What a name of a package may be. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,213}$/;

/**
 * Writes the files of a bot into a new folder.
 *
 * @param {Wishes} wishes
 * @throws {Error} when there is something in the folder, or its name can be none of a package
 */
export function writeProject(wishes) {
  const { transport, language } = wishes;
  const folder = resolve(wishes.folder);
  const name = basename(folder);
  if (!NAME.test(name)) {
    throw new Error(
      `${JSON.stringify(name)} can be no name of a package: use lower-case letters, digits, . _ and -`,
    );
  }
  if (filesIn(folder).length > 0) throw new Error(`${folder} is not empty: choose another folder`);
  const ending = language === "typescript" ? "ts" : "js";
  const files = {
    "package.json": `${JSON.stringify(manifest(name, wishes), undefined, 2)}\n`,
    [`src/bot.${ending}`]: code("src/bot.js", language),
    [`src/main.${ending}`]: code(`src/main-${transport}.js`, language),
    [`test/bot.test.${ending}`]: code(`test/${transport}.test.js`, language),
    Dockerfile: dockerfile(wishes),
    "README.md": readme(name, wishes),
    ".env": environment(wishes),
    ".gitignore": ignored(language),
    ".dockerignore": ignored(language),
    ...(language === "typescript" ? { "tsconfig.json": `${JSON.stringify(COMPILER, undefined, 2)}\n` } : {}),
  };
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/**
 * What to do next, for people.
 *
 * @param {Wishes} wishes
 */
export function nextSteps({ folder }) {
  return `
Made ${resolve(folder)}. Next:

  cd ${folder}
  npm install
  npm test
  npm run dev

Before the last, put the bot's token into .env: README.md says where it comes from.
`;
}

const COMPILER = {
  compilerOptions: {
    target: "ES2023",
    module: "NodeNext",
    strict: true,
    types: ["node"],
    rootDir: ".",
    outDir: "dist",
    skipLibCheck: true,
  },
  include: ["src", "test"],
};

/** npm passes signals to its shell, which would end without the bot; `exec` puts the bot in its place. Windows has none. */
const NODE = process.platform === "win32" ? "node" : "exec node";

const WATCHING = `${NODE} --watch --env-file=.env`;

/**
 * @param {string} name
 * @param {Wishes} wishes
 */
function manifest(name, { language, sdk }) {
  const isTyped = language === "typescript";
  return {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: isTyped
      ? {
          build: "tsc",
          dev: `npm run -s build && ${WATCHING} dist/src/main.js`,
          start: `npm run -s build && ${NODE} dist/src/main.js`,
          test: "npm run -s build && node --test dist/test/bot.test.js",
        }
      : {
          dev: `${WATCHING} src/main.js`,
          start: `${NODE} src/main.js`,
          test: "node --test test/bot.test.js",
        },
    dependencies: { "@botyard/sdk": sdk ?? `^${version}` },
    ...(isTyped ? { devDependencies: { "@types/node": "^20.19.0", typescript: ">=5.6" } } : {}),
  };
}

/**
 * A template's code. Types stand in it as `/*ts: string *\/`, and are left out of JavaScript.
 *
 * @param {string} path
 * @param {Wishes["language"]} language
 */
function code(path, language) {
  const text = readFileSync(join(templates, path), "utf8");
  return text.replace(/ ?\/\*ts(.*?)\*\//g, (_, types) => (language === "typescript" ? types : ""));
}

/** @param {string} folder */
function filesIn(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}
