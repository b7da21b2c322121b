import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join, sep } from "node:path";

/** The encodings that the build leaves beside a file, the one to be preferred first, and what the name ends with. */
const ENCODINGS = { br: ".br", gzip: ".gz" } as const;

type Encoding = keyof typeof ENCODINGS;

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** What the build writes where the nonce of a page belongs. */
const NONCE_PLACE = "__CSP_NONCE__";
const NONCE_BYTES = 16;

/** One of the console's files, as it is sent. */
export interface ConsoleFile {
  type: string;
  body: Buffer;
  encoding?: Encoding;
}

/** The built console. All of it is in memory: some 90 files, together about 1.5 MB with their compressed forms. */
export interface ConsoleFiles {
  /** The page, for one answer: style elements count only with the nonce that its policy names. */
  page(): { html: string; nonce: string };
  /**
   * @param path below `/console/`
   * @param accepted the request's `Accept-Encoding`
   */
  find(path: string, accepted: string | undefined): ConsoleFile | undefined;
}

const require = createRequire(import.meta.url);
const folder = join(dirname(require.resolve("@botyard/console/package.json")), "dist");

/** @throws Error in one clear line when the console has not been built */
export async function readConsoleFiles(): Promise<ConsoleFiles> {
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
  const page = String(files.get("index.html")).split(NONCE_PLACE);
  files.delete("index.html");

  return {
    page() {
      const nonce = randomBytes(NONCE_BYTES).toString("base64");
      return { html: page.join(nonce), nonce };
    },
    find(path, accepted = "") {
      const type = TYPES[extname(path)];
      const body = files.get(path);
      if (!type || !body) return undefined;
      for (const [encoding, ending] of Object.entries(ENCODINGS) as [Encoding, string][]) {
        const encoded = files.get(path + ending);
        if (encoded && accepts(accepted, encoding)) return { type, body: encoded, encoding };
      }
      return { type, body };
    },
  };
}

function accepts(accepted: string, encoding: Encoding): boolean {
  return accepted
    .split(",")
    .map((part) => part.replaceAll(/\s/g, ""))
    .some((part) => part === encoding || (part.startsWith(`${encoding};`) && !/;q=0(\.0*)?$/.test(part)));
}
