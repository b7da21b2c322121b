import { createHmac } from "node:crypto";
import { Agent } from "undici";

export const SECRET = "a-secret-token-of-the-benchmark";

/** The body of a webhook request, as the service writes it. */
export function updateBody(updateId, post) {
  const payload = JSON.stringify({
    body: post.body,
    channel_id: post.channel_id,
    post_id: post.id,
    author_username: post.author_username,
  });
  return `{"update_id":${updateId},"event_type":"channel.post_created","payload":${payload},"created_at":"${post.created_at}"}`;
}

/**
 * Sends signed webhook requests with undici alone.
 *
 * @returns a function that sends one body; `onEnd` gets an error unless the status is below 300
 */
export function createSignedSender(receiver, connections) {
  const agent = new Agent({ connections, pipelining: 1 });
  return (body, onEnd) => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const digest = createHmac("sha256", SECRET).update(`${timestamp}.${body}`).digest("hex");
    let status = 0;
    agent.dispatch(
      {
        origin: receiver,
        path: "/hook",
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-service-bot-api-timestamp": timestamp,
          "x-service-bot-api-secret-token": SECRET,
          "x-service-bot-api-signature": `sha256=${digest}`,
        },
        body,
      },
      {
        onRequestStart() {},
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData() {},
        onResponseEnd: () => onEnd(status < 300 ? undefined : new Error(`answered ${status}`)),
        onResponseError: (_controller, error) => onEnd(error),
      },
    );
  };
}
