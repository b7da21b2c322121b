import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "#botyard/config.js";
import { openStore } from "#botyard/open-store.js";
import { openDatabase } from "#botyard/store/sqlite/binding.js";
import { commandResult } from "../support/command.js";
import { onDatabase } from "../support/engines.js";
import { startServiceProcess } from "../support/program.js";
import { createEmptyHome, type EmptyHome, putFixture } from "../support/upgrade-fixtures.js";

/** The earliest schema that is upgraded. */
const EARLIEST = { sqlite: 17, postgres: 45 };

describe.each(["sqlite", "postgres"] as const)("botyard migrate on %s", (name) => {
  let home: EmptyHome;
  beforeEach(async () => {
    home = await createEmptyHome(name);
  });
  afterEach(() => home.remove());

  const migrate = async (...args: string[]) => {
    const { code, stdout, stderr } = await commandResult(["migrate", ...args], home.environment);
    return { code, stdout, stderr };
  };
  const change = async (sqlite: string, postgres: string): Promise<void> => {
    const { DATABASE_URL } = home.environment;
    if (DATABASE_URL) return await onDatabase(DATABASE_URL, postgres);
    const db = await openDatabase(join(home.dataDir, "botyard.db"), 0);
    db.exec(sqlite);
    db.close();
  };
  it("tells what an upgrade would do and changes nothing, then does it", async () => {
    await putFixture(home, "with-updates");
    for (const _ of ["once", "and again"]) {
      const check = await migrate("--check");
      expect(check).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`has schema ${EARLIEST[name]}; the next start of Botyard`),
      });
      expect(check.stdout).toMatch(
        /^step +what +rows\n\d+ +makes the tables of log entries and deliveries\n(?:.*\n)*?\d+ +moves all updates into [a-z ]+ tables +about 19\n/,
      );
    }
    const done = await migrate("--json");
    expect(done).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/had schema \d+ and has \d+ now\.\n$/),
    });
    const { schema, known_schema: known, up_to_date: isUpToDate, steps } = JSON.parse(done.stdout);
    expect({ schema, steps: steps.length, isUpToDate }).toEqual({
      schema: EARLIEST[name],
      steps: known - EARLIEST[name],
      isUpToDate: true,
    });
    expect(await migrate("--check")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(/^\(none\)\n/),
    });
  });

  it("refuses in one line what is of an earlier schema, and changes nothing", async () => {
    await putFixture(home, "with-updates");
    const earlier = EARLIEST[name] - 1;
    await change(
      `PRAGMA user_version = ${earlier}`,
      `DELETE FROM public.botyard_schema WHERE step > ${earlier}`,
    );
    const refusal = `the database has schema ${earlier}, from before the first release, and this version upgrades none before ${EARLIEST[name]}: go on with the version that made it, or start with a new database`;
    for (const args of [["--check"], []])
      expect(await migrate(...args)).toEqual({ code: 1, stdout: "", stderr: `botyard: ${refusal}\n` });
    const start = openStore(loadConfig(home.environment), pino({ level: "silent" }));
    await expect(start).rejects.toThrow(refusal);
    const doctor = await commandResult(["doctor"], home.environment);
    expect(doctor).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`the database has schema ${earlier},`),
    });
    await change(
      `PRAGMA user_version = ${EARLIEST[name]}`,
      `INSERT INTO public.botyard_schema VALUES (${EARLIEST[name]})`,
    );
    expect(await migrate()).toMatchObject({ code: 0 });
  });

  it("works beside a service, and says plainly that a database is of a newer Botyard", async () => {
    const service = await startServiceProcess(home.dataDir, home.environment);
    const beside = await migrate("--check", "--json");
    await service.stop();
    expect(beside).toMatchObject({ code: 0, stderr: expect.stringContaining("the newest that Botyard") });
    expect(JSON.parse(beside.stdout)).toMatchObject({ up_to_date: true, steps: [] });
    await change("PRAGMA user_version = 999", "INSERT INTO botyard_schema VALUES (999)");
    for (const args of [["--check"], []])
      expect(await migrate(...args)).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(
          /has schema 999, which is of a newer Botyard; .* knows up to \d+: use that version/,
        ),
      });
  });

  it("says where there is nothing to bring on", async () => {
    const check = await migrate("--check");
    if (name === "sqlite")
      expect(check).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no botyard.db in") });
    else expect(check).toMatchObject({ code: 1, stderr: expect.stringContaining("has no tables yet") });
  });
});
