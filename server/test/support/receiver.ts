import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

/** A webhook request as it arrived. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The `update_id` in the body; NaN without one. */
  updateId: number;
}

/** Answers one request. An unanswered request hangs until the receiver is closed. */
export type Answer = (response: ServerResponse, request: ReceivedRequest) => void;

/** A real webhook receiver on a loopback port. */
export interface Receiver {
  url: string;
  port: number;
  /** In the order in which they were complete. */
  requests: ReceivedRequest[];
  /** Connections ever accepted. */
  connections(): number;
  /** The number of requests in flight. */
  underWay(): number;
  /** The largest number of requests in flight since the last `answerWith`. */
  mostUnderWay(): number;
  /** From now on. */
  answerWith(answer: Answer): void;
  close(): Promise<void>;
}

export const accept: Answer = (response) => response.end();
export const hang: Answer = () => {};
export const refuse =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, headers).end();
  };

/** @param tls key and certificate, for https */
export async function startReceiver(
  answer: Answer = accept,
  tls?: { key: string; cert: string },
): Promise<Receiver> {
  const server = tls ? createTlsServer(tls) : createServer();
  const requests: ReceivedRequest[] = [];
  let connections = 0;
  let underWay = 0;
  let mostUnderWay = 0;
  server.on("connection", () => {
    connections += 1;
  });
  server.on("request", (incoming, response) => {
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    response.on("close", () => {
      underWay -= 1;
    });
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "", url: path = "", headers } = incoming;
      const body = Buffer.concat(chunks).toString("utf8");
      const request = { method, path, headers, body, updateId: updateIdOf(body) };
      requests.push(request);
      answer(response, request);
    });
  });
  const port = await listen(server);
  return {
    url: `${tls ? "https" : "http"}://127.0.0.1:${port}/hook`,
    port,
    requests,
    connections: () => connections,
    underWay: () => underWay,
    mostUnderWay: () => mostUnderWay,
    answerWith(next) {
      answer = next;
      mostUnderWay = underWay;
    },
    close: () => close(server),
  };
}

function updateIdOf(body: string): number {
  return Number(/^\{"update_id":(\d+),/.exec(body)?.[1]);
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
