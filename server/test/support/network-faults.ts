import type { Socket } from "node:net";
import type { NetworkFault } from "./fault-proxy.js";

const CHUNK = Buffer.alloc(64 * 1024, "x");
const GIGABYTE = 2 ** 30;
const DRIP_EVERY_MS = 20;

/** Waits for the first bytes of the request. What follows them is let pass by. */
const onRequest =
  (act: NetworkFault): NetworkFault =>
  (socket) => {
    socket.once("data", () => act(socket));
  };

export const reset: NetworkFault = (socket) => socket.resetAndDestroy();
export const hangUp: NetworkFault = (socket) => socket.end();
/** Takes everything and says nothing. */
export const stall: NetworkFault = (socket) => socket.resume();
/** Does not even take what the service sends. */
export const takeNothing: NetworkFault = (socket) => socket.pause();

/** Says `text` once the request begins to come. */
export const say = (text: string): NetworkFault => onRequest((socket) => socket.write(text));
/** The same, and ends the connection. */
export const sayAndHangUp = (text: string): NetworkFault => onRequest((socket) => socket.end(text));
export const resetOnRequest = onRequest(reset);
export const hangUpOnRequest = onRequest(hangUp);
/** Says `text` before there is any request, and reads none. */
export const sayUnasked =
  (text: string): NetworkFault =>
  (socket) => {
    socket.write(text);
    socket.pause();
  };
/** Says `text`, and leaves what is still to come of the request where it is. */
export const sayUnread = (text: string): NetworkFault =>
  onRequest((socket) => {
    socket.pause();
    socket.write(text);
  });

/** Begins with `head`, then goes on with `drop` for ever, a little at a time. */
export const drip = (head: string, drop: string): NetworkFault =>
  onRequest((socket) => {
    socket.write(head);
    const dripping = setInterval(() => socket.write(drop), DRIP_EVERY_MS);
    socket.on("close", () => clearInterval(dripping));
  });

/** Begins with `head`, then sends a gigabyte as fast as it is taken. */
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

/** Begins a TLS handshake that comes to nothing: `answer` is no ServerHello. */
export const breakHandshake = (answer: string): NetworkFault =>
  onRequest((socket: Socket) => socket.end(answer, "latin1"));
