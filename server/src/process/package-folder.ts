import { fileURLToPath } from "node:url";

/** The folder of the installed package. Compiled modules and the bundle are both two folders below it. */
export const PACKAGE_FOLDER = fileURLToPath(new URL("../../", import.meta.url));
