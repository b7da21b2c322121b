// Bots that poll, and respond to each interaction with a private response. A process of its own, as in production.
// Arguments: URL of the service, then the bots' tokens. Says when all of them poll.
import { Agent } from "undici";

const [url, ...tokens] = process.argv.slice(2);
const dispatcher = new Agent({ connections: 2 * tokens.length, pipelining: 1, headersTimeout: 60_000 });
const RESPONSE = JSON.stringify({ type: "private", body: "an answer of ordinary length" });

async function call(method, path, token, body) {
  const answer = await dispatcher.request({
    origin: url,
    path,
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body }),
  });
  const content = await answer.body.json();
  if (answer.statusCode >= 300) throw new Error(content.error);
  return content;
}

async function poll(token) {
  for (let offset = 0; ; ) {
    const { items } = await call("GET", `/v1/bot-api/updates?offset=${offset}&timeout=30`, token);
    for (const { update_id, event_type, payload } of items) {
      offset = update_id;
      if (event_type !== "interaction.created") continue;
      call("POST", `/v1/bot-api/interactions/${payload.interaction_id}/responses`, token, RESPONSE).catch(
        fail,
      );
    }
  }
}

function fail(error) {
  process.nextTick(() => {
    throw error;
  });
}

process.once("message", () => process.exit(0));
for (const token of tokens) poll(token).catch(fail);
process.send("begun");
