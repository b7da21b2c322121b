import { connect, type Socket } from "node:net";
import { startRawServer } from "./raw-server.js";

/** A TCP proxy on loopback whose target can change, like the one in front of a database with standbys. */
export interface SwitchedProxy {
  port: number;
  /** Cuts all connections, and refuses new ones. */
  cut(): void;
  /** From now on holds back for so long what the target sends. What is held back when a connection ends is lost. */
  delay(ms: number): void;
  /** Where new connections go. */
  leadTo(port: number): void;
  close(): Promise<void>;
}

export async function startSwitchedProxy(port: number): Promise<SwitchedProxy> {
  const open = new Set<Socket>();
  let target: number | undefined = port;
  let delayMs = 0;
  const server = await startRawServer((socket) => {
    if (target === undefined) {
      socket.destroy();
      return;
    }
    const onward = connect(target, "127.0.0.1");
    for (const end of [socket, onward]) {
      open.add(end);
      end.on("error", () => {});
      end.on("close", () => {
        open.delete(end);
        (end === socket ? onward : socket).destroy();
      });
    }
    socket.pipe(onward);
    onward.on("data", (bytes) => {
      const pass = () => socket.writable && socket.write(bytes);
      if (delayMs === 0) pass();
      else setTimeout(pass, delayMs);
    });
  });
  return {
    port: server.port,
    cut() {
      target = undefined;
      for (const end of open) end.destroy();
    },
    delay(ms) {
      delayMs = ms;
    },
    leadTo(next) {
      target = next;
    },
    close: server.close,
  };
}
