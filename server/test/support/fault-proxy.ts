import { connect, type Socket } from "node:net";
import { startRawServer } from "./raw-server.js";

/** What happens to a connection from the service. */
export type NetworkFault = (socket: Socket) => void;

/** A TCP proxy between the service and a receiver, with faults that the test switches on. */
export interface FaultProxy {
  port: number;
  /** Connections that met a fault so far. */
  injected(): number;
  /** Closes all connections, and applies the fault to every later one. */
  breakWith(fault: NetworkFault): void;
  /** Closes all connections, and forwards later ones again. */
  heal(): void;
  close(): Promise<void>;
}

/** @param port the receiver's, on loopback */
export async function startFaultProxy(port: number): Promise<FaultProxy> {
  const open = new Set<Socket>();
  let fault: NetworkFault | undefined;
  let injected = 0;

  const server = await startRawServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    if (!fault) return carry(socket, port);
    injected += 1;
    fault(socket);
  });
  const change = (next: NetworkFault | undefined): void => {
    fault = next;
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    port: server.port,
    injected: () => injected,
    breakWith: change,
    heal: () => change(undefined),
    close: server.close,
  };
}

function carry(socket: Socket, port: number): void {
  const onward = connect(port, "127.0.0.1");
  onward.on("error", () => socket.destroy());
  socket.on("close", () => onward.destroy());
  onward.on("close", () => socket.destroy());
  socket.pipe(onward).pipe(socket);
}
