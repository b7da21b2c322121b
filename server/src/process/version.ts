import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_FOLDER } from "./package-folder.js";

const manifest = JSON.parse(readFileSync(join(PACKAGE_FOLDER, "package.json"), "utf8")) as {
  version: string;
};

/** The version of this service, as in its package.json. */
export const VERSION = manifest.version;
