import { Agent, request } from "undici";

/** What came of posts. */
export interface PostResults {
  accepted: number;
  /** From the moment a connection took the post to its answer. */
  acceptedMs: number[];
  /** By status. */
  refused: Map<number, number>;
  /** Refusals without `Retry-After`. */
  withoutRetryAfter: number;
  ids: string[];
}

interface Posting {
  url: string;
  path: string;
  token: string;
}

/** As many posts as are answered, one at a time on each connection. */
export async function floodWithPosts(to: Posting, connections: number, ms: number): Promise<PostResults> {
  const results = noResults();
  const agent = new Agent({ connections, pipelining: 1 });
  const until = performance.now() + ms;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) await post(to, agent, results);
    }),
  );
  await agent.close();
  return results;
}

/** @param share such as 0.99 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const noResults = (): PostResults => ({
  accepted: 0,
  acceptedMs: [],
  refused: new Map(),
  withoutRetryAfter: 0,
  ids: [],
});

async function post({ url, path, token }: Posting, dispatcher: Agent, results: PostResults): Promise<void> {
  const sentAt = performance.now();
  const { statusCode, headers, body } = await request(url + path, {
    method: "POST",
    dispatcher,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: '{"body":"a post of ordinary length, as one says when one has nothing to say"}',
  });
  const answer = (await body.json()) as { id: string };
  if (statusCode === 201) {
    results.accepted += 1;
    results.acceptedMs.push(performance.now() - sentAt);
    results.ids.push(answer.id);
  } else {
    results.refused.set(statusCode, (results.refused.get(statusCode) ?? 0) + 1);
    if (!headers["retry-after"]) results.withoutRetryAfter += 1;
  }
}
