/** A row without its nulls: in the domain, what is absent is left out. */
export function omitNulls<T extends object>(row: unknown): T {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row as object)) {
    if (value !== null) result[name] = value;
  }
  return result as T;
}
