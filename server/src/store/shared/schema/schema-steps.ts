/** How databases of an engine come to its newest schema. The number of its schema is stored in each. */
export interface SchemaSteps<Step> {
  /** Makes all tables of an empty database, and with them the schema of this number. */
  first: { schema: number; step: Step };
  /** The earliest schema that is brought on. */
  earliest: number;
  /** Each leads to the schema after the one before it; the first one leads on from `earliest`. */
  steps: readonly Step[];
}

export interface NumberedStep<Step> {
  /** Of the schema that a database has after this step. */
  schema: number;
  step: Step;
}

export function newestSchema({ earliest, steps }: Pick<SchemaSteps<unknown>, "earliest" | "steps">): number {
  return earliest + steps.length;
}

/**
 * @param schema of the database; 0 while it is empty
 * @returns the steps that it lacks
 * @throws Error with one line when its schema is too old to be brought on
 */
export function missingSteps<Step>(
  schema: number,
  { first, earliest, steps }: SchemaSteps<Step>,
): NumberedStep<Step>[] {
  if (schema > 0 && schema < earliest) {
    throw new Error(
      `the database has schema ${schema}, from before the first release, and this version upgrades none before ${earliest}: go on with the version that made it, or start with a new database`,
    );
  }
  const isNew = schema === 0;
  const later = steps
    .map((step, index) => ({ schema: earliest + index + 1, step }))
    .filter((next) => next.schema > (isNew ? first.schema : schema));
  return isNew ? [first, ...later] : later;
}

/** @throws Error with one line when the database is of a newer service than this one */
export function refuseNewerSchema(schema: number, newest: number): void {
  if (schema <= newest) return;
  throw new Error(
    `the database has schema ${schema}, this service knows up to ${newest}: start a newer Botyard on it`,
  );
}
