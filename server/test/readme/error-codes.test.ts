import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ERROR_CODES } from "#botyard/domain/error-codes.js";
import { repository } from "../support/program.js";

it("docs/api.md lists every code of a refusal, with its status and meaning", () => {
  const page = readFileSync(join(repository, "docs/api.md"), "utf8");
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { status, means }]) => `| ${status} | \`${code}\` | ${means} |`,
  );
  const listed = page.split("\n").filter((line) => /^\| \d{3} \| `/.test(line));
  expect(listed).toEqual(rows);
});

it("no code is listed that no refusal has", () => {
  const sources = join(repository, "server/src");
  const text = readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith("error-codes.ts"))
    .map((file) => readFileSync(join(sources, file), "utf8"))
    .join("\n");
  // Those of what is named in `found`.
  const named = /^(?:bot|webhook|channel|update)_not_found$/;
  const unused = Object.keys(ERROR_CODES).filter((code) => !named.test(code) && !text.includes(`"${code}"`));
  expect(unused).toEqual([]);
});
