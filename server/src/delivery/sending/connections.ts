import { Client, type Dispatcher } from "undici";

/** What a sender needs of an HTTP client. */
export type Way = Pick<Dispatcher, "dispatch" | "destroy">;

export interface ConnectionOptions extends Client.Options {
  /** A connection gets no further request after this. */
  maxAgeMs: number;
}

interface Connection {
  client: Client;
  /** On the clock that nobody sets; undefined while there is no socket. */
  connectedAt?: number;
  isIdle: boolean;
}

interface Receiver {
  /** Used last, taken first: so in quiet times a few stay in use, and the others run into their time-out. */
  idle: Connection[];
  connectionCount: number;
}

/**
 * Kept-alive connections to any number of receivers, one request at a time on each. Whoever dispatches bounds how many
 * there are.
 *
 * undici's own pool looks for a free connection by going through them all, twice a request, and takes the time at each of
 * them: with 128 connections 7 µs of a delivery's 65. Here the free ones are at hand.
 */
export function createConnections({ maxAgeMs, ...options }: ConnectionOptions): Way {
  const receivers = new Map<string, Receiver>();
  const clients = new Set<Client>();

  return {
    dispatch(request, handler) {
      const origin = String(request.origin);
      const receiver = receivers.get(origin) ?? meet(origin);
      const { client } = takeIdle(receiver) ?? open(origin, receiver);
      return client.dispatch(request, handler);
    },
    async destroy() {
      await Promise.all([...clients].map((client) => client.destroy()));
    },
  };

  function meet(origin: string): Receiver {
    const receiver = { idle: [], connectionCount: 0 };
    receivers.set(origin, receiver);
    return receiver;
  }

  function takeIdle({ idle }: Receiver): Connection | undefined {
    const oldest = performance.now() - maxAgeMs;
    for (let connection = idle.pop(); connection; connection = idle.pop()) {
      connection.isIdle = false;
      if ((connection.connectedAt ?? 0) > oldest) return connection;
      // Its end is told by "disconnect", like any other.
      void connection.client.close();
    }
    return undefined;
  }

  function open(origin: string, receiver: Receiver): Connection {
    const client = new Client(origin, options);
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
        // For a request that waits it makes itself a new socket.
        if (client.stats.size === 0) forget();
      })
      // It has come to the end of its request, whatever the end was.
      .on("drain", () => {
        if (connection.connectedAt === undefined) return forget();
        connection.isIdle = true;
        receiver.idle.push(connection);
      });
    return connection;
  }
}
