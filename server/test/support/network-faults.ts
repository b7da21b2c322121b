import type { Socket } from "node:net";
import type { NetworkFault } from "./fault-proxy.js";

const CHUNK = Buffer.alloc(64 * 1024, "x");
const GIGABYTE = 2 ** 30;
const DRIP_EVERY_MS = 20;

/** Waits for the first bytes of the request and ignores the rest. */
const onRequest =
  (act: NetworkFault): NetworkFault =>
  (socket) => {
    socket.once("data", () => act(socket));
  };

export const reset: NetworkFault = (socket) => socket.resetAndDestroy();
export const hangUp: NetworkFault = (socket) => socket.end();
/** Reads everything and sends nothing. */
export const stall: NetworkFault = (socket) => socket.resume();
/** Reads nothing. */
export const takeNothing: NetworkFault = (socket) => socket.pause();

/** Sends `text` when the request begins to arrive. */
export const say = (text: string): NetworkFault => onRequest((socket) => socket.write(text));
/** Sends `text` when the request begins to arrive, and closes the connection. */
export const sayAndHangUp = (text: string): NetworkFault => onRequest((socket) => socket.end(text));
export const resetOnRequest = onRequest(reset);
export const hangUpOnRequest = onRequest(hangUp);
/** Sends `text` before any request, and reads none. */
export const sayUnasked =
  (text: string): NetworkFault =>
  (socket) => {
    socket.write(text);
    socket.pause();
  };
/** Sends `text`, and leaves the rest of the request unread. */
export const sayUnread = (text: string): NetworkFault =>
  onRequest((socket) => {
    socket.pause();
    socket.write(text);
  });

/** Sends `head`, then `drop` again and again without end. */
export const drip = (head: string, drop: string): NetworkFault =>
  onRequest((socket) => {
    socket.write(head);
    const dripping = setInterval(() => socket.write(drop), DRIP_EVERY_MS);
    socket.on("close", () => clearInterval(dripping));
  });

/** Sends `head`, then a gigabyte as fast as it is read. */
export const pour = (head: string): NetworkFault =>
  onRequest((socket) => {
    socket.write(head);
    let left = GIGABYTE;
    const pouring = (): void => {
      while (left > 0 && !socket.destroyed && socket.write(CHUNK)) left -= CHUNK.length;
    };
    socket.on("drain", pouring);
    pouring();
  });

/** Fails a TLS handshake: `answer` is not a ServerHello. */
export const breakHandshake = (answer: string): NetworkFault =>
  onRequest((socket: Socket) => socket.end(answer, "latin1"));
