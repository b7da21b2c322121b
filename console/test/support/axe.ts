import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const require = createRequire(import.meta.url);
const source = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/**
 * The serious and critical faults that axe finds on a page, one line each.
 *
 * @param rules only these, by their ids
 */
export async function seriousFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Once for each page: compiling it takes 60 ms of processor time, half as long as the checks.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(source);
  const { violations } = await page.evaluate(
    (options) =>
      (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run(options),
    // Of what passes nothing is told: collecting it takes as long as the checks.
    { resultTypes: ["violations"], ...(rules && { runOnly: rules }) },
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary = "" }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    );
}
