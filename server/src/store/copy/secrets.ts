import type { SecretBox } from "../../domain/secret-box.js";
import type { CopyDatabase } from "./database.js";
import type { Row, Table } from "./table.js";
import { TABLES } from "./tables.js";

/** The keys of both sides; undefined where none is known, which matters only when there are secrets. */
export interface SecretBoxes {
  source: SecretBox | undefined;
  target: SecretBox | undefined;
}

const columns = Object.keys(TABLES.find(({ name }) => name === "destinations")?.columns ?? {});
const LOG_KEY = columns.indexOf("log_key");
const SECRET = columns.indexOf("secret");

/**
 * Rows as they are compared: with webhook secrets in the clear, because the two sides seal them each in its own way.
 *
 * @param of where the rows were read
 * @throws Error when a secret cannot be opened
 */
export async function withOpenSecrets(
  of: CopyDatabase,
  table: Table,
  rows: Row[],
  box: SecretBox | undefined,
): Promise<Row[]> {
  return await onSecrets(of, table, rows, (secret, botId) => {
    if (!box) throw new Error(`bot ${botId} has a webhook secret, and the key that opens it is not known`);
    return box.open(secret, botId);
  });
}

/** Rows as they are stored: with webhook secrets sealed. */
export async function withSealedSecrets(
  of: CopyDatabase,
  table: Table,
  rows: Row[],
  box: SecretBox | undefined,
): Promise<Row[]> {
  return await onSecrets(of, table, rows, (secret, botId) => {
    if (!box) throw new Error(`bot ${botId} has a webhook secret, and there is no key to seal it with`);
    return box.seal(secret, botId);
  });
}

/** A secret is sealed together with the id of the bot that has it. */
async function onSecrets(
  of: CopyDatabase,
  table: Table,
  rows: Row[],
  change: (secret: string, botId: string) => string,
): Promise<Row[]> {
  if (table.name !== "destinations") return rows;
  const sealed = rows.filter((row) => row[SECRET] !== null);
  const botIds = await of.readBotIds(sealed.map((row) => Number(row[LOG_KEY])));
  return rows.map((row) => {
    const secret = row[SECRET];
    const botId = botIds.get(Number(row[LOG_KEY])) ?? "";
    return typeof secret === "string" ? row.with(SECRET, change(secret, botId)) : row;
  });
}
