import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { buildConnector } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createConnections, type HttpClient } from "#botyard/delivery/sending/connections.js";
import { eventually } from "../support/eventually.js";

let server: Server;
let port: number;
let sockets: Socket[];
let answer: (response: ServerResponse) => void;
let connections: HttpClient;
beforeEach(async () => {
  sockets = [];
  answer = (response) => response.end();
  server = createServer((request, response) => {
    request.resume().on("end", () => answer(response));
  })
    .on("connection", (socket) => sockets.push(socket))
    .listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});
afterEach(async () => {
  await connections.destroy();
  server.closeAllConnections();
  server.close();
});

const open = (maxAgeMs = 60_000, keepAliveTimeout = 4_000): void => {
  const connect = buildConnector({});
  connections = createConnections({ maxAgeMs, keepAliveTimeout, pipelining: 1, connect });
};

/** Makes a request. @returns its status or its error */
const post = () =>
  new Promise<number | string>((resolve) => {
    const origin = `http://127.0.0.1:${port}`;
    let status = 0;
    connections.dispatch(
      { origin, path: "/", method: "POST", body: "{}" },
      {
        bodyBytes: 0,
        onRequestStart() {},
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseEnd: () => resolve(status),
        onResponseError: (_controller, error) => resolve((error as Error & { code: string }).code),
      },
    );
  });

/** Makes a request and waits for the turn of the event loop after which its connection is free. */
async function postAndLeave(): Promise<number | string> {
  const result = await post();
  await sleep(5);
  return result;
}

describe("connections", () => {
  it("are used again, one request at a time on each", async () => {
    open();
    expect(await Promise.all([post(), post(), post()])).toEqual([200, 200, 200]);
    await sleep(5);
    for (let i = 0; i < 5; i++) expect(await postAndLeave()).toBe(200);
    expect(await Promise.all([post(), post(), post()])).toEqual([200, 200, 200]);
    expect(sockets).toHaveLength(3);
  });

  it("get no further request once they are too old", async () => {
    open(100);
    for (let i = 0; i < 3; i++) expect(await postAndLeave()).toBe(200);
    expect(sockets).toHaveLength(1);
    await sleep(150);
    expect(await postAndLeave()).toBe(200);
    expect(sockets).toHaveLength(2);
    await eventually("the old one is closed", () => sockets[0]?.destroyed === true);
  });

  it("are closed after a while without use", async () => {
    open(60_000, 300);
    await Promise.all([post(), post()]);
    await sleep(5);
    await Promise.all(sockets.map((socket) => once(socket, "close")));
    expect(await post()).toBe(200);
    expect(sockets).toHaveLength(3);
  });

  it("that the receiver closes are dropped, and the next request has a new one", async () => {
    open();
    answer = (response) => response.setHeader("Connection", "close").end();
    expect(await postAndLeave()).toBe(200);
    answer = (response) => response.socket?.destroy();
    expect(await postAndLeave()).toBe("UND_ERR_SOCKET");
    answer = (response) => response.end();
    for (let i = 0; i < 3; i++) expect(await postAndLeave()).toBe(200);
    expect(sockets).toHaveLength(3);
  });

  it("that cannot be opened fail only their request", async () => {
    open();
    server.close();
    await once(server, "close");
    expect(await postAndLeave()).toBe("ECONNREFUSED");
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    expect(await postAndLeave()).toBe(200);
  });

  it("end with their requests when they are destroyed", async () => {
    open();
    answer = () => {};
    const hanging = post();
    await once(server, "request");
    await connections.destroy();
    expect(await hanging).toBe("UND_ERR_DESTROYED");
  });
});
