import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** The results of posts. */
export interface PostResults {
  accepted: number;
  /** From the time a connection got the post to its answer. */
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

const BODY = '{"body":"a post of ordinary length, as one says when one has nothing to say"}';

/**
 * Posts for `ms`, one at a time on each connection.
 *
 * @param rate posts a second on all connections together, as far as their answers allow it; as many as are answered
 *   when left out
 */
export async function floodWithPosts(
  to: Posting,
  connections: number,
  ms: number,
  rate = Number.POSITIVE_INFINITY,
): Promise<PostResults> {
  const results = noResults();
  const lines = await Promise.all(Array.from({ length: connections }, () => openLine(to.url)));
  const startedAt = performance.now();
  const until = startedAt + ms;
  const betweenMs = (connections / rate) * 1000;
  await Promise.all(
    lines.map(async (line, place) => {
      for (let at = startedAt + (place / connections) * betweenMs; at < until; at += betweenMs) {
        const waitMs = at - performance.now();
        if (waitMs > 0) await sleep(waitMs);
        if (performance.now() >= until) break;
        await post(to, line, results);
      }
      line.socket.destroy();
    }),
  );
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

/** A connection with at most one request in flight. A complete HTTP client would be slower than the service. */
interface Line {
  socket: Socket;
  /** @returns the whole answer */
  ask(request: string): Promise<string>;
}

async function openLine(url: string): Promise<Line> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true }).setEncoding("latin1");
  await once(socket, "connect");
  let received = "";
  let settle = { resolve(_answer: string) {}, reject(_error: Error) {} };
  socket.on("error", (error) => settle.reject(error));
  socket.on("close", () => settle.reject(new Error("the service closed the connection")));
  socket.on("data", (text: string) => {
    received += text;
    const bodyAt = received.indexOf("\r\n\r\n") + 4;
    const bodyBytes = Number(/\r\ncontent-length: *(\d+)/i.exec(received)?.[1]);
    if (bodyAt < 4 || received.length < bodyAt + bodyBytes) return;
    const answer = received;
    received = "";
    settle.resolve(answer);
  });
  return {
    socket,
    ask: (request) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        socket.write(request);
      }),
  };
}

async function post({ path, token }: Posting, line: Line, results: PostResults): Promise<void> {
  const sentAt = performance.now();
  const answer = await line.ask(
    `POST ${path} HTTP/1.1\r\nHost: botyard\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  );
  const status = Number(answer.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
  if (status === 201) {
    results.accepted += 1;
    results.acceptedMs.push(performance.now() - sentAt);
    results.ids.push(/"id":"([^"]+)"/.exec(answer)?.[1] ?? "none");
  } else {
    results.refused.set(status, (results.refused.get(status) ?? 0) + 1);
    if (!/\r\nretry-after: \d/i.test(answer)) results.withoutRetryAfter += 1;
  }
}
