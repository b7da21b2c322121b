/** A PostgreSQL server, by its name, address or socket. */
export interface DatabaseServer {
  /** A folder, beginning with a slash, for a Unix socket; undefined for the driver's default. */
  host: string | undefined;
  port: number | undefined;
}

export interface DatabaseUrl {
  /** At least one, in the order in which they are preferred. */
  servers: readonly DatabaseServer[];
  /** As the driver reads it; with several servers, without any of them. */
  driverUrl: string;
  /** Whether only a server is used that can be written to: with several, or with `target_session_attrs=read-write`. */
  isPrimaryWanted: boolean;
  /** Database and servers, for people; without a password. */
  name: string;
}

/** Everything up to the @ may be user and password; a password has no unescaped slash, question mark or hash. */
const SHAPE = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)\/([^/?#]+)(?:\?([^#]*))?$/;
/** What a service that writes can use; `primary` is the newer word for the same. */
const SESSION_ATTRS = new Set(["any", "read-write", "primary"]);
const DEFAULT_PORT = 5432;

/**
 * Reads a URL of libpq's form: one or several servers, in the authority or as `host` and `port` of the query, Unix sockets among
 * them.
 *
 * @returns undefined when it is none
 */
export function parseDatabaseUrl(text: string): DatabaseUrl | undefined {
  const [, user = "", authority = "", path = "", query = ""] = SHAPE.exec(text) ?? [];
  try {
    if (path === "") return undefined;
    // The driver would fail here with a message of its own.
    for (const part of user.split(":")) decodeURIComponent(part);
    const parameters = new URLSearchParams(query);
    const servers = serversOf(authority, parameters);
    const attrs = parameters.get("target_session_attrs") ?? "any";
    if (!servers || !SESSION_ATTRS.has(attrs)) return undefined;
    const name = `${decodeURIComponent(path)} at ${parameters.get("host") || decodeURIComponent(authority) || "localhost"}`;
    const isMany = servers.length > 1;
    const isPrimaryWanted = isMany || attrs !== "any";
    if (!isMany && URL.canParse(text)) return { servers, driverUrl: text, isPrimaryWanted, name };
    if (isMany) for (const parameter of ["host", "port"]) parameters.delete(parameter);
    const driverUrl = `postgres://${user && `${user}@`}localhost/${path}?${parameters.toString()}`;
    return { servers, driverUrl, isPrimaryWanted, name };
  } catch {
    return undefined;
  }
}

/** The same URL, to be shown. */
export function withoutPassword(text: string): string {
  return text.replace(/^([^/]*\/\/[^:@/?#]*):[^/?#]*@/, "$1@").replace(/([?&]password=)[^&#]*/, "$1");
}

/** Undefined when one of them cannot be read. */
function serversOf(authority: string, parameters: URLSearchParams): DatabaseServer[] | undefined {
  const hosts = parameters.get("host")?.split(",");
  const ports = parameters.get("port")?.split(",");
  const written: [host: string, port: string][] = hosts
    ? hosts.map((host) => [host, ""])
    : authority.split(",").map((server) => {
        const [, host = server, port = ""] = /^(.*?)(?::([^:\]]*))?$/.exec(server) ?? [];
        return [decodeURIComponent(host.replace(/^\[(.+)\]$/, "$1")), port];
      });
  // One port is for all servers, as libpq has it.
  if (ports && ports.length > 1 && ports.length !== written.length) return undefined;
  const servers = written.map(([host, port], at) => {
    const digits = ports?.[ports.length === 1 ? 0 : at] || port;
    return { host: host || undefined, port: digits === "" ? undefined : Number(digits) };
  });
  const areRead = servers.every(
    ({ host, port = DEFAULT_PORT }) =>
      Number.isInteger(port) &&
      port > 0 &&
      port < 65_536 &&
      (servers.length === 1 || host) &&
      !/\s/.test(host ?? ""),
  );
  return areRead ? servers : undefined;
}
