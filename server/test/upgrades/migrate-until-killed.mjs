// Migrates a database in a process of its own that kills itself, as the system would kill it, at a commit of moved updates.
// Arguments: the engine, its folder or URL, which commit, "before" or "after" it.
import { join } from "node:path";
import pg from "pg";
import { migrate as migratePostgres } from "#botyard/store/postgres/schema/migrate.js";
import { openDatabase } from "#botyard/store/sqlite/binding.js";
import { migrate as migrateSqlite } from "#botyard/store/sqlite/schema/schema.js";

const [engine, place, which, when] = process.argv.slice(2);
let commits = 0;
const dieAt = (sql, moment) => {
  if (sql !== "COMMIT") return;
  if (moment === "before") commits += 1;
  if (commits === Number(which) && moment === when) process.kill(process.pid, "SIGKILL");
};

if (engine === "sqlite") {
  const db = await openDatabase(join(place, "botyard.db"), 1_000);
  migrateSqlite({
    prepare: (sql) => db.prepare(sql),
    exec(sql) {
      dieAt(sql, "before");
      db.exec(sql);
      dieAt(sql, "after");
    },
  });
} else {
  const query = /** @type {(...parameters: unknown[]) => Promise<unknown>} */ (pg.Client.prototype.query);
  pg.Client.prototype.query = async function (...parameters) {
    dieAt(parameters[0], "before");
    const result = await query.apply(this, parameters);
    dieAt(parameters[0], "after");
    return result;
  };
  await migratePostgres(place);
}
