import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const source = fileURLToPath(new URL("../../src", import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => ({ file: relative(".", file), text: readFileSync(join(source, file), "utf8") }));

describe("every source file", () => {
  it("leaves the environment to config.ts", () => {
    const readers = files.filter(({ text }) => /\bprocess\.env\b/.test(text)).map(({ file }) => file);
    expect(readers).toEqual(["config.ts"]);
  });

  it("has a name in kebab-case", () => {
    const others = files.filter(
      ({ file }) => !/^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(file),
    );
    expect(others.map(({ file }) => file)).toEqual([]);
  });

  it("has at most 300 lines", () => {
    const long = files.filter(({ text }) => text.split("\n").length > 301).map(({ file }) => file);
    expect(long).toEqual([]);
  });
});
