// The limit for delivering: sends signed requests from memory, and keeps no record of anything.
// Arguments: port (unused, for the readiness check), receiver, requests, concurrency.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { Agent } from "undici";

const [port, receiver, requests, concurrency] = process.argv.slice(2);
const agent = new Agent({ connections: Number(concurrency), pipelining: 1 });
const secret = "a-secret-token-of-the-benchmark";

let started = 0;
let finished = 0;

function sendNext() {
  if (started === Number(requests)) return;
  started += 1;
  const payload = `{"body":"a post of the benchmark","channel_id":"01890000-0000-7000-8000-000000000000","post_id":"01890000-0000-7000-8000-000000000000","author_username":"bench"}`;
  const body = `{"update_id":${started},"event_type":"channel.post_created","payload":${payload},"created_at":"${new Date().toISOString()}"}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  agent.dispatch(
    {
      origin: receiver,
      path: "/hook",
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-service-bot-api-timestamp": timestamp,
        "x-service-bot-api-secret-token": secret,
        "x-service-bot-api-signature": `sha256=${digest}`,
      },
      body,
    },
    {
      onRequestStart() {},
      onResponseStart() {},
      onResponseData() {},
      onResponseEnd() {
        finished += 1;
        sendNext();
      },
      onResponseError(_controller, error) {
        throw error;
      },
    },
  );
}

createServer((request, response) => {
  if (request.url === "/go") for (let i = 0; i < Number(concurrency); i++) sendNext();
  response.end(String(finished));
}).listen(Number(port), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
