import type { Command } from "commander";
import type { CellsAdmin } from "../../../administer-cells.js";
import { loadConfig } from "../../../config.js";
import { parseDatabaseUrl } from "../../../domain/database-url.js";
import { StoreUnavailable } from "../../../store/store.js";
import { NotReachable } from "../../errors.js";
import { type ConfirmOptions, confirm, confirmedCommand } from "../../input/confirm.js";
import { printResult, say } from "../../output/print.js";
import { sayEverySecond } from "../../output/progress.js";
import { sayMigration } from "../../stores/own-store.js";

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
/** Owners whose names are read at once while a cell is drained. */
const OWNERS_PER_READ = 100;

interface JsonOption {
  json?: boolean;
}

/** `botyard cells`: more than one PostgreSQL. */
export function addCells(program: Command): void {
  const cells = program
    .command("cells")
    .description("divide the owners among several PostgreSQL schemas or servers (cells)")
    .addHelpText(
      "after",
      `
DATABASE_URL names the directory, which knows in which cell each owner lives. These commands run beside the services, which
notice a new cell within seconds. See https://github.com/botyard/botyard/blob/main/docs/cells.md

Examples:
  botyard cells add first                    # the database of DATABASE_URL, with all that is in it
  botyard cells add b --url postgres://botyard@db2/botyard
  botyard cells list
  botyard cells move --owner alice --to b`,
    );

  cells
    .command("list", { isDefault: true })
    .description("show the cells and how many owners live in each")
    .option("--json", "print them as JSON")
    .addHelpText("after", examples("botyard cells list", "botyard cells list --json"))
    .action(list);
  cells
    .command("add <name>")
    .description(
      "make a cell: an empty schema, or, as the first one, the database of DATABASE_URL with what is in it",
    )
    .option("--url <url>", "the PostgreSQL database; that of DATABASE_URL when left out")
    .option("--schema <schema>", "the schema, which is made if it does not exist")
    .option("--json", "print the cell as JSON")
    .addHelpText(
      "after",
      `
The URL is kept in the directory. Leave the password out of it where the services find it elsewhere: in PGPASSWORD or a
password file (PGPASSFILE).

After the first cell was made, restart all services, one after the other: they go on all the while, and others can be
added once none is left that was started before.

Examples:
  botyard cells add first
  botyard cells add b --url postgres://botyard@db2/botyard --schema botyard`,
    )
    .action(add);
  cells
    .command("drain <name>")
    .description("give a cell no new owners, and move those it has to the others")
    .option("--keep", "only give it no new ones")
    .option("--undo", "give it new owners again")
    .option("--json", "print what was moved as JSON")
    .addHelpText("after", examples("botyard cells drain b", "botyard cells drain b --keep"))
    .action(drain);
  cells
    .command("move")
    .description(
      "move an owner to another cell, while they go on; their writes wait for less than 2 s at the end",
    )
    .requiredOption("--owner <id>", "the owner's user id")
    .requiredOption("--to <name>", "the cell")
    .option("--json", "print what was moved as JSON")
    .addHelpText(
      "after",
      `
It can be interrupted at any time and run again: the owner is in one cell or the other, never in both.

Examples:
  botyard cells move --owner alice --to b`,
    )
    .action(move);
  cells
    .command("check")
    .description(
      "compare the directory with the cells and mend it: after a crash, or after it was restored from a backup",
    )
    .option("--json", "print what was found as JSON")
    .addHelpText("after", examples("botyard cells check"))
    .action(check);
  confirmedCommand(cells.command("remove <name>"))
    .description("take a cell without owners out of the directory; its schema stays")
    .option("--force", "also when consumers of the platform's feed have not read everything in it")
    .addHelpText("after", examples("botyard cells remove b"))
    .action(remove);
}

function examples(...commands: string[]): string {
  return ["\nExamples:", ...commands.map((command) => `  ${command}`)].join("\n");
}

async function list({ json }: JsonOption): Promise<void> {
  const rows = await withAdmin((admin) => admin.list());
  printResult(
    {
      cells: rows.map(({ url, isDraining, schema, ...row }) => ({
        ...row,
        database: databaseOf(url),
        schema: schema ?? null,
        draining: isDraining,
      })),
    },
    json,
    rows.map(({ name, number, url, schema, owners, isDraining }) => ({
      name,
      number: String(number),
      database: databaseOf(url),
      schema: schema ?? "",
      owners: String(owners),
      draining: isDraining ? "yes" : "",
    })),
  );
  if (rows.length === 0)
    say("There are no cells. botyard cells add NAME makes the database of DATABASE_URL the first one.");
}

interface AddOptions extends JsonOption {
  url?: string;
  schema?: string;
}

async function add(name: string, { url, schema, json }: AddOptions): Promise<void> {
  if (!NAME.test(name))
    throw new Error(`${name} is no name of a cell: 1 to 32 of a-z, 0-9 and -, beginning with a letter`);
  if (url !== undefined && !parseDatabaseUrl(url))
    throw new Error("--url is no URL such as postgres://user:password@host:5432/name");
  const number = await withAdmin((admin) => admin.add(name, url, schema, sayMigration));
  printResult({ name, number }, json, [{ name, number: String(number) }]);
  say(
    number === 0
      ? "Restart all services now, one after the other; they go on all the while. Then add further cells."
      : "The services open it within seconds, and new owners may live there.",
  );
}

interface DrainOptions extends JsonOption {
  keep?: boolean;
  undo?: boolean;
}

async function drain(name: string, { keep, undo, json }: DrainOptions): Promise<void> {
  const moved: { owner: string; to: string }[] = [];
  const refused = new Set<string>();
  const { isMoveRefused } = await import("../../../administer-cells.js");
  await withAdmin(async (admin) => {
    await admin.setDraining(name, !undo);
    if (keep || undo) return;
    for (;;) {
      const owners = await admin.ownersOf(name, OWNERS_PER_READ + refused.size);
      const left = owners.filter((owner) => !refused.has(owner));
      if (left.length === 0) return;
      for (const owner of left) {
        try {
          const to = await admin.moveAway(owner, name, progressOf(owner));
          moved.push({ owner, to });
          say(`${owner} lives in ${to} now`);
        } catch (error) {
          if (!isMoveRefused(error)) throw error;
          refused.add(owner);
          say(`${owner} stays: ${error.message}`);
        }
      }
    }
  });
  const answer = { cell: name, draining: !undo, moved, refused: [...refused] };
  if (json || !(keep || undo)) printResult(answer, json, moved);
  if (undo) say(`${name} gets new owners again.`);
  else if (keep) say(`${name} gets no new owners.`);
  else if (refused.size > 0)
    throw new Error(
      `${refused.size} ${refused.size === 1 ? "owner" : "owners"} could not be moved, for the reasons above: run it again when they are gone`,
    );
  else say(`Nobody lives in ${name} any more: botyard cells remove ${name} takes it out of the directory.`);
}

interface MoveOptions extends JsonOption {
  owner: string;
  to: string;
}

async function move({ owner, to, json }: MoveOptions): Promise<void> {
  const { rows, pausedMs } = await withAdmin((admin) => admin.move(owner, to, progressOf(owner)));
  printResult({ owner, cell: to, rows, paused_ms: Math.round(pausedMs) }, json, [
    { owner, cell: to, rows: String(rows), paused: `${Math.round(pausedMs)} ms` },
  ]);
}

/** Says how far the move of an owner is. */
function progressOf(owner: string): Parameters<CellsAdmin["move"]>[2] {
  let sum = 0;
  const sayProgress = sayEverySecond(({ phase, table }: { phase: string; table: string }) =>
    phase === "erase"
      ? `waits until what ${owner} has left in ${table} is erased`
      : `${phase} ${table}: ${sum.toLocaleString("en-US")} rows`,
  );
  return (progress) => {
    sum += progress.rows;
    sayProgress(progress);
  };
}

async function check({ json }: JsonOption): Promise<void> {
  const sayProgress = sayEverySecond(
    ({ cell, owners, bots }: { cell: string; owners: number; bots: number }) =>
      `${cell}: ${owners.toLocaleString("en-US")} owners, ${bots.toLocaleString("en-US")} bots`,
  );
  const results = await withAdmin((admin) => admin.check((cell, found) => sayProgress({ cell, ...found })));
  const rows = [...results].map(([cell, { owners, bots, mended, problems }]) => ({
    cell,
    owners,
    bots,
    mended,
    problems,
  }));
  printResult(
    { cells: rows },
    json,
    rows.map(({ cell, owners, bots, mended, problems }) => ({
      cell,
      owners: String(owners),
      bots: String(bots),
      mended: String(mended),
      problems: String(problems.length),
    })),
  );
  const problems = rows.flatMap((row) => row.problems);
  for (const problem of problems) say(problem);
  if (problems.length > 0) throw new Error(`${problems.length} problems are left`);
  say("The directory is as the cells are.");
}

async function remove(name: string, options: ConfirmOptions & { force?: boolean }): Promise<void> {
  await confirm(`take the cell ${name} out of the directory`, options);
  await withAdmin((admin) => admin.remove(name, options.force));
  say(`${name} is no cell of this directory any more. Its schema is as it was.`);
}

async function withAdmin<Result>(work: (admin: CellsAdmin) => Promise<Result>): Promise<Result> {
  const { database } = loadConfig();
  if (!database)
    throw new Error("cells are schemas of PostgreSQL: set DATABASE_URL to the database with their directory");
  // Loaded here, because the other commands don't need the driver and start faster without it.
  const { administerCells } = await import("../../../administer-cells.js");
  try {
    const admin = await administerCells(database, sayMigration);
    try {
      return await work(admin);
    } finally {
      await admin.close();
    }
  } catch (error) {
    if (error instanceof StoreUnavailable) throw new NotReachable(error.message, { cause: error });
    throw error;
  }
}

function databaseOf(url: string): string {
  return parseDatabaseUrl(url)?.name ?? "";
}
