import type { ValueStore } from "../state/values.js";

/** What is used of a `Pool` or a connected `Client` of the package `pg`. */
export interface PostgresClient {
  /** Runs a statement with the parameters `$1`, `$2` … */
  query(sql: string, parameters?: string[]): Promise<{ rows: unknown[] }>;
}

/** Another process has created the table at the same moment: `unique_violation`, `duplicate_table`, `duplicate_object`. */
const CREATED_MEANWHILE = new Set(["23505", "42P07", "42710"]);

/**
 * Stores values in PostgreSQL, in the table `botyard_values`, which is created if there is none.
 *
 * @param client a `Pool` or a connected `Client` of the package `pg`
 * @param name stores with different names in one database share nothing; `values` unless given
 * @example
 * bot.use(session({ store: postgresValues(new Pool(), "sessions") }));
 */
export function postgresValues(client: PostgresClient, name = "values"): ValueStore {
  let ready: Promise<void> | undefined;
  const query = async (sql: string, ...parameters: string[]) => {
    ready ??= createTable(client).catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    await ready;
    return (await client.query(sql, [name, ...parameters])).rows as { value: string }[];
  };
  return {
    async read(key) {
      // Parameters: store, key.
      const [row] = await query("SELECT value FROM botyard_values WHERE store = $1 AND key = $2", key);
      return row && (JSON.parse(row.value) as unknown);
    },
    async write(key, value) {
      // Parameters: store, key, value.
      await query(
        `INSERT INTO botyard_values (store, key, value) VALUES ($1, $2, $3)
         ON CONFLICT (store, key) DO UPDATE SET value = excluded.value`,
        key,
        JSON.stringify(value),
      );
    },
    async delete(key) {
      // Parameters: store, key.
      await query("DELETE FROM botyard_values WHERE store = $1 AND key = $2", key);
    },
  };
}

async function createTable(client: PostgresClient): Promise<void> {
  // Asked first: a role that may not create tables may use one that an administrator has made.
  const { rows } = await client.query("SELECT 1 WHERE to_regclass('botyard_values') IS NOT NULL");
  if (rows.length > 0) return;
  await client
    .query(
      // The value is text: `jsonb` refuses the character U+0000, which a post may have.
      `CREATE TABLE IF NOT EXISTS botyard_values (
         store text NOT NULL,
         key text NOT NULL,
         value text NOT NULL,
         PRIMARY KEY (store, key)
       )`,
    )
    .catch((error: { code?: string }) => {
      if (!CREATED_MEANWHILE.has(error.code ?? "")) throw error;
    });
}
