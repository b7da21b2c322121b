import pg from "pg";

/** Every session of a move sets this first. */
const MOVER = "botyard.is_moving";

type Query = (...parameters: unknown[]) => unknown;

/**
 * Kills a move as its process would be killed: its sessions break at the given statement, by its number or its text, or the one that is told to be it.
 *
 * @param isSent whether that statement still reaches the server, which may or may not execute it
 * @returns ends it, and how many statements there were
 */
export function killMoverAt(
  statement: number | RegExp | ((text: string) => boolean),
  isSent = false,
): () => { statements: number; texts: string[] } {
  const { prototype } = pg.Client as unknown as { prototype: { query: Query } };
  const { query } = prototype;
  const movers = new Set<pg.Client>();
  const texts: string[] = [];
  let isKilled = false;
  const isIt = (text: string): boolean => {
    if (typeof statement === "number") return texts.length >= statement;
    return typeof statement === "function" ? statement(text) : statement.test(text);
  };
  prototype.query = function (this: pg.Client, ...parameters: unknown[]): unknown {
    const [text] = parameters;
    if (typeof text === "string" && text.includes(MOVER)) movers.add(this);
    if (!movers.has(this)) return query.apply(this, parameters);
    if (isKilled) return Promise.reject(new Error("killed"));
    texts.push(String(text));
    isKilled = isIt(String(text));
    if (!isKilled) return query.apply(this, parameters);
    if (isSent) Promise.resolve(query.apply(this, parameters)).catch(() => {});
    for (const client of movers) {
      const { stream } = (client as unknown as { connection: { stream: { destroySoon(): void } } })
        .connection;
      stream.destroySoon();
    }
    return Promise.reject(new Error("killed"));
  };
  return () => {
    prototype.query = query;
    return { statements: texts.length, texts };
  };
}
