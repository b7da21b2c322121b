import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository, run } from "../support/program.js";

interface LockedPackage {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  integrity?: string;
  /** A workspace of this repository, linked. */
  link?: boolean;
}

const read = (file: string): string => readFileSync(join(repository, file), "utf8");
const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, LockedPackage> };
const listed = [...read("docs/security.md").matchAll(/^\| ([@a-z][\w@/.-]*) \| (.+) \|$/gm)];

/** The places of all packages that the server needs in production, found as Node finds them. */
function productionTree(): string[] {
  const found = new Set<string>();
  const visit = (place: string): void => {
    const { dependencies, optionalDependencies } = packages[place] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = locate(place, name);
      if (!next || found.has(next)) continue;
      found.add(next);
      visit(next);
    }
  };
  visit("server");
  return [...found];
}

function locate(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))) {
    const place = `${folder}${folder ? "/" : ""}node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === "") return undefined;
  }
}

const nameOf = (place: string): string =>
  place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);

it("the list of what is installed in production is that of the lock file", () => {
  const tree = new Set(productionTree().map(nameOf));
  expect(tree.size).toBeGreaterThan(50);
  expect(listed.map(([, name]) => name)).toEqual([...tree].toSorted());
});

it("the direct ones are marked, and are those of package.json", () => {
  const { dependencies } = JSON.parse(read("server/package.json")) as {
    dependencies: Record<string, string>;
  };
  const direct = listed.filter(([, , reason]) => reason?.startsWith("**direct:**")).map(([, name]) => name);
  expect(direct).toEqual(Object.keys(dependencies).toSorted());
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
});

it("the bill of materials has all of it", async () => {
  const { exit, stdout } = run("npm", ["sbom", "--sbom-format=cyclonedx"]);
  expect(await exit).toBe(0);
  const { components } = JSON.parse(stdout()) as { components: { "bom-ref": string }[] };
  const named = new Set(components.map((component) => component["bom-ref"].replace(/@[^@]*$/, "")));
  expect(listed.map(([, name]) => name).filter((name) => !named.has(name ?? ""))).toEqual([]);
});

it("each that is downloaded has a checksum in the lock file", () => {
  const downloaded = productionTree().filter((place) => !packages[place]?.link);
  for (const place of downloaded) expect(packages[place]?.integrity, place).toMatch(/^sha512-/);
});
