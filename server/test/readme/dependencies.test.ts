import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository } from "../support/program.js";

const read = (file: string): string => readFileSync(join(repository, file), "utf8");
const lock = JSON.parse(read("package-lock.json")) as {
  packages: Record<string, { version: string; integrity?: string; link?: boolean }>;
};
const manifest = JSON.parse(read("server/package.json")) as { devDependencies: Record<string, string> };
const listed = [...read("docs/security.md").matchAll(/^\| ([@a-z][\w@/.-]*) \| (.+) \|$/gm)];

/** The reference page, copied as a file, and everything that went into the bundle, by its path in the lock file. */
const bundled = [
  "node_modules/@scalar/fastify-api-reference",
  ...(JSON.parse(read("server/dist/libraries.json")) as string[]).map((folder) =>
    folder.slice(folder.indexOf("node_modules/")),
  ),
];
const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
const names = [...new Set(bundled.map(nameOf))].toSorted();

it("the list of what the server is made of is that of its bundle", () => {
  expect(names.length).toBeGreaterThan(50);
  expect(listed.map(([, name]) => name)).toEqual(names);
});

it("the direct ones are marked, and pinned exactly", () => {
  const direct = listed.filter(([, , reason]) => reason?.startsWith("**direct:**")).map(([, name]) => name);
  expect(direct).toEqual(names.filter((name) => manifest.devDependencies[name]));
  for (const version of Object.values(manifest.devDependencies))
    expect(version).toMatch(/^(npm:[@\w/-]+@)?\d+\.\d+\.\d+$/);
});

it("the bill of materials has all of it, and the console's", () => {
  const { components } = JSON.parse(read("server/libraries/botyard.cdx.json")) as {
    components: { purl: string }[];
  };
  const urls = new Set(components.map(({ purl }) => purl));
  const urlOf = (path: string) =>
    `pkg:npm/${nameOf(path).replace("@", "%40")}@${lock.packages[path]?.version}`;
  expect([...bundled, "node_modules/react"].map(urlOf).filter((url) => !urls.has(url))).toEqual([]);
});

it("each has a checksum in the lock file", () => {
  for (const path of bundled) expect(lock.packages[path]?.integrity, path).toMatch(/^sha512-/);
});
