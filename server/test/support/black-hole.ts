import { connect, type Socket } from "node:net";
import { startRawServer } from "./raw-server.js";

/** A TCP proxy to a server that can silence single connections while others continue. */
export interface BlackHole {
  port: number;
  /** Drops everything that the next active connection sends from now on, without closing it. */
  swallowNext(): void;
  swallowed(): number;
  close(): Promise<void>;
}

/** @param port the server's, on loopback */
export async function startBlackHole(port: number): Promise<BlackHole> {
  const swallowed = new Set<Socket>();
  let swallowsNext = false;
  const server = await startRawServer((socket) => {
    const onward = connect(port, "127.0.0.1");
    onward.on("error", () => socket.destroy());
    socket.on("close", () => onward.destroy());
    onward.on("close", () => socket.destroy());
    onward.pipe(socket);
    socket.on("data", (chunk) => {
      if (swallowsNext) swallowed.add(socket);
      swallowsNext = false;
      if (!swallowed.has(socket)) onward.write(chunk);
    });
  });
  return {
    port: server.port,
    swallowNext() {
      swallowsNext = true;
    },
    swallowed: () => swallowed.size,
    close: server.close,
  };
}
