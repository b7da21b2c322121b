// Sends requests as fast as they are answered, in a process of its own: `attacker.mjs FILE`, where FILE has an Attack as JSON.
//
// @typedef {{ url: string, seconds: number, reads: boolean, connections: { method: string, path: string, token: string,
//   body?: object }[][] }} Attack for each connection the requests that it repeats; without `reads` it reads no answer
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { openHttpClient } from "./http-client.mjs";

const { url, seconds, reads, connections } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { host, hostname, port } = new URL(url);
const endsAt = Date.now() + seconds * 1000;
/** Requests that a connection which reads nothing sends ahead. */
const SENT_AHEAD = 16;

await Promise.all(connections.map((requests) => (reads ? repeat(requests) : sendAhead(requests))));
process.exit(0);

async function repeat(requests) {
  const texts = requests.map(textOf);
  const client = await openHttpClient(url).catch(() => undefined);
  for (let turn = 0; client && Date.now() < endsAt; turn++) {
    // A refusal is an answer, too.
    await client.send(texts[turn % texts.length]).catch(() => {});
  }
}

async function sendAhead(requests) {
  const socket = connect(Number(port), hostname).on("error", () => {});
  socket.pause();
  socket.write(
    Array.from({ length: SENT_AHEAD }, (_, turn) => textOf(requests[turn % requests.length])).join(""),
  );
  await new Promise((resolve) => setTimeout(resolve, endsAt - Date.now()));
  socket.destroy();
}

function textOf({ method, path, token, body }) {
  const text = body ? JSON.stringify(body) : "";
  const fields = body
    ? `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`
    : method === "GET"
      ? ""
      : "Content-Length: 0\r\n";
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n${fields}\r\n${Buffer.from(text).toString("latin1")}`;
}
