import { connect, type Socket } from "node:net";
import { startRawServer } from "./raw-server.js";

/** What becomes of one connection from the service. */
export type NetworkFault = (socket: Socket) => void;

/** A stretch of network between the service and a receiver that carries what it gets, until the test breaks it. */
export interface FaultProxy {
  port: number;
  /** Connections that met a fault so far. */
  injected(): number;
  /** Cuts the connections there are, and does this to every one that follows. */
  breakWith(fault: NetworkFault): void;
  /** Cuts the connections there are, and carries again what follows. */
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
