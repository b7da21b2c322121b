/** Resolves the import of the SQLite binding to the watched one; a hook of Node's, of both kinds. */
export function resolve(specifier, context, next) {
  const isBinding = specifier === "node:sqlite" || specifier.endsWith("/databases/sqlite/dist/index.js");
  if (!isBinding || context.parentURL?.includes("/fault-points/")) return next(specifier, context);
  const url = new URL("watched-sqlite.mjs", import.meta.url);
  const binding = new URL(specifier, context.parentURL).href;
  return { url: `${url}?${new URLSearchParams({ binding })}`, shortCircuit: true };
}
