import pg from "pg";

const ROWS = 1_000;

/** The rows of a query as it found them when it began, a thousand at a time. */
export async function* pagesOf<Row>(
  client: pg.Client,
  query: string,
  values: unknown[] = [],
): AsyncGenerator<Row[]> {
  const cursor = pg.escapeIdentifier(`pages_${Math.random().toString(36).slice(2)}`);
  // Held beyond its transaction, so that other statements of the same connection are on their own.
  await client.query("BEGIN");
  await client.query(`DECLARE ${cursor} NO SCROLL CURSOR WITH HOLD FOR ${query}`, values);
  await client.query("COMMIT");
  try {
    for (;;) {
      const { rows } = await client.query(`FETCH ${ROWS} FROM ${cursor}`);
      if (rows.length === 0) return;
      yield rows as Row[];
    }
  } finally {
    await client.query(`CLOSE ${cursor}`);
  }
}
