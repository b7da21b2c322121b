import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The imports that the architecture allows, as a tree of otherwise empty files. */
const allowed: Record<string, string[]> = {
  "domain/rule.ts": [],
  "store/store.ts": ["domain/rule.ts"],
  "store/sqlite/open.ts": [
    "store/store.ts",
    "domain/rule.ts",
    "store/sqlite/rows.ts",
    "store/shared/page.ts",
  ],
  "store/shared/page.ts": ["store/store.ts", "domain/rule.ts"],
  "store/sqlite/rows.ts": ["domain/rule.ts"],
  "store/postgres/open.ts": ["store/store.ts"],
  "store/cells/feed.ts": ["store/store.ts", "domain/rule.ts"],
  "store/copy/copy.ts": [
    "store/sqlite/rows.ts",
    "store/postgres/open.ts",
    "store/store.ts",
    "domain/rule.ts",
  ],
  "operations/write.ts": ["store/store.ts", "domain/rule.ts"],
  "polling/wait.ts": ["store/store.ts"],
  "delivery/send.ts": ["store/store.ts"],
  "http/route.ts": ["operations/write.ts", "polling/wait.ts", "store/store.ts"],
  "delivery/tally.ts": [],
  "store/observer.ts": [],
  "metrics/watch.ts": ["delivery/tally.ts", "store/observer.ts", "store/store.ts", "domain/rule.ts"],
  "config.ts": ["domain/rule.ts"],
  "open-store.ts": ["store/sqlite/open.ts", "store/postgres/open.ts", "config.ts"],
  "service.ts": ["http/route.ts", "metrics/watch.ts", "delivery/send.ts", "open-store.ts", "config.ts"],
  "cli/main.ts": ["config.ts", "domain/rule.ts", "cli/commands/service/serve.ts"],
  "cli/commands/service/serve.ts": ["service.ts"],
  "cli/commands/stores/copy.ts": ["store/copy/copy.ts", "cli/stores/copy-keys.ts", "config.ts"],
  "cli/stores/copy-keys.ts": ["store/copy/copy.ts", "process/data-dir.ts"],
  "files/durable.ts": [],
  "store/backup/make.ts": ["files/durable.ts", "store/sqlite/rows.ts"],
  "process/data-dir.ts": ["config.ts", "domain/rule.ts", "files/durable.ts"],
  "sdk/src/index.ts": ["sdk/src/bot/bot.ts"],
  "sdk/src/bot/bot.ts": [],
  "sdk/src/node.ts": ["sdk/src/node/file.ts"],
  "sdk/src/node/file.ts": ["sdk/src/bot/bot.ts"],
  "sdk/src/testing.ts": ["sdk/src/bot/bot.ts"],
  "console/src/router.ts": ["console/src/pages/bots.ts"],
  "console/src/pages/bots.ts": ["console/src/ui/page.ts", "console/src/api/client.ts"],
  "console/src/ui/page.ts": [],
  "console/src/api/client.ts": [],
};

/** Forbidden imports: the rule that must report them, the file at fault, the import. */
const forbidden = [
  ["domain-imports", "domain/reads-store.ts", "store/store.ts"],
  ["domain-without-io", "domain/reads-files.ts", "node:fs"],
  ["seam-imports", "store/store.ts", "operations/write.ts"],
  ["engine-imports", "store/sqlite/reads-other-engine.ts", "store/postgres/open.ts"],
  ["engine-imports", "store/sqlite/writes.ts", "operations/write.ts"],
  ["shared-imports", "store/shared/opens.ts", "store/sqlite/open.ts"],
  ["cells-imports", "store/cells/opens.ts", "store/sqlite/open.ts"],
  ["worker-imports", "operations/sends.ts", "delivery/send.ts"],
  ["worker-imports", "operations/waits.ts", "polling/wait.ts"],
  ["worker-imports", "polling/answers.ts", "http/route.ts"],
  ["worker-imports", "delivery/writes.ts", "operations/write.ts"],
  ["worker-imports", "delivery/opens.ts", "store/sqlite/open.ts"],
  ["http-imports", "http/sends.ts", "delivery/send.ts"],
  ["http-imports", "http/opens.ts", "store/sqlite/open.ts"],
  ["metrics-imports", "metrics/sends.ts", "delivery/send.ts"],
  ["metrics-imports", "metrics/opens.ts", "store/sqlite/open.ts"],
  ["worker-imports", "delivery/shows.ts", "metrics/watch.ts"],
  ["http-imports", "http/shows.ts", "metrics/watch.ts"],
  ["engine-imports", "store/sqlite/shows.ts", "metrics/watch.ts"],
  ["copy-imports", "store/copy/writes.ts", "operations/write.ts"],
  ["copy-behind-its-command", "service.ts", "store/copy/copy.ts"],
  ["copy-command-imports", "cli/stores/copy-serves.ts", "service.ts"],
  ["engines-behind-the-seam", "cli/stores/copy-opens.ts", "store/sqlite/open.ts"],
  ["engine-imports", "store/sqlite/copies.ts", "store/copy/copy.ts"],
  ["cli-imports", "cli/reads.ts", "store/store.ts"],
  ["cli-imports", "cli/commands/post.ts", "service.ts"],
  ["config-imports", "config/reads.ts", "store/store.ts"],
  ["config-imports", "config/trusts.ts", "http/route.ts"],
  ["process-imports", "process/reads.ts", "store/store.ts"],
  ["engines-behind-the-seam", "main.ts", "store/sqlite/open.ts"],
  ["sdk-stands-alone", "sdk/src/bot/peeks.ts", "domain/rule.ts"],
  ["sdk-main-without-the-rest", "sdk/src/bot/files.ts", "sdk/src/node/file.ts"],
  ["console-is-a-client", "console/src/pages/peeks.ts", "domain/rule.ts"],
  ["console-parts", "console/src/ui/knows.ts", "console/src/pages/bots.ts"],
  ["no-cycle", "sdk/src/bot/bot.ts", "sdk/src/index.ts"],
  ["no-cycle", "domain/egg.ts", "domain/hen.ts"],
  ["resolvable", "domain/lost.ts", "./gone.js"],
] as const;

/** `npm test` checks the source with the import rules; this checks that the rules report violations. */
describe("the import rules", () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "botyard-imports-"));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it("accept the documented imports", async () => {
    build(allowed);
    expect(await violations()).toEqual([]);
  });

  describe("for code that violates them", () => {
    let found: Violation[];

    beforeAll(async () => {
      const broken = structuredClone(allowed);
      broken["domain/hen.ts"] = ["domain/egg.ts"];
      for (const [, from, to] of forbidden) broken[from] = [...(broken[from] ?? []), to];
      build(broken);
      found = await violations();
    });

    it.each(forbidden)("report %s: %s imports %s", (rule, from, to) => {
      expect(found).toContainEqual({ rule, from, to });
    });
  });

  /** The imports are type imports: they compile to nothing, but must count. */
  function build(files: Record<string, readonly string[]>): void {
    for (const [file, targets] of Object.entries(files)) {
      const path = join(folder, pathOf(file));
      mkdirSync(dirname(path), { recursive: true });
      const lines = targets.map((to) => `import type * as all from "${specifier(file, to)}";`);
      writeFileSync(path, [...lines, "export {};", ""].join("\n"));
    }
  }

  function specifier(from: string, to: string): string {
    if (!to.endsWith(".ts")) return to;
    const up = "../".repeat(pathOf(from).split("/").length - 1);
    return `${up}${pathOf(to).replace(/\.ts$/, ".js")}`;
  }

  /** Paths without a workspace are the server's. */
  function pathOf(file: string): string {
    return /^(sdk|console)\//.test(file) ? file : `server/src/${file}`;
  }

  async function violations(): Promise<Violation[]> {
    const command = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
    const args = [
      "--config",
      join(root, ".dependency-cruiser.mjs"),
      "--output-type",
      "json",
      "server/src",
      "sdk/src",
      "console/src",
    ];
    const report = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, [command, ...args], { cwd: folder }, (error, stdout, stderr) => {
        // It exits with the number of violations, so an exit code alone is no failure of the tool.
        if (stdout === "") reject(new Error(stderr, { cause: error }));
        else resolve(stdout);
      });
    });
    const { summary } = JSON.parse(report) as { summary: { violations: Reported[] } };
    return summary.violations.map(({ rule, from, to }) => ({
      rule: rule.name,
      from: short(from),
      to: short(to),
    }));
  }

  function short(path: string): string {
    return path.replace(/^server\/src\//, "").replace(/^fs$/, "node:fs");
  }
});

interface Violation {
  rule: string;
  from: string;
  to: string;
}

interface Reported {
  rule: { name: string };
  from: string;
  to: string;
}
