import { once } from "node:events";
import { connect } from "node:net";

/**
 * A client with one connection and at most one request in flight. The service closes a connection that is idle for 10 s, or
 * for 72 s after an answer; like any HTTP client, this one then opens another. On a slow machine most clients are never used.
 *
 * @param localAddress where it connects from
 * @returns `send` takes a whole request as text and resolves with its answer; it throws unless that is a success
 */
export async function openHttpClient(url, localAddress) {
  const { hostname, port } = new URL(url);
  let socket;
  let received = "";
  let asked = "";
  let settle = { resolve() {}, reject() {} };

  const open = async () => {
    const opened = connect({ host: hostname, port: Number(port), localAddress, noDelay: true });
    socket = opened;
    await once(opened, "connect");
    received = "";
    opened.setEncoding("latin1");
    opened.on("error", (error) => settle.reject(error));
    opened.on("close", () => settle.reject(new Error(`${url} closed the connection during a request`)));
    opened.on("data", receive);
  };

  const receive = (text) => {
    received += text;
    const headBytes = received.indexOf("\r\n\r\n") + 4;
    if (headBytes < 4) return;
    const bodyBytes = Number(/\r\ncontent-length: *(\d+)/i.exec(received.slice(0, headBytes))?.[1]);
    if (received.length < headBytes + bodyBytes) return;
    const answer = received;
    received = "";
    const { resolve, reject } = settle;
    settle = { resolve() {}, reject() {} };
    if (answer.startsWith("HTTP/1.1 20")) resolve(answer);
    else reject(new Error(`${url} answered ${asked} with: ${answer}`));
  };

  const write = (request) =>
    new Promise((resolve, reject) => {
      settle = { resolve, reject };
      asked = request.slice(0, request.indexOf("\r\n"));
      socket.write(request, "latin1");
    });

  await open();
  return {
    /** @param {string} request */
    send(request) {
      const isOpen = !socket.destroyed && !socket.readableEnded;
      return isOpen ? write(request) : open().then(() => write(request));
    },
    close() {
      settle = { resolve() {}, reject() {} };
      socket.destroy();
    },
  };
}
