import { setTimeout as sleep } from "node:timers/promises";

/** A channel and the author of its posts. */
export interface Target {
  path: string;
  token: string;
}

/** Posts at a steady rate, with their results. */
export interface PacedPosts {
  /** The posts that were acknowledged, by the index of their target. */
  acknowledged: readonly string[][];
  refused(): number;
  broken(): number;
  /** As many posts as are answered, on so many connections more, for so long. */
  flood(connections: number, ms: number): Promise<void>;
  stop(): Promise<void>;
}

const WORKERS = 16;
const TIMEOUT_MS = 20_000;
/** After a refusal; the service asks for longer, and a soak that obeyed would hardly load it. */
const PAUSE_MS = 50;

/** @param url where the service is now */
export function startPacedPosts(
  url: () => string,
  targets: readonly Target[],
  perSecond: number,
): PacedPosts {
  const acknowledged = targets.map((): string[] => []);
  const counts = { refused: 0, broken: 0, sent: 0 };
  const startedAt = performance.now();
  let stopped = false;
  let due = 0;

  const post = async (): Promise<void> => {
    const place = counts.sent++ % targets.length;
    const { path, token } = targets[place] as Target;
    try {
      const response = await fetch(url() + path, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ body: `post ${counts.sent}` }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const answer = (await response.json()) as { id: string; error?: string };
      if (response.status === 201) return void acknowledged[place]?.push(answer.id);
      if (response.status !== 503 && response.status !== 429)
        throw new Error(`${path}: ${response.status} ${answer.error}`);
      counts.refused += 1;
    } catch (error) {
      // Cut off, refused or timed out: nothing was acknowledged.
      if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
      counts.broken += 1;
    }
    await sleep(PAUSE_MS);
  };

  /** Posts that the service could not accept in time are skipped, not made up for. */
  const keepPace = async (): Promise<void> => {
    while (!stopped) {
      const now = ((performance.now() - startedAt) / 1000) * perSecond;
      due = Math.max(due, now - WORKERS);
      if (due > now) {
        await sleep(((due - now) / perSecond) * 1000);
      } else {
        due += 1;
        await post();
      }
    }
  };
  const workers = Array.from({ length: WORKERS }, keepPace);

  return {
    acknowledged,
    refused: () => counts.refused,
    broken: () => counts.broken,
    async flood(connections, ms) {
      const until = performance.now() + ms;
      const more = async (): Promise<void> => {
        while (!stopped && performance.now() < until) await post();
      };
      await Promise.all(Array.from({ length: connections }, more));
    },
    async stop() {
      stopped = true;
      await Promise.all(workers);
    },
  };
}
