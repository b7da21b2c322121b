import type { Socket } from "node:net";
import pg from "pg";
import { startRawServer } from "./raw-server.js";

/** How sessions get connections to the server. */
export type PoolMode = "transaction" | "session";

export interface Pooler {
  port: number;
  close(): Promise<void>;
}

/**
 * A pooler like PgBouncer: it signs in for its clients, and lends each a connection for one transaction or for its
 * whole session.
 *
 * @param url of the database behind it
 * @param maxConnections to the server; clients wait for a free one
 */
export async function startPooler(url: string, mode: PoolMode, maxConnections = 20): Promise<Pooler> {
  const idle: Backend[] = [];
  const all: Backend[] = [];
  const waiting: ((backend: Backend) => void)[] = [];

  const borrow = async (): Promise<Backend> => {
    const free = idle.pop();
    if (free) return free;
    if (all.length === maxConnections) return await new Promise((resolve) => waiting.push(resolve));
    const backend = connectBackend(url);
    all.push(backend);
    await backend.ready;
    return backend;
  };
  const giveBack = (backend: Backend): void => {
    const next = waiting.shift();
    if (next) next(backend);
    else idle.push(backend);
  };

  const server = await startRawServer((client) => {
    let backend: Backend | undefined;
    /** Answers still to come that end a round of messages. */
    let owed = 0;
    let hasStarted = false;
    let work = Promise.resolve();

    const take = async (message: Buffer): Promise<void> => {
      if (!hasStarted) {
        hasStarted = true;
        client.write(WELCOME);
        return;
      }
      const type = String.fromCharCode(message[0] ?? 0);
      if (type === "X") return;
      backend ??= await borrow();
      const lent = backend;
      lent.onMessage = (answer) => {
        client.write(answer);
        if (answer[0] !== READY) return;
        owed -= 1;
        if (owed > 0 || answer[5] !== IDLE || mode === "session") return;
        backend = undefined;
        giveBack(lent);
      };
      if (type === "Q" || type === "S") owed += 1;
      lent.socket().write(message);
    };
    const messages = splitMessages(() => !hasStarted);
    client.on("data", (chunk) => {
      for (const message of messages(chunk)) work = work.then(() => take(message));
    });
    client.on("close", () => {
      if (!backend) return;
      const left = backend;
      // Like PgBouncer's reset query.
      left.onMessage = (answer) => {
        if (answer[0] === READY) giveBack(left);
      };
      left.socket().write(query("ROLLBACK"));
      backend = undefined;
    });
  });

  return {
    port: server.port,
    async close() {
      await server.close();
      for (const { socket } of all) socket().destroy();
    },
  };
}

const READY = "Z".charCodeAt(0);
const IDLE = "I".charCodeAt(0);

/** A connection that is signed in. */
const WELCOME = Buffer.concat([
  Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]),
  Buffer.from([READY, 0, 0, 0, 5, IDLE]),
]);

function query(text: string): Buffer {
  const message = Buffer.alloc(6 + text.length);
  message.write("Q");
  message.writeInt32BE(5 + text.length, 1);
  message.write(text, 5);
  return message;
}

interface Backend {
  ready: Promise<void>;
  socket(): Socket;
  onMessage(message: Buffer): void;
}

/** A connection on which the driver has signed in and which the pooler then uses itself. */
function connectBackend(url: string): Backend {
  const driver = new pg.Client({ connectionString: url });
  driver.on("error", () => {});
  const socket = () => (driver as unknown as { connection: { stream: Socket } }).connection.stream;
  const backend: Backend = { ready: Promise.resolve(), socket, onMessage() {} };
  backend.ready = (async () => {
    await driver.connect();
    socket().removeAllListeners("data");
    const messages = splitMessages(() => false);
    socket().on("data", (chunk) => {
      for (const message of messages(chunk)) backend.onMessage(message);
    });
  })();
  return backend;
}

/** Splits a stream into messages: a letter, a length, the rest; a client's first message has no letter. */
function splitMessages(isFirst: () => boolean): (chunk: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0);
  let hasFirst = isFirst();
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Buffer[] = [];
    for (;;) {
      const letter = hasFirst ? 0 : 1;
      if (rest.length < letter + 4) return messages;
      const length = letter + rest.readInt32BE(letter);
      if (rest.length < length) return messages;
      messages.push(rest.subarray(0, length));
      rest = rest.subarray(length);
      hasFirst = false;
    }
  };
}
