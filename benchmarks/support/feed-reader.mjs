// Reads the platform's feed with a consumer until it is told to stop, as the SDK does: a page, then its position is kept,
// then the next. A process of its own, as in production: in the load generator's it would slow down the load.
// Arguments: URL of the service, the platform's token.
const [url, token] = process.argv.slice(2);
const CONSUMER = "bench";
const LIMIT = 500;

let isStopped = false;
let items = 0;
process.once("message", () => {
  isStopped = true;
});
// It reads what is there before it says that it has begun.
let hasBegun = false;
while (!isStopped) {
  const page = await call("GET", `/v1/platform/feed?consumer=${CONSUMER}&limit=${LIMIT}&timeout=1`);
  if (page.items.length > 0) await call("PUT", `/v1/platform/consumers/${CONSUMER}`, { cursor: page.cursor });
  if (hasBegun) items += page.items.length;
  if (!hasBegun && page.items.length < LIMIT) {
    hasBegun = true;
    process.send("begun");
  }
}
process.send(items);
process.disconnect();

async function call(method, path, body) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body ? { "content-type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}
