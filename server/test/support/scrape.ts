/** The samples of a scrape: `name{label="value"}` and its number. */
export type Samples = ReadonlyMap<string, number>;

/** Reads Prometheus's text format. */
function readSamples(text: string): Samples {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

/** The names of samples, without labels. */
export function namesOf(samples: Samples): Set<string> {
  return new Set([...samples.keys()].map((key) => key.replace(/\{.*$/, "")));
}

export async function scrape(url: string, token?: string): Promise<Samples> {
  const response = await fetch(url, token ? { headers: { authorization: `Bearer ${token}` } } : {});
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  return readSamples(await response.text());
}
