import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { ENCODINGS, type Encoding, type StaticFile, staticFile } from "./static-file.js";

/** The endings of the compressed copies that the build puts beside each file. */
const ENDINGS: Readonly<Record<Encoding, string>> = { br: ".br", gzip: ".gz" };

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The build writes this where the nonce of a page belongs. */
const NONCE_PLACEHOLDER = "__CSP_NONCE__";
const NONCE_BYTES = 16;

/** The built console. All of it is in memory: some 90 files, together about 1.5 MB with their compressed forms. */
export interface ConsoleFiles {
  /** The page for one answer: browsers apply only style elements with the nonce of its Content-Security-Policy. */
  page(): { html: string; nonce: string };
  /** @param path below `/console/` */
  find(path: string): StaticFile | undefined;
}

/** By folder: apps of one process share them. */
const known = new Map<string, ConsoleFiles>();

/**
 * Reads the files once in a process, which takes 10 ms.
 *
 * @param folder what the build of the console made
 * @throws Error in one clear line when there is nothing in it
 */
export async function readConsoleFiles(folder: string): Promise<ConsoleFiles> {
  const files = known.get(folder) ?? (await readFolder(folder));
  known.set(folder, files);
  return files;
}

async function readFolder(folder: string): Promise<ConsoleFiles> {
  const files = new Map<string, Buffer>();
  try {
    const names = await readdir(join(folder, "assets"));
    const paths = ["index.html", ...names.map((name) => join("assets", name))];
    await Promise.all(
      paths.map(async (path) => files.set(path.replaceAll(sep, "/"), await readFile(join(folder, path)))),
    );
  } catch (error) {
    throw new Error(`the console is not built (nothing to read in ${folder}): run npm run build`, {
      cause: error,
    });
  }
  const page = String(files.get("index.html")).split(NONCE_PLACEHOLDER);
  files.delete("index.html");
  const assets = new Map([...files].flatMap(([path, body]) => asAsset(path, body, files)));

  return {
    page() {
      const nonce = randomBytes(NONCE_BYTES).toString("base64");
      return { html: page.join(nonce), nonce };
    },
    find: (path) => assets.get(path),
  };
}

function asAsset(path: string, body: Buffer, files: ReadonlyMap<string, Buffer>): [string, StaticFile][] {
  const type = TYPES[extname(path)];
  if (!type) return [];
  const encoded: StaticFile["encoded"] = {};
  for (const encoding of ENCODINGS) {
    const compressed = files.get(path + ENDINGS[encoding]);
    if (compressed) encoded[encoding] = compressed;
  }
  return [[path, staticFile(type, body, encoded)]];
}
