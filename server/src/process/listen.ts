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
 * Listens.
 *
 * @returns the URL at which a client on this machine reaches it
 * @throws Error with one line that says why it cannot listen
 */
export async function listen(app: FastifyInstance, at: ListenAt): Promise<string> {
  const { host, port } = at;
  try {
    await app.listen({ host: host === "localhost" ? LOCALHOST : host, port });
  } catch (error) {
    throw new Error(failureMessage(error as NodeJS.ErrnoException, at), { cause: error });
  }
  const address = app.server.address();
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  const name = reachable.includes(":") ? `[${reachable}]` : reachable;
  return `http://${name}:${typeof address === "object" && address ? address.port : port}`;
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
