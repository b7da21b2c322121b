/** Leads whoever asks for the SQLite binding to the one that is watched. */
export async function resolve(specifier, context, next) {
  const isBinding = specifier === "node:sqlite" || specifier === "@photostructure/sqlite";
  if (!isBinding || context.parentURL?.includes("/fault-points/")) return await next(specifier, context);
  const url = new URL("watched-sqlite.mjs", import.meta.url);
  return { url: `${url}?${new URLSearchParams({ binding: specifier })}`, shortCircuit: true };
}
