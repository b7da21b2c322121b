import { Server } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";

/** Where to listen, and the settings behind it, for error messages. */
export interface ListenAt {
  host: string;
  /** 0 lets the system choose. */
  port: number;
  hostSetting: string;
  portSetting: string;
}

/**
 * Where `localhost` has several addresses, Fastify would create a server for each, and the settings of `app.server` (limits,
 * handlers, drain) would apply to one of them only. Clients that connect to `localhost` try this address too.
 */
const LOCALHOST = "127.0.0.1";

/**
 * Connections that wait to be accepted, as far as the system allows (`net.core.somaxconn`). Linux drops more than that, whose clients try again after 1, 3, 7
 * and 15 s: with Node's 511 a thousand that came at once took up to half a minute on a busy machine.
 */
const BACKLOG = 4_096;

/**
 * Listens.
 *
 * @returns the URL at which a client on this machine reaches it
 * @throws Error with one line that says why it cannot listen
 */
export async function listen(app: FastifyInstance, at: ListenAt): Promise<string> {
  const { host, port } = at;
  try {
    await app.listen({ host: host === "localhost" ? LOCALHOST : host, port, backlog: BACKLOG });
  } catch (error) {
    throw new Error(failureMessage(error as NodeJS.ErrnoException, at), { cause: error });
  }
  const address = app.server.address();
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  const name = reachable.includes(":") ? `[${reachable}]` : reachable;
  return `http://${name}:${typeof address === "object" && address ? address.port : port}`;
}

/** A turn of the event loop is quiet when it takes less; a connection is accepted and its request read in about as much. */
const QUIET_TURN_MS = 0.1;
const MAX_TURNS = 1_000;
/** How long a connection that was accepted last may take to send its request. A busy balancer took more than 50 ms. */
const FIRST_REQUEST_MS = 250;

/**
 * Accepts no more connections, and lets those that were made send their request. The kernel resets connections that wait to be
 * accepted when the listener closes, and a balancer must not send their POSTs again. So it is closed right after a turn
 * of the event loop that found nothing to do: 5 of 100,000 posts failed without this in 48 restarts behind nginx and HAProxy.
 */
export async function stopListening({ server }: FastifyInstance): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const startedAt = performance.now();
    await nextTurn();
    if (performance.now() - startedAt < QUIET_TURN_MS) break;
  }
  // The method of an HTTP server closes connections that have not sent a request yet.
  Server.prototype.close.call(server);
  await sleep(FIRST_REQUEST_MS);
}

function failureMessage({ code, message }: NodeJS.ErrnoException, at: ListenAt): string {
  const { host, port, hostSetting, portSetting } = at;
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} of ${host} is taken by another program: stop that one or set ${portSetting}`;
    case "EACCES":
      return `port ${port} of ${host} needs more rights than this user has: set ${portSetting} to 1024 or above`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${hostSetting} ${host} is not an address of this machine`;
    default:
      return `cannot listen on port ${port} of ${host}: ${message}`;
  }
}
