import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./repository.mjs";

/** @typedef {{ name: string, version: string, identifier: string, text?: string }} Library */

/**
 * Writes what is known of the libraries that are part of the package: `LICENSES.txt`, since nearly all of them ask to be
 * passed on with every copy, and `botyard.cdx.json`, the bill of materials (CycloneDX 1.6).
 *
 * @param {string} folder
 * @param {readonly Library[]} inServer
 * @param {readonly Library[]} inConsole
 */
export function describeLibraries(folder, inServer, inConsole) {
  const libraries = new Map([...inServer, ...inConsole].map((library) => [purlOf(library), library]));
  const sorted = [...libraries.values()].toSorted((a, b) => (purlOf(a) < purlOf(b) ? -1 : 1));
  const texts = sorted.map(
    ({ name, version, identifier, text }) =>
      `${name} ${version}\n\n${text?.trim() ?? `License: ${identifier}`}\n`,
  );
  writeFileSync(join(folder, "LICENSES.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
  const { name, version } = JSON.parse(readFileSync(join(root, "server/package.json"), "utf8"));
  const materials = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name, version, purl: purlOf({ name, version }) } },
    components: sorted.map((library) => ({
      type: "library",
      name: library.name,
      version: library.version,
      purl: purlOf(library),
      licenses: [{ expression: library.identifier }],
    })),
  };
  writeFileSync(join(folder, "botyard.cdx.json"), `${JSON.stringify(materials, undefined, 2)}\n`);
}

/**
 * @param {string} folder of a package
 * @returns {Library}
 * @throws Error when it does not say how it is licensed
 */
export function libraryIn(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (!license) throw new Error(`${folder}/package.json names no license`);
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  return {
    name,
    version,
    identifier: license,
    ...(file && { text: readFileSync(join(folder, file), "utf8") }),
  };
}

/** @param {{ name: string, version: string }} library */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}
