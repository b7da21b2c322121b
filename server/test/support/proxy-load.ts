import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const POSTERS = 4;
const POLLERS = 4;
/** Each client pauses between two requests, so that connections are idle at times. */
const PAUSE_MS = 20;

export interface ProxyLoad {
  /** The ids of the posts that were acknowledged. */
  acknowledged: string[];
  counts(): { posted: number; polled: number; slowestMs: number };
  /** Ends after the requests in flight. */
  stop(): Promise<{ posted: number; polled: number; slowestMs: number; failures: string[] }>;
}

/** Clients of a load balancer: some post, some poll, each over a connection that is kept. Whatever is not 2xx is a failure. */
export function startProxyLoad(port: number, token: string, channelId: string): ProxyLoad {
  const agent = new Agent({ keepAlive: true });
  const acknowledged: string[] = [];
  const failures: string[] = [];
  const counted = { posted: 0, polled: 0, slowestMs: 0 };
  let stopped = false;

  const call = async (method: string, path: string, body = ""): Promise<string | undefined> => {
    const startedAt = performance.now();
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    };
    const answer = await new Promise<{ status: number; text: string }>((resolve) => {
      const sent = request({ host: "127.0.0.1", port, method, path, headers, agent }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", (error) => resolve({ status: 0, text: String(error) }));
      });
      sent.on("error", (error) => resolve({ status: 0, text: String(error) }));
      sent.end(body);
    });
    if (answer.status >= 200 && answer.status < 300) {
      if (method === "POST")
        counted.slowestMs = Math.max(counted.slowestMs, Math.round(performance.now() - startedAt));
      return answer.text;
    }
    failures.push(`${new Date().toISOString()} ${method} ${answer.status} ${answer.text.slice(0, 200)}`);
    return undefined;
  };

  const post = async (): Promise<void> => {
    const answer = await call(
      "POST",
      `/v1/bot-api/channels/${channelId}/posts`,
      JSON.stringify({ body: "hello" }),
    );
    if (answer === undefined) return;
    acknowledged.push((JSON.parse(answer) as { id: string }).id);
    counted.posted += 1;
  };
  const poll = async (): Promise<void> => {
    if ((await call("GET", "/v1/bot-api/updates?offset=1000000&timeout=1")) !== undefined)
      counted.polled += 1;
  };
  const repeat = async (work: () => Promise<void>): Promise<void> => {
    while (!stopped) {
      await work();
      await sleep(Math.random() * PAUSE_MS);
    }
  };
  const clients = Promise.all([
    ...Array.from({ length: POSTERS }, () => repeat(post)),
    ...Array.from({ length: POLLERS }, () => repeat(poll)),
  ]);

  return {
    acknowledged,
    counts: () => ({ ...counted }),
    async stop() {
      stopped = true;
      await clients;
      agent.destroy();
      return { ...counted, failures };
    },
  };
}
