import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An HTTP server that answers by a script. */
export interface ScriptedServer {
  url: string;
  /** Method and path of every request so far. */
  requests: string[];
  /** Headers of the last one. */
  headers(): IncomingMessage["headers"];
  close(): Promise<void>;
}

export type Script = (response: ServerResponse, number: number) => void;

/** @param script answers request number 1, 2, 3 … */
export async function startScripted(script: Script): Promise<ScriptedServer> {
  const requests: string[] = [];
  let headers: IncomingMessage["headers"] = {};
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    headers = request.headers;
    request.resume().on("end", () => script(response, requests.length));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    headers: () => headers,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

export const sayJson =
  (status: number, body: unknown, headers: Record<string, string> = {}): Script =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };

export const sayText =
  (status: number, text: string, headers: Record<string, string> = {}): Script =>
  (response) => {
    response.writeHead(status, { "content-type": "text/html", ...headers }).end(text);
  };

/** Reads the request and closes the connection. */
export const hangUp: Script = (response) => response.destroy();

/** Never answers. */
export const sayNothing: Script = () => {};

/** Answers one after the other, then the last one again and again. */
export const inTurn =
  (...scripts: readonly [Script, ...Script[]]): Script =>
  (response, number) =>
    (scripts[number - 1] ?? scripts.at(-1) ?? scripts[0])(response, number);
