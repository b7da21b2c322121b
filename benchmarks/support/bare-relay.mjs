// The limit for latency: the bare route, which forwards each post at once and records nothing.
// Arguments: port, receiver.

import { servePostRoute } from "./post-route.mjs";
import { createSignedSender, updateBody } from "./signed-sender.mjs";

const [port, receiver] = process.argv.slice(2);
const send = createSignedSender(receiver, 256);
let updateId = 0;

await servePostRoute(Number(port), (post) => {
  updateId += 1;
  send(updateBody(updateId, post), (error) => {
    if (error) throw error;
  });
});
