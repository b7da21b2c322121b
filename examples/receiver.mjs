// A webhook receiver in one file: checks that an update is genuine, prints it and accepts it. Node built-ins only.
//
//   SECRET_TOKEN=… node examples/receiver.mjs        listens on http://127.0.0.1:9000
//
// PORT sets another port.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";

const secretToken = process.env.SECRET_TOKEN ?? "";
const port = Number(process.env.PORT ?? 9000);
/** An older signature may be a replayed request. */
const MAX_AGE_S = 300;
/** Delivery is at least once: the same update can come again. */
const seen = new Set();

if (secretToken === "") {
  console.error("SECRET_TOKEN must be the webhook's secret_token");
  process.exit(1);
}

createServer((request, response) => {
  receive(request, response).catch((error) => {
    console.log(`could not read a request: ${error.message}`);
    response.writeHead(400).end();
  });
}).listen(port, "127.0.0.1", () => console.log(`receiver listens on http://127.0.0.1:${port}`));

async function receive(request, response) {
  // The signature covers the raw bytes: parsing and serialising again would change them.
  const body = await buffer(request);
  if (!isGenuine(request.headers, body)) {
    console.log("refused a request that is not genuine");
    response.writeHead(401).end();
    return;
  }
  print(JSON.parse(body.toString("utf8")));
  // A status below 300 tells the service that the update was accepted.
  response.writeHead(204).end();
}

function isGenuine(headers, body) {
  const timestamp = headers["x-service-bot-api-timestamp"] ?? "";
  const signature = createHmac("sha256", secretToken).update(`${timestamp}.`).update(body).digest("hex");
  return (
    isEqual(headers["x-service-bot-api-secret-token"] ?? "", secretToken) &&
    isEqual(headers["x-service-bot-api-signature"] ?? "", `sha256=${signature}`) &&
    Math.abs(Date.now() / 1000 - Number(timestamp)) <= MAX_AGE_S
  );
}

/** Compares in constant time. */
function isEqual(given, expected) {
  const [a, b] = [given, expected].map((text) => createHmac("sha256", secretToken).update(text).digest());
  return timingSafeEqual(a, b);
}

function print({ update_id, event_type, payload }) {
  const again = seen.has(update_id) ? " (seen before)" : "";
  seen.add(update_id);
  console.log(
    `verified update ${update_id} ${event_type}${again}: ${payload.author_username}: ${payload.body}`,
  );
}
