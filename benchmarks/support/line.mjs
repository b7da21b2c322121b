import { once } from "node:events";
import { connect } from "node:net";

/**
 * A connection on which one request at most is under way.
 *
 * @returns `send` takes a whole request and is done when its answer is there; it throws unless that is a success
 */
export async function openLine(url) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");
  let received = "";
  let asked = "";
  let settle = { resolve() {}, reject() {} };
  socket.setEncoding("latin1");
  socket.on("error", (error) => settle.reject(error));
  socket.on("close", () => settle.reject(new Error(`${url} closed the connection under a request`)));
  socket.on("data", (text) => {
    received += text;
    const headBytes = received.indexOf("\r\n\r\n") + 4;
    if (headBytes < 4) return;
    const bodyBytes = Number(/\r\ncontent-length: *(\d+)/i.exec(received.slice(0, headBytes))?.[1]);
    if (received.length < headBytes + bodyBytes) return;
    const answer = received;
    received = "";
    if (answer.startsWith("HTTP/1.1 20")) settle.resolve(answer);
    else settle.reject(new Error(`${url} answered ${asked} with: ${answer}`));
  });
  return {
    /** @param {string} request */
    send(request) {
      return new Promise((resolve, reject) => {
        settle = { resolve, reject };
        asked = request.slice(0, request.indexOf("\r\n"));
        if (socket.destroyed) reject(new Error(`${url} closed an idle connection`));
        socket.write(request, "latin1");
      });
    },
    close() {
      settle = { resolve() {}, reject() {} };
      socket.destroy();
    },
  };
}
