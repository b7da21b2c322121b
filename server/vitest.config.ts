import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { installedPostgres } from "./test/support/installed-postgres.js";
import { memoryFolder } from "./test/support/memory-folder.js";
import { QUICK_TO_BEGIN } from "./test/support/quick-to-begin.js";
import { workerCount } from "./test/support/workers.js";

// `os.tmpdir()`, here and in the processes that run the tests.
const folder = memoryFolder();
if (folder) process.env["TMPDIR"] ??= folder;

type ProjectConfig = NonNullable<TestProjectInlineConfiguration["test"]>;

/** Whatever stands on a store runs once for each engine, except what never asks it for anything, or for nothing that differs. */
const ON_EVERY_ENGINE = "test/{store,http,delivery,polling,crash,service,soak,upgrades}/**/*.test.ts";
const ON_NO_ENGINE = [
  "test/http/{abuse,bad-bodies,bad-fields,bad-queries,batch-memory,connections,credentials,due-answers,error-codes,forged-tokens,head-requests,hostile-connections,metrics,minute-limit,owner-key-sets,owner-tokens,platform,post-length,rate-limit,request-costs,request-gate,request-log,request-turns,service-pages,static-pages,trusted-proxies,update-streams,verified-tokens,webhook-tests,webhook-urls}.test.ts",
  "test/delivery/{address-guard,answer-limit,batch-loop,connections,egress,lane-ledger,lane-shares,lane-state,lane-state-properties,lane-targets,lane-timeline,misbehaving-receivers,ordered-ledger,retry-after,send-attempt,signature,slots,standard-webhooks,tls,unreadable-log}.test.ts",
  "test/http/console.test.ts",
  "test/service/{hostile-receivers,idle-connections,start,welcome}.test.ts",
];
const SQLITE_ONLY = [
  "test/store/sqlite-*.test.ts",
  "test/service/{broken-files,full-disk,lost-storage,scheduled-backups}.test.ts",
  "test/crash/sqlite-*.test.ts",
];
/**
 * Of one database: what is in one step, what is counted in it, and what is done when it is opened. Each cell does so. Metrics have the cell's name,
 * and of a cell that cannot be written to nothing is read: see `test/postgres/cells`.
 */
const OF_ONE_CELL = [
  "test/delivery/store-outage.test.ts",
  "test/service/{deliveries-off,metrics}.test.ts",
  "test/store/{erasure-turns,kept-bytes,lane-survey,listeners}.test.ts",
];
/** What asks the server for more than statements on our tables. */
const ON_OLDER_SERVERS = ["test/postgres/{attach-races,database-defaults,migrations}.test.ts"];
const POSTGRES_ONLY = ["test/store/postgres-*.test.ts", "test/postgres/**"];

const MAX_WORKERS = workerCount();

/**
 * Files that take longer than their size tells. What is begun last is waited for with three workers idle: without this
 * the longest of all, `update-life`, is begun last.
 */
const LONG =
  /\/(generated-clients|idle-connections|isolation|kill-under-load|large|metrics|scheduled-backups|skewed-clocks|update-life|upkeep)\.test\.ts$/;

/** Runs the long files of each project before its other files, which stay sorted by size. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projectNames = [...new Set(sorted.map(({ project }) => project.name))];
    return projectNames.flatMap((name) => {
      const own = sorted.filter(({ project }) => project.name === name);
      return [
        ...own.filter(({ moduleId }) => LONG.test(moduleId)),
        ...own.filter(({ moduleId }) => !LONG.test(moduleId)),
      ];
    });
  }
}

const bounds: ProjectConfig = {
  maxWorkers: MAX_WORKERS,
  // Processes rather than threads: tests send signals and start workers of their own.
  pool: "forks",
  // A process runs one test file after another: loading everything anew for each of 280 took four minutes in all.
  isolate: false,
  execArgv: QUICK_TO_BEGIN,
  // What was built is loaded as it is. By default vitest would transform each of its files, once for every project.
  server: { deps: { external: [/\/(server|sdk)\/dist\//] } },
  // Bounds on hanging, not measurements: machines that run tests are often busy.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000, interval: 100 } },
};

const projects: TestProjectInlineConfiguration[] = [
  {
    root: fileURLToPath(new URL("../sdk", import.meta.url)),
    test: { ...bounds, name: "sdk", include: ["test/**/*.test.ts"] },
  },
  {
    root: fileURLToPath(new URL("../console", import.meta.url)),
    test: {
      ...bounds,
      name: "console",
      include: ["test/**/*.test.ts"],
      globalSetup: [fileURLToPath(new URL("../console/test/support/chromium.ts", import.meta.url))],
    },
  },
  {
    test: {
      ...bounds,
      name: "sqlite",
      include: ["test/**/*.test.ts"],
      exclude: POSTGRES_ONLY,
      provide: { engine: "sqlite" },
    },
  },
  {
    test: {
      ...bounds,
      name: "postgres",
      include: [ON_EVERY_ENGINE, "test/postgres/**/*.test.ts"],
      exclude: [...ON_NO_ENGINE, ...SQLITE_ONLY],
      provide: { engine: "postgres" },
    },
  },
];

// A second PostgreSQL, commonly an older one: the contract of the store is held against it too, when asked for.
if (installedPostgres()) {
  projects.push({
    test: {
      ...bounds,
      name: "installed-postgres",
      include: ["test/store/**/*.test.ts", ...ON_OLDER_SERVERS],
      // EXPLAIN (GENERIC_PLAN) came with PostgreSQL 16.
      exclude: [...SQLITE_ONLY, "test/store/postgres-plans.test.ts"],
      provide: { engine: "installed-postgres" },
    },
  });
}

// The whole contract over four cells in one database, when asked for: it takes minutes more.
if (process.env["BOTYARD_TEST_CELLS"] === "true") {
  projects.push({
    test: {
      ...bounds,
      name: "cells",
      include: [ON_EVERY_ENGINE, "test/cells/**/*.test.ts"],
      exclude: [
        ...ON_NO_ENGINE,
        ...SQLITE_ONLY,
        ...OF_ONE_CELL,
        "test/store/postgres-*.test.ts",
        "test/upgrades/**",
      ],
      provide: { engine: "cells" },
    },
  });
}

export default defineConfig({
  test: {
    globalSetup: ["test/support/postgres-servers.ts"],
    maxWorkers: MAX_WORKERS,
    sequence: { sequencer: LongFirst },
    projects,
  },
});
