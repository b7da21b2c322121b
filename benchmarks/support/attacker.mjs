// Sends requests as fast as they are answered, in a process of its own: `attacker.mjs FILE`, where FILE has an Attack as JSON.
//
// @typedef {{ url: string, seconds: number, reads: boolean, connections: { method: string, path: string, token: string,
//   body?: object }[][], webhooks?: { token: string, botIds: string[] } }} Attack for each connection the requests that it
//   repeats; without `reads` it reads no answer; the bots of `webhooks` get one that answers without end
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { ENDLESS_ANSWERS } from "./attacks.mjs";
import { openHttpClient } from "./http-client.mjs";

const { url, seconds, reads, connections, webhooks } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { host, hostname, port } = new URL(url);
const endsAt = Date.now() + seconds * 1000;
/** Attackers have addresses of their own. Other systems have no second one that is always there. */
const LOCAL_ADDRESS = process.platform === "linux" ? "127.0.0.2" : undefined;
/** Requests that a connection which reads nothing sends ahead. */
const SENT_AHEAD = 16;

if (webhooks) await setWebhooks(webhooks, await startReceiver());
await Promise.all(connections.map((requests) => (reads ? repeat(requests) : sendAhead(requests))));
process.exit(0);

async function repeat(requests) {
  const texts = requests.map(textOf);
  const client = await openHttpClient(url, LOCAL_ADDRESS).catch(() => undefined);
  for (let turn = 0; client && Date.now() < endsAt; turn++) {
    // A refusal is an answer, too.
    await client.send(texts[turn % texts.length]).catch(() => {});
  }
}

async function sendAhead(requests) {
  const socket = connect({ host: hostname, port: Number(port), localAddress: LOCAL_ADDRESS }).on(
    "error",
    () => {},
  );
  socket.pause();
  socket.write(
    Array.from({ length: SENT_AHEAD }, (_, turn) => textOf(requests[turn % requests.length])).join(""),
  );
  await new Promise((resolve) => setTimeout(resolve, endsAt - Date.now()));
  socket.destroy();
}

/** @returns its URL */
async function startReceiver() {
  let accepted = 0;
  const server = createServer((socket) => {
    const { begin, repeat: part } = ENDLESS_ANSWERS[accepted++ % ENDLESS_ANSWERS.length];
    const parts = part.repeat(1_000);
    const send = () => {
      while (!socket.destroyed && socket.write(parts));
    };
    socket.on("error", () => {}).on("drain", send);
    socket.once("data", () => {
      socket.write(begin);
      send();
    });
    socket.resume();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${server.address().port}/hook`;
}

async function setWebhooks({ token, botIds }, webhookUrl) {
  const client = await openHttpClient(url);
  for (const botId of botIds) {
    await client.send(
      textOf({ method: "PUT", path: `/v1/bot-api/bots/${botId}/webhook`, token, body: { url: webhookUrl } }),
    );
  }
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
