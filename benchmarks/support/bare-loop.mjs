// The limit for delivering: sends signed requests from memory and records nothing.
// Arguments: port (for the readiness check and the start), receiver, requests, concurrency.
import { createServer } from "node:http";
import { createSignedSender } from "./signed-sender.mjs";

const [port, receiver, requests, concurrency] = process.argv.slice(2);
const send = createSignedSender(receiver, Number(concurrency));
const payload = `{"body":"a post of the benchmark","channel_id":"01890000-0000-7000-8000-000000000000","post_id":"01890000-0000-7000-8000-000000000000","author_username":"bench"}`;

let started = 0;
let finished = 0;

function sendNext() {
  if (started === Number(requests)) return;
  started += 1;
  const body = `{"update_id":${started},"event_type":"channel.post_created","payload":${payload},"created_at":"${new Date().toISOString()}"}`;
  send(body, (error) => {
    if (error) throw error;
    finished += 1;
    sendNext();
  });
}

createServer((request, response) => {
  if (request.url === "/go") for (let i = 0; i < Number(concurrency); i++) sendNext();
  response.end(String(finished));
}).listen(Number(port), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
