import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { DESCRIPTIONS } from "#botyard/store/postgres/schema/schema.js";
import { openSqliteStore } from "#botyard/store/sqlite/open.js";
import { commandResult } from "../../support/command.js";
import {
  createDatabaseAt,
  createPostgresDatabase,
  onDatabase,
  type TestDatabase,
  takeDividedDatabase,
} from "../../support/engines.js";
import { botyardResult } from "../../support/program.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const dataDir = temporaryFolder("cells-commands");
/** Where nothing listens. */
const NOWHERE = "postgres://postgres@127.0.0.1:1/nowhere";

let database: TestDatabase;
afterEach(() => database.drop());
const divide = async (cells?: readonly string[]) => {
  database = await takeDividedDatabase(cells);
};

const run = async (args: readonly string[], env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await commandResult(args, {
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    SECRET_KEY: randomBytes(32).toString("base64"),
    OWNER_JWT_SECRET: "x".repeat(32),
    ...env,
  });
  return { code, stdout, stderr };
};
const sql = (statement: string) => onDatabase(database.url, statement);
/** The cell c cannot be reached any more. */
const loseC = () => sql(`UPDATE directory_cells SET url = '${NOWHERE}' WHERE name = 'c'`);
const schemaOf = (stderr: string, cell: string) =>
  new RegExp(`^${cell}: .* has schema \\d+, the newest`, "m").test(stderr);

describe("botyard migrate with cells", () => {
  it("goes through all of them, and names each", async () => {
    await divide();
    const check = await run(["migrate", "--check"]);
    expect(check.code).toBe(0);
    for (const cell of ["first", "b", "c", "d"]) expect(schemaOf(check.stderr, cell)).toBe(true);
    const { code, stdout } = await run(["migrate", "--json"]);
    const { up_to_date: isUpToDate, known_schema: known, cells } = JSON.parse(stdout);
    expect([code, isUpToDate]).toEqual([0, true]);
    expect(cells.map(({ cell, schema }: { cell: string; schema: number }) => [cell, schema])).toEqual(
      ["first", "b", "c", "d"].map((cell) => [cell, known]),
    );
    expect(cells[1].database).toMatch(/^PostgreSQL, .*, schema b$/);
  });

  it("looks at a directory that is no cell by itself", async () => {
    await divide();
    await sql("DELETE FROM directory_cells WHERE name = 'first'; DELETE FROM cell");
    const { stdout } = await run(["migrate", "--json"]);
    expect(JSON.parse(stdout).cells.map(({ cell }: { cell: string | null }) => cell)).toEqual([
      null,
      "b",
      "c",
      "d",
    ]);
    expect((await run(["migrate"])).stderr).toMatch(/^directory: /m);
  });

  it("says a line for each cell, and nothing else when none waits", async () => {
    await divide(["first", "b", "c"]);
    const { stdout, stderr } = await run(["migrate"]);
    expect(stdout).toBe("");
    expect(stderr.trimEnd().split("\n")).toHaveLength(3);
  });

  it("tells which cells wait for a step", async () => {
    await divide(["first", "b", "c"]);
    await sql("DELETE FROM b.botyard_schema WHERE step = (SELECT max(step) FROM b.botyard_schema)");
    const check = await run(["migrate", "--check"]);
    expect(check.code).toBe(1);
    const [head, waiting, ...rest] = check.stdout.trimEnd().split("\n");
    expect([head, rest]).toEqual([expect.stringMatching(/^cell +step +what +rows$/), []]);
    expect(waiting).toMatch(/^b +\d+ +/);
    expect(waiting).toContain(DESCRIPTIONS.steps.at(-1)?.does);
    expect(check.stderr).toMatch(/^b: .* the next start of Botyard .* Nothing was changed\.$/m);
    const { stdout } = await run(["migrate", "--check", "--json"]);
    const { up_to_date: isUpToDate, cells } = JSON.parse(stdout);
    expect([isUpToDate, ...cells.map((cell: { up_to_date: boolean }) => cell.up_to_date)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it("goes on when a cell is of a newer Botyard, is another's or cannot be reached, and ends with an error", async () => {
    await divide();
    await sql("INSERT INTO b.botyard_schema VALUES (999)");
    await sql("UPDATE d.cell SET directory_id = gen_random_uuid()");
    const refused = await run(["migrate"]);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/not brought on: b, d; run it again/),
    });
    expect(refused.stderr).toMatch(/^b: .* schema 999, which is of a newer Botyard/m);
    expect(refused.stderr).toMatch(/^d: its schema is the cell d of another directory, or a copy of it$/m);
    expect(schemaOf(refused.stderr, "c")).toBe(true);
    await sql("DELETE FROM b.botyard_schema WHERE step = 999");
    await sql("UPDATE d.cell SET directory_id = (SELECT directory_id FROM directory)");
    await loseC();
    const away = await run(["migrate", "--check"]);
    expect(away).toMatchObject({ code: 3, stderr: expect.stringMatching(/not brought on: c; run it again/) });
    expect(away.stderr).toMatch(/^c: the database of the cell c cannot be used: connect ECONNREFUSED/m);
    expect(schemaOf(away.stderr, "d")).toBe(true);
  });

  it("refuses a database that is a cell without the directory", async () => {
    await divide(["first", "b"]);
    const { code, stderr } = await run(["migrate", "--check"], { DATABASE_SCHEMA: "b" });
    expect(code).toBe(1);
    expect(stderr).toContain(
      "is the cell b: DATABASE_URL has to name the database with the directory of the cells",
    );
  });
});

describe("a wrong setting with cells", () => {
  it("is refused at the start of a service, which names what there is", async () => {
    await divide(["first", "b"]);
    const { code, stdout, stderr } = await botyardResult(["serve"], {
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      PORT: "0",
      CELLS: "first,x",
    });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(
      "CELLS names x, and there are first, b: correct it, or unset it to serve all cells",
    );
  });

  it("is refused by the list of the cells, which are not those of a cell", async () => {
    await divide(["first", "b"]);
    const { code, stderr } = await run(["cells", "list"], { DATABASE_SCHEMA: "b" });
    expect([code, stderr]).toEqual([1, expect.stringContaining("is the cell b: DATABASE_URL has to name")]);
  });
});

describe("botyard doctor with cells", () => {
  interface Finding {
    check: string;
    result: string;
    says: string;
  }
  const findings = async (env: Record<string, string> = {}) => {
    const { code, stdout } = await run(["doctor", "--json"], {
      MAX_CONNECTIONS: "50",
      WEBHOOK_CONCURRENCY: "10",
      ...env,
    });
    const { findings: all } = JSON.parse(stdout) as { findings: Finding[] };
    return {
      code,
      all,
      bad: all.filter(({ result }) => result !== "ok").map(({ check, says }) => `${check} ${says}`),
    };
  };

  it("looks at each cell", async () => {
    await divide(["first", "b"]);
    const { code, all, bad } = await findings();
    expect([code, bad]).toEqual([0, []]);
    const ofB = all.filter(({ says }) => says.startsWith("b: ")).map(({ check }) => check);
    expect(ofB).toEqual(
      expect.arrayContaining([
        "cell",
        "database",
        "schema",
        "collation",
        "connections",
        "deliveries",
        "webhook secrets",
      ]),
    );
    expect(all.map(({ check, says }) => `${check} ${says}`)).toContain("cell 2 in the directory");
  });

  it("says which cell cannot be reached, is another's, or is not there", async () => {
    await divide();
    await loseC();
    await sql("UPDATE b.cell SET number = 7");
    const { code, bad } = await findings({ CELLS: "first,x" });
    expect(code).toBe(1);
    expect(bad).toEqual([
      "cell CELLS names x, and there are first, b, c, d",
      "cell b: its schema is the cell b of another directory, or a copy of it",
      expect.stringMatching(/^cell c: the database of the cell c cannot be used: connect ECONNREFUSED/),
    ]);
  });

  it("says which database compares texts by a language", async () => {
    database = await createPostgresDatabase();
    const server = database.url.slice(0, database.url.lastIndexOf("/"));
    await onDatabase(
      `${server}/postgres`,
      "CREATE DATABASE by_language LOCALE_PROVIDER icu ICU_LOCALE 'en' TEMPLATE template0",
    );
    try {
      const url = `${server}/by_language`;
      const says =
        "the database has the collation en, so the platform's lists of owners may leave some out; make a database with the collation C or C.UTF-8, and add that";
      for (const first of [
        ["a", "--url", url],
        ["b", "--schema", "b"],
      ])
        expect(await run(["cells", "add", ...first], { DATABASE_URL: url })).toMatchObject({
          code: 1,
          stderr: expect.stringContaining(says),
        });
      // The first one may be in use.
      expect(await run(["cells", "add", "first"], { DATABASE_URL: url })).toMatchObject({ code: 0 });
      const b = ["cells", "add", "b", "--url", database.url];
      expect(await run(b, { DATABASE_URL: url })).toMatchObject({ code: 0 });
      const c = ["cells", "add", "c", "--schema", "c"];
      expect(await run(c, { DATABASE_URL: url })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(says),
      });
      const { code, bad } = await findings({ DATABASE_URL: url });
      expect([code, bad]).toEqual([
        1,
        [
          "collation first: the database has the collation en, so the platform's lists of owners may leave some out",
        ],
      ]);
    } finally {
      await onDatabase(`${server}/postgres`, "DROP DATABASE by_language WITH (FORCE)");
    }
  });
});

describe("commands on all of a store with cells", () => {
  it("do nothing while a cell cannot be used", async () => {
    await divide();
    await loseC();
    for (const args of [["rekey"], ["deliveries", "off"], ["after-restore"]])
      expect(await run(args)).toMatchObject({
        code: 3,
        stdout: "",
        stderr: expect.stringMatching(
          /^botyard: nothing was done, because not all cells can be used now: c;/,
        ),
      });
    const { stdout } = await run(["doctor", "--json"]);
    expect(stdout).not.toContain("deliveries were switched off");
  });

  it("work on all cells, also where an instance would serve some", async () => {
    await divide(["first", "b"]);
    expect(await run(["deliveries", "off"], { CELLS: "first" })).toMatchObject({ code: 0 });
    const { stdout } = await run(["doctor", "--json"]);
    const off = (JSON.parse(stdout).findings as { says: string }[]).filter(({ says }) =>
      says.includes("switched off"),
    );
    expect(off).toHaveLength(2);
  });

  it("backup names each database once, without passwords", async () => {
    await divide(["first", "b"]);
    const server = database.url.slice(0, database.url.lastIndexOf("/"));
    const other = await createDatabaseAt(server);
    try {
      await run(["cells", "add", "c", "--url", other.url]);
      const { code, stderr } = await run(["backup", "--to", "yard.dump"]);
      expect(code).toBe(2);
      expect(stderr.match(/pg_dump/g)).toHaveLength(2);
      expect(stderr).toContain("--file='yard.dump.c'");
      expect(stderr).not.toContain("postgres:postgres");
    } finally {
      await other.drop();
    }
  });

  it("copy refuses a directory and a cell", async () => {
    await divide(["first", "b"]);
    await (await openSqliteStore({ dataDir })).close();
    const refusal = /that database is divided into cells, or is one of them/;
    for (const args of [
      ["--from", database.url, "--to", `sqlite:${dataDir}/copy`],
      ["--from", database.url, "--from-schema", "b", "--to", `sqlite:${dataDir}/copy`],
      ["--from", `sqlite:${dataDir}`, "--to", database.url],
    ])
      expect(await run(["copy", ...args])).toMatchObject({ code: 1, stderr: expect.stringMatching(refusal) });
  });
});
