import { type AddressInfo, createServer, type Socket } from "node:net";

/** A TCP server on a loopback port whose connections the test handles, for answers that no HTTP server sends. */
export interface RawServer {
  port: number;
  /** Connections that are open now. */
  open(): number;
  close(): Promise<void>;
}

export async function startRawServer(onConnection: (socket: Socket) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    open: () => sockets.size,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Answers the first bytes of a connection with `text`, unchanged. */
export const sayRaw =
  (text: string, end = false) =>
  (socket: Socket): void => {
    socket.once("data", () => (end ? socket.end(text) : socket.write(text)));
  };
