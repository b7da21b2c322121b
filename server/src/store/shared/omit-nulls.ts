/** A row without its nulls: in the domain, what is absent is left out. */
export function omitNulls<T extends object>(row: unknown): T {
  const fields = row as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    if (fields[name] !== null) result[name] = fields[name];
  }
  return result as T;
}
