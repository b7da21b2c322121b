import type { SecretBox } from "../../domain/secret-box.js";
import { type Row, TABLES, type Table } from "./tables.js";

/** The keys of both sides; undefined where none is known, which matters only when there are secrets. */
export interface SecretBoxes {
  source: SecretBox | undefined;
  target: SecretBox | undefined;
}

const columns = Object.keys(TABLES.find(({ name }) => name === "bots")?.columns ?? {});
const ID = columns.indexOf("id");
const SECRET = columns.indexOf("webhook_secret");

/**
 * Rows as they are compared: with webhook secrets in the clear, because the two sides seal them each in its own way.
 *
 * @throws Error when a secret cannot be opened
 */
export function withOpenSecrets(table: Table, rows: Row[], box: SecretBox | undefined): Row[] {
  return onSecrets(table, rows, (secret, botId) => {
    if (!box) throw new Error(`bot ${botId} has a webhook secret, and the key that opens it is not known`);
    return box.open(secret, botId);
  });
}

/** Rows as they are stored: with webhook secrets sealed. */
export function withSealedSecrets(table: Table, rows: Row[], box: SecretBox | undefined): Row[] {
  return onSecrets(table, rows, (secret, botId) => {
    if (!box) throw new Error(`bot ${botId} has a webhook secret, and there is no key to seal it with`);
    return box.seal(secret, botId);
  });
}

function onSecrets(table: Table, rows: Row[], change: (secret: string, botId: string) => string): Row[] {
  if (table.name !== "bots") return rows;
  return rows.map((row) => {
    const secret = row[SECRET];
    return typeof secret === "string" ? row.with(SECRET, change(secret, String(row[ID]))) : row;
  });
}
