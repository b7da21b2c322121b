import { join } from "node:path";
import { expect, it } from "vitest";
import { repository, run } from "../support/program.js";

it("openapi.json makes clients in TypeScript, Python and Go that compile and can call a service", async () => {
  const script = join(repository, "scripts/generated-clients.mjs");
  const check = run(process.execPath, [script, "--installed"]);
  expect({ code: await check.exit, stderr: check.stderr() }).toEqual({ code: 0, stderr: "" });
  const [openapiFetch, heyApi, ...others] = check.stdout().trim().split("\n");
  expect([openapiFetch, heyApi]).toEqual([
    "TypeScript, openapi-fetch: 10 calls",
    "TypeScript, hey-api: 10 calls",
  ]);
  // Where their generators are not installed, they are checked by `npm run generated-clients` alone.
  const skipped = others.filter((line) => line.includes("skipped"));
  if (skipped.length > 0) console.log(skipped.join("\n"));
  for (const line of others) expect(line).toMatch(/^(?:Python|Go)(?:, [\w-]+: 10 calls|: skipped, .+)$/);
  expect(others).toHaveLength(2);
});
