import { createNaming, reach } from "./points.mjs";

const binding = await import(new URL(import.meta.url).searchParams.get("binding"));
const naming = createNaming();

function around(sql, call) {
  const name = naming(sql);
  if (name) reach(`before ${name}`);
  const result = call();
  if (name) reach(`after ${name}`);
  return result;
}

/** The class of the binding, but for the points around what its statements do. */
export function DatabaseSync(...parameters) {
  const database = new binding.DatabaseSync(...parameters);
  const prepare = database.prepare.bind(database);
  const exec = database.exec.bind(database);
  return Object.defineProperties(database, {
    exec: { value: (sql) => around(sql, () => exec(sql)) },
    prepare: { value: (sql) => watched(sql, prepare(sql)) },
  });
}

function watched(sql, statement) {
  for (const method of ["run", "get", "all"]) {
    const call = statement[method].bind(statement);
    Object.defineProperty(statement, method, { value: (...values) => around(sql, () => call(...values)) });
  }
  return statement;
}
