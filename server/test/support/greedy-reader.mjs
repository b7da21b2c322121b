// A thread of clients that poll pages as fast as they can. A thread, so that it does not delay the measured clients.
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const { port, token, clients, pipelined, reads } = workerData;
const request = (offset) =>
  `GET /v1/bot-api/updates?limit=100&offset=${offset} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
const statuses = {};
let pages = 0;
const sockets = Array.from({ length: clients }, () => {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.write(request(0).repeat(pipelined));
  if (!reads) return socket.pause();
  let received = [];
  let length = 0;
  let missing = Number.POSITIVE_INFINITY;
  socket.on("data", (chunk) => {
    received.push(chunk);
    length += chunk.length;
    if (missing === Number.POSITIVE_INFINITY) {
      const head = Buffer.concat(received).toString("latin1");
      const bodyAt = head.indexOf("\r\n\r\n") + 4;
      if (bodyAt < 4) return;
      missing = bodyAt + Number(/content-length: (\d+)/i.exec(head)[1]);
    }
    if (length < missing) return;
    const answer = Buffer.concat(received).toString();
    const status = answer.slice(9, 12);
    statuses[status] = (statuses[status] ?? 0) + 1;
    pages += 1;
    const ids = [...answer.matchAll(/"update_id":(\d+)/g)];
    received = [];
    length = 0;
    missing = Number.POSITIVE_INFINITY;
    socket.write(request(ids.at(-1)?.[1] ?? 0));
  });
  return socket;
});
parentPort.on("message", () => {
  for (const socket of sockets) socket.destroy();
  parentPort.postMessage({ pages, statuses });
  parentPort.close();
});
