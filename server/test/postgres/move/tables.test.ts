import { afterAll, beforeAll, expect, it } from "vitest";
import { OWNER_TABLES, STAYING } from "#botyard/store/postgres/move/owner-tables.js";
import { openTwoCells, type TwoCells } from "../../support/two-cells.js";

let cells: TwoCells;
beforeAll(async () => {
  cells = await openTwoCells();
});
afterAll(() => cells.close());

/** The list of what moves is held to the schema: whatever is added there must be added here. */
it("every table moves with an owner, or says why it does not", async () => {
  const { rows } = await cells.one.client.query(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'one'",
  );
  const listed = [...OWNER_TABLES.map(({ name }) => name), ...Object.keys(STAYING)];
  expect(new Set(listed)).toEqual(new Set(rows.map(({ name }) => name)));
  expect(new Set(listed).size).toBe(listed.length);
});

it("rows are found by their whole primary keys, with the types that these have", async () => {
  const { rows } = await cells.one.client.query(`
    SELECT c.relname AS name, json_object_agg(a.attname, format_type(a.atttypid, a.atttypmod)) AS key
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
    WHERE i.indisprimary AND c.relnamespace = 'one'::regnamespace GROUP BY 1`);
  const keys = Object.fromEntries(rows.map(({ name, key }) => [name, key]));
  for (const { name, key } of OWNER_TABLES) expect(key, name).toEqual(keys[name]);
});
