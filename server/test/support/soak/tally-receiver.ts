import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A receiver that accepts everything and keeps of each request only what the accounts need. */
export interface TallyReceiver {
  port: number;
  /** How often each update arrived, by number. */
  times: ReadonlyMap<number, number>;
  /** Updates that came under the same number with another post: there must be none. */
  contradictions: number[];
  /** The post of each update. */
  posts: ReadonlyMap<number, string>;
  close(): Promise<void>;
}

export async function startTallyReceiver(): Promise<TallyReceiver> {
  const times = new Map<number, number>();
  const posts = new Map<number, string>();
  const contradictions: number[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { update_id, payload } = JSON.parse(body) as { update_id: number; payload: { post_id: string } };
      times.set(update_id, (times.get(update_id) ?? 0) + 1);
      if ((posts.get(update_id) ?? payload.post_id) !== payload.post_id) contradictions.push(update_id);
      posts.set(update_id, payload.post_id);
      response.end();
    });
    request.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    port: (server.address() as AddressInfo).port,
    times,
    posts,
    contradictions,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
