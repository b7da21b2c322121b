import { connect, type Socket } from "node:net";
import { type RawServer, startRawServer } from "./raw-server.js";

/** An HTTP proxy on a loopback port. */
export interface Proxy {
  server: RawServer;
  /** The heads of its requests. */
  heads: string[];
}

/**
 * @param port the target of every tunnel, whatever was requested
 * @param status the status line of its answer instead of a tunnel; empty: it never answers
 */
export async function startProxy(port: number, status = "200 OK"): Promise<Proxy> {
  const heads: string[] = [];
  const server = await startRawServer((socket: Socket) => {
    socket.once("data", (head) => {
      heads.push(head.toString("latin1"));
      if (status !== "") socket.write(`HTTP/1.1 ${status}\r\n\r\n`);
      if (!status.startsWith("200")) return;
      const onward = connect(port, "127.0.0.1");
      onward.on("error", () => socket.destroy());
      socket.on("close", () => onward.destroy());
      socket.pipe(onward).pipe(socket);
    });
  });
  return { server, heads };
}
