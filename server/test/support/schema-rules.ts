import { isOffline, type OfflineStep, type SchemaStep } from "#botyard/store/postgres/schema/schema-step.js";

/** The most rows that a backfill may change in one transaction: some milliseconds of locks. */
const MAX_ROWS_PER_BATCH = 1_000;

/**
 * The faults of a step that runs beside live traffic; none when it follows the rules of CONTRIBUTING.md. A change that is
 * not known to be harmless is refused.
 */
export function faultsOf(step: SchemaStep | OfflineStep): string[] {
  if (isOffline(step)) return ["cannot run beside the release before"];
  if ("createIndex" in step) return faultsOfIndex(step.createIndex, step.on);
  if ("dropIndex" in step) return isName(step.dropIndex) ? [] : [`no name of an index: ${step.dropIndex}`];
  if ("backfill" in step) return faultsOfBackfill(step.backfill);
  return faultsOfChange(step.change);
}

function faultsOfIndex(name: string, on: string): string[] {
  return isName(name) && /^\w+ (USING \w+ )?\(.+\)/s.test(on) && !on.includes(";")
    ? []
    : [`no index: ${name} ${on}`];
}

function faultsOfBackfill(sql: string): string[] {
  const text = withoutComments(sql);
  const faults: string[] = [];
  if (!/^(WITH|UPDATE|DELETE|INSERT)\b/i.test(text.trim())) faults.push("a backfill is one change of rows");
  if (statements(text).length !== 1) faults.push("a backfill is one statement");
  const limits = [...text.matchAll(/\bLIMIT (\d+)/gi)].map(([, rows]) => Number(rows));
  if (limits.length === 0) faults.push("changes rows without a bound");
  if (limits.some((rows) => rows > MAX_ROWS_PER_BATCH))
    faults.push(`changes more than ${MAX_ROWS_PER_BATCH} rows at once`);
  return faults;
}

function faultsOfChange(sql: string): string[] {
  const all = statements(withoutComments(sql));
  const made = new Set(all.map((statement) => /^CREATE TABLE (\w+)/i.exec(statement)?.[1]));
  const altered = new Set(
    all
      .map((statement) => (/^ALTER TABLE (\w+)/i.exec(statement) ?? TRIGGER.exec(statement))?.[1])
      .filter(Boolean),
  );
  const faults = all.flatMap((statement) => faultsOfStatement(statement, made));
  if (altered.size > 1) faults.push(`holds the locks of several tables: ${[...altered].join(", ")}`);
  if (!/;\s*$/.test(withoutComments(sql))) faults.push("the last statement lacks its ;");
  return faults;
}

function faultsOfStatement(statement: string, made: ReadonlySet<string | undefined>): string[] {
  if (/^CREATE TABLE \w+ \(/i.test(statement)) {
    return /\bREFERENCES\b/i.test(statement) ? [`locks the table it refers to: ${statement}`] : [];
  }
  // A trigger locks its table as briefly as a new column does, and reads no rows.
  if (/^CREATE FUNCTION \w+\(\) RETURNS trigger /i.test(statement) || TRIGGER.test(statement)) return [];
  const index = /^CREATE (?:UNIQUE )?INDEX \w+ ON (\w+) /i.exec(statement);
  if (index) return made.has(index[1]) ? [] : [`builds an index under a lock: ${statement}`];
  const [, , actions] = /^ALTER TABLE (\w+) (.+)$/is.exec(statement) ?? [];
  if (actions === undefined) return [`not known to be harmless: ${statement}`];
  return split(actions, ",")
    .filter((action) => !HARMLESS.some((pattern) => pattern.test(action)))
    .map((action) => `not known to be harmless: ${action}`);
}

const TRIGGER = /^CREATE TRIGGER \w+ AFTER [A-Z ]+ ON (\w+) /i;

/** A type by its name, except `serial`: its default is computed for each row, so the table would be rewritten. */
const TYPE = String.raw`(?:bigint|integer|smallint|boolean|text|uuid|jsonb?|(?:bigint|integer|text|uuid)\[\])`;
const CONSTANT = String.raw`(?:-?\d+|'[^']*'|true|false)(?:::\w+(?:\[\])?)?`;

/** Changes of the catalogue only, which read and write no rows. */
const HARMLESS = [
  new RegExp(String.raw`^ADD COLUMN \w+ ${TYPE}$`, "i"),
  new RegExp(String.raw`^ADD COLUMN \w+ ${TYPE} (?:NOT NULL )?DEFAULT ${CONSTANT}$`, "i"),
  new RegExp(String.raw`^ADD COLUMN \w+ ${TYPE} DEFAULT ${CONSTANT} NOT NULL$`, "i"),
  new RegExp(String.raw`^ALTER COLUMN \w+ SET DEFAULT ${CONSTANT}$`, "i"),
  /^ALTER COLUMN \w+ DROP (DEFAULT|NOT NULL)$/i,
  /^DROP COLUMN (IF EXISTS )?\w+$/i,
  /^SET \([\w\s=.,]+\)$/i,
];

function isName(text: string): boolean {
  return /^\w+$/.test(text);
}

function withoutComments(sql: string): string {
  return sql.replaceAll(/--.*$/gm, "");
}

function statements(sql: string): string[] {
  return split(sql, ";");
}

/** Splits at separators outside of strings and brackets; each part on one line. */
function split(sql: string, separator: "," | ";"): string[] {
  const parts = [""];
  let depth = 0;
  let isString = false;
  // The body of a function is a string between dollars.
  for (const char of sql.replaceAll(/\$\$.*?\$\$/gs, "''")) {
    if (char === "'") isString = !isString;
    if (!isString && char === "(") depth += 1;
    if (!isString && char === ")") depth -= 1;
    if (char === separator && depth === 0 && !isString) parts.push("");
    else parts.push(`${parts.pop()}${char}`);
  }
  return parts.map((part) => part.replaceAll(/\s+/g, " ").trim()).filter(Boolean);
}
