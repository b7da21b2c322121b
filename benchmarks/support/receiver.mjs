// A webhook receiver that only counts. GET / tells how many requests came and when the first and the last one did.
import { createServer } from "node:http";

let count = 0;
let firstAt = 0;
let lastAt = 0;

createServer((request, response) => {
  if (request.method === "GET") {
    if (request.url === "/reset") count = 0;
    response.end(JSON.stringify({ count, firstAt, lastAt }));
    return;
  }
  request.resume();
  request.on("end", () => {
    lastAt = performance.timeOrigin + performance.now();
    if (count === 0) firstAt = lastAt;
    count += 1;
    response.end();
  });
}).listen(Number(process.argv[2]), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
