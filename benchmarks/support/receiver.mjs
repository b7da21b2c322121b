// A webhook receiver that counts requests and records the age of every post at the first byte of its request.
// A batch counts as many requests as it has updates. POST /hang is never answered, POST /refuse is answered 503, POST /slow 200 after 9 s, every other POST 200 at once.
// GET / returns the number of requests and the times of the first and the last one, GET /ages their ages too; GET /reset starts over.
import { createServer } from "node:http";
import { percentile } from "./figures.mjs";
import { monotonicMs, sentAtMs } from "./stamp.mjs";

/** A second less than the service's default time-out. */
const SLOW_MS = 9_000;

const MARK = Buffer.from('"update_id":');

let count = 0;
let firstAt = 0;
let lastAt = 0;
let agesMs = [];

createServer((request, response) => {
  if (request.method === "GET") return answerGet(request.url, response);
  const at = monotonicMs();
  let updates = 0;
  /** Too short to have the mark, it may begin with the next chunk's. */
  let rest = Buffer.alloc(0);
  request.on("data", (chunk) => {
    updates += updatesIn(rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk);
    rest = chunk.subarray(-(MARK.length - 1));
    const sentAt = sentAtMs(chunk);
    if (sentAt !== undefined) agesMs.push(at - sentAt);
  });
  request.on("end", () => {
    lastAt = monotonicMs();
    if (count === 0) firstAt = lastAt;
    count += Math.max(1, updates);
    if (request.url === "/hang") return;
    if (request.url === "/slow") return setTimeout(() => response.end(), SLOW_MS);
    if (request.url === "/refuse") response.statusCode = 503;
    response.end();
  });
}).listen(Number(process.argv[2]), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));

/** By a text that each update has once. */
function updatesIn(chunk) {
  let count = 0;
  for (let at = chunk.indexOf(MARK); at >= 0; at = chunk.indexOf(MARK, at + MARK.length)) count += 1;
  return count;
}

function answerGet(url, response) {
  if (url === "/reset") {
    count = 0;
    agesMs = [];
  }
  const ages = url === "/ages" ? { ages: agesMs.length, ...percentilesOf(agesMs) } : {};
  response.end(JSON.stringify({ count, firstAt, lastAt, ...ages }));
}

function percentilesOf(values) {
  return { p50: percentile(values, 0.5), p99: percentile(values, 0.99), p999: percentile(values, 0.999) };
}
