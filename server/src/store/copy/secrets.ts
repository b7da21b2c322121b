import { DEFAULT_WEBHOOK } from "../../domain/delivery/webhook.js";
import type { SecretBox } from "../../domain/secret-box.js";
import type { Row, Table } from "./table.js";
import { TABLES } from "./tables.js";

/** The keys of both sides; undefined where none is known, which matters only when there are secrets. */
export interface SecretBoxes {
  source: SecretBox | undefined;
  target: SecretBox | undefined;
}

const columns = Object.keys(TABLES.find(({ name }) => name === "destinations")?.columns ?? {});
const ID = columns.indexOf("id");
const NAME = columns.indexOf("name");
const SECRET = columns.indexOf("secret");

/**
 * Rows as they are compared: with webhook secrets in the clear, because the two sides seal them each in its own way.
 *
 * @throws Error when a secret cannot be opened
 */
export function withOpenSecrets(table: Table, rows: Row[], box: SecretBox | undefined): Row[] {
  return onSecrets(table, rows, (secret, id, holder) => {
    if (!box) throw new Error(`${holder} has a webhook secret, and the key that opens it is not known`);
    return box.open(secret, id);
  });
}

/** Rows as they are stored: with webhook secrets sealed. */
export function withSealedSecrets(table: Table, rows: Row[], box: SecretBox | undefined): Row[] {
  return onSecrets(table, rows, (secret, id, holder) => {
    if (!box) throw new Error(`${holder} has a webhook secret, and there is no key to seal it with`);
    return box.seal(secret, id);
  });
}

/** A secret is sealed together with the id of the destination that has it, which is that of the bot for its webhook `default`. */
function onSecrets(
  table: Table,
  rows: Row[],
  change: (secret: string, id: string, holder: string) => string,
): Row[] {
  if (table.name !== "destinations") return rows;
  return rows.map((row) => {
    const secret = row[SECRET];
    if (typeof secret !== "string") return row;
    const id = String(row[ID]);
    const holder = row[NAME] === DEFAULT_WEBHOOK ? `bot ${id}` : `destination ${id}`;
    return row.with(SECRET, change(secret, id, holder));
  });
}
