import type { Socket } from "node:net";
import { type buildConnector, Client, type Dispatcher } from "undici";
import { limitAnswers, MAX_FRAMING_BYTES } from "./answer-limit.js";

/** Handles an answer, and knows how many bytes of its body have arrived. */
export interface AnswerHandler extends Dispatcher.DispatchHandler {
  readonly bodyBytes: number;
}

/** The part of undici's dispatcher that a sender uses. */
export interface HttpClient extends Pick<Dispatcher, "destroy"> {
  /** @returns how many bytes have been received for the request so far, to be called before the next one on its connection */
  dispatch(request: Dispatcher.DispatchOptions, handler: AnswerHandler): () => number;
}

export interface ConnectionOptions extends Client.Options {
  connect: buildConnector.connector;
  /** A connection gets no further request after this. */
  maxAgeMs: number;
}

interface Connection {
  client: Client;
  /** The last one. */
  socket?: Socket;
  /** Of the last request. */
  handler?: AnswerHandler;
  /** In milliseconds of `performance.now`; undefined while there is no socket. */
  connectedAt?: number;
  isIdle: boolean;
}

interface Receiver {
  /** Last in, first out: with little traffic a few stay in use, and the others reach their keep-alive time-out. */
  idle: Connection[];
  connectionCount: number;
}

/**
 * Kept-alive connections to any number of receivers, one request at a time on each. The caller bounds how many requests
 * are in flight, and so how many connections there are.
 *
 * undici's own pool goes through all connections twice a request to find a free one: with 128 connections that took 7
 * µs of a delivery's 65. Here the idle ones are in a list.
 */
export function createConnections({ maxAgeMs, ...options }: ConnectionOptions): HttpClient {
  const receivers = new Map<string, Receiver>();
  const clients = new Set<Client>();

  return {
    dispatch(request, handler) {
      const origin = String(request.origin);
      const receiver = receivers.get(origin) ?? addReceiver(origin);
      const connection = takeIdle(receiver) ?? open(origin, receiver);
      const { client, socket } = connection;
      const bytesBefore = socket?.bytesRead ?? 0;
      connection.handler = handler;
      client.dispatch(request, handler);
      return () => (connection.socket?.bytesRead ?? 0) - (connection.socket === socket ? bytesBefore : 0);
    },
    async destroy() {
      await Promise.all([...clients].map((client) => client.destroy()));
    },
  };

  function addReceiver(origin: string): Receiver {
    const receiver = { idle: [], connectionCount: 0 };
    receivers.set(origin, receiver);
    return receiver;
  }

  function takeIdle({ idle }: Receiver): Connection | undefined {
    const oldest = performance.now() - maxAgeMs;
    for (let connection = idle.pop(); connection; connection = idle.pop()) {
      connection.isIdle = false;
      if ((connection.connectedAt ?? 0) > oldest) return connection;
      // "disconnect" follows, as with any other end.
      void connection.client.close();
    }
    return undefined;
  }

  function open(origin: string, receiver: Receiver): Connection {
    const connect = limitAnswers(
      options.connect,
      () => MAX_FRAMING_BYTES + (connection.handler?.bodyBytes ?? 0),
    );
    const client = new Client(origin, {
      ...options,
      // The limit on an answer ends it before.
      maxHeaderSize: 2 * MAX_FRAMING_BYTES,
      connect: (to, callback) =>
        connect(to, (...connected) => {
          if (connected[1]) connection.socket = connected[1];
          callback(...connected);
        }),
    });
    const connection: Connection = { client, isIdle: false };
    clients.add(client);
    receiver.connectionCount += 1;

    const forget = (): void => {
      if (!clients.delete(client)) return;
      receiver.connectionCount -= 1;
      if (receiver.connectionCount === 0) receivers.delete(origin);
    };
    client
      .on("connect", () => {
        connection.connectedAt = performance.now();
      })
      .on("disconnect", () => {
        delete connection.connectedAt;
        if (connection.isIdle) receiver.idle.splice(receiver.idle.indexOf(connection), 1);
        // For a request that waits, undici opens a new socket.
        if (client.stats.size === 0) forget();
      })
      // Its request has ended, whatever the result.
      .on("drain", () => {
        if (connection.connectedAt === undefined) return forget();
        connection.isIdle = true;
        receiver.idle.push(connection);
      });
    return connection;
  }
}
