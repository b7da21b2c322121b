import { DEFAULT_WEBHOOK } from "../../domain/delivery/webhook.js";
import type { Inspection, Uncarried, WaitingStep } from "../inspection.js";
import { omitNulls } from "../shared/omit-nulls.js";
import { missingSteps, newestSchema } from "../shared/schema/schema-steps.js";
import type { SealedSecret } from "../store.js";
import { type UnsentRow, unsentStepOf } from "../unsent.js";
import { LOWEST_UUID, SELECT_SECRETS } from "./bots/keys.js";
import type { DatabaseAddress } from "./connection/client.js";
import { PLANNING, QUERY_TIMEOUT_MS, uuid } from "./connection/connection.js";
import { DATABASE_NOW } from "./connection/database-clock.js";
import { openClient } from "./connection/open-client.js";
import { cellTablesOf, collationOf } from "./directory/cell-tables.js";
import { SELECT_UNCARRIED } from "./guests/guests.js";
import { SELECT_UNSENT } from "./lanes/unsent.js";
import { useSchema } from "./schema/database-schema.js";
import { DESCRIPTIONS, SCHEMA } from "./schema/schema.js";

/** In which destinations have a table. Before it bots had the secrets. */
const DESTINATIONS_SCHEMA = 55;
const SELECT_SECRETS_OF_BOTS = `
  SELECT id AS "destinationId", id AS "botId", owner_user_id AS "ownerUserId", '${DEFAULT_WEBHOOK}' AS name,
    webhook_secret AS "sealedSecret"
  FROM bots WHERE id > $1 ORDER BY id LIMIT $2`;
/** In which destinations have ids. Before it each bot had one. */
const DESTINATION_IDS_SCHEMA = 62;
const SELECT_SECRETS_OF_LOGS = `
  SELECT b.id AS "destinationId", b.id AS "botId", b.owner_user_id AS "ownerUserId", dest.name, dest.secret AS "sealedSecret"
  FROM (SELECT * FROM bots WHERE id > $1 ORDER BY id LIMIT $2) b JOIN destinations dest ON dest.destination_key = b.bot_key
  ORDER BY b.id`;

/**
 * Looks at a database, on one connection of its own.
 *
 * @param name for people
 * @param role what it is, for the error when it cannot be reached
 * @throws StoreUnavailable when it cannot be reached; Error with one line when it is behind a pooler that pools transactions
 */
export async function inspectPostgres(
  address: DatabaseAddress,
  name: string,
  role = "the database of DATABASE_URL",
): Promise<Inspection> {
  const client = await openClient(address, {
    session: `${useSchema(address.schema)} ${PLANNING}; SET statement_timeout = ${QUERY_TIMEOUT_MS}`,
    failure: `${role} cannot be used`,
    isOwnSession: true,
    options: { application_name: "botyard doctor", query_timeout: QUERY_TIMEOUT_MS },
  });

  const one = async <Row extends object>(sql: string): Promise<Row> =>
    (await client.query<Row>(sql)).rows[0] as Row;
  const hasTable = async (name: string): Promise<boolean> =>
    (await one<{ made: boolean }>(`SELECT to_regclass('${name}') IS NOT NULL AS made`)).made;
  const schemaNumber = async (): Promise<number> => {
    if (!(await hasTable("botyard_schema"))) return 0;
    return (await one<{ done: number }>("SELECT coalesce(max(step), 0) AS done FROM botyard_schema")).done;
  };

  return {
    engine: "postgres",
    name: `PostgreSQL, ${name}`,

    async schema() {
      const done = await schemaNumber();
      const waiting: WaitingStep[] = [];
      for (const { schema, step } of missingSteps(done, DESCRIPTIONS)) {
        const { does, reads } = step;
        // Counted by the last ANALYZE: counting now would take minutes where it matters.
        const rows = reads && done > 0 ? await estimate(reads) : undefined;
        waiting.push({ step: schema, does, ...(rows === undefined ? {} : { rows }) });
      }
      return { done, known: newestSchema(SCHEMA), waiting };
    },

    async listSealedSecrets(after = LOWEST_UUID, limit) {
      const schema = await schemaNumber();
      if (schema === 0) return [];
      const { rows } = await client.query(selectSecretsOf(schema), [uuid(after), limit]);
      return rows.map(omitNulls<SealedSecret>);
    },

    async hasKeyFile(name) {
      if (!(await hasTable("key_files"))) return false;
      return (await client.query("SELECT FROM key_files WHERE name = $1", [name])).rows.length > 0;
    },

    async areDeliveriesOff() {
      if (!(await hasTable("deliveries_off"))) return false;
      return (await client.query("SELECT FROM deliveries_off")).rows.length > 0;
    },

    async whyReadOnly() {
      const { standby, readOnly } = await one<{ standby: boolean; readOnly: string }>(
        `SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only') AS "readOnly"`,
      );
      if (standby) return "this server is a standby";
      return readOnly === "on" ? "default_transaction_read_only is on" : undefined;
    },

    damage: async () => undefined,
    version: async () => (await one<{ server_version: string }>("SHOW server_version")).server_version,

    async clock() {
      const askedAt = performance.now();
      const { now } = await one<{ now: number }>(`SELECT ${DATABASE_NOW} AS now`);
      const toleranceMs = (performance.now() - askedAt) / 2;
      return { aheadMs: now - (Date.now() - toleranceMs), toleranceMs };
    },

    async connections() {
      return await one<{ most: number; open: number }>(`
        SELECT current_setting('max_connections')::integer AS most,
          (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend') AS open`);
    },

    async upkeepHolder() {
      if (!(await hasTable("upkeep"))) return undefined;
      const { holder } = await one<{ holder: string | null }>(
        `SELECT (SELECT holder FROM upkeep WHERE lease_until > ${DATABASE_NOW}) AS holder`,
      );
      return holder;
    },

    async auditEnds() {
      if (!(await hasTable("audit"))) return undefined;
      const { oldest, newest } = await one<{ oldest: string | null; newest: string | null }>(`
        SELECT (SELECT id FROM audit ORDER BY id LIMIT 1) AS oldest, (SELECT id FROM audit ORDER BY id DESC LIMIT 1) AS newest`);
      return oldest !== null && newest !== null ? [oldest, newest] : undefined;
    },

    async findUnsent(from, limit) {
      const { rows } = await client.query<UnsentRow>(SELECT_UNSENT, [
        from.destinationKey,
        from.number,
        limit,
      ]);
      return unsentStepOf(rows[0], from, limit);
    },

    cells: () => cellTablesOf(client),

    collation: () => collationOf(client),
    findUncarried: async () => (await client.query<Uncarried>(SELECT_UNCARRIED)).rows,
    close: () => client.end(),
  };

  async function estimate(table: string): Promise<number | undefined> {
    const { rows } = await client.query(
      "SELECT reltuples::bigint AS rows FROM pg_class WHERE oid = to_regclass($1) AND reltuples >= 0",
      [table],
    );
    return rows[0]?.rows as number | undefined;
  }
}

function selectSecretsOf(schema: number): string {
  if (schema < DESTINATIONS_SCHEMA) return SELECT_SECRETS_OF_BOTS;
  return schema < DESTINATION_IDS_SCHEMA ? SELECT_SECRETS_OF_LOGS : SELECT_SECRETS.text;
}
