const SECRET_HEADERS = "Only when the webhook has a secret token.";
const STANDARD_HEADERS =
  "Only when the secret token is `whsec_` and the base64 of 24 to 64 bytes, as libraries of [Standard Webhooks](https://www.standardwebhooks.com) expect it. An extension of Botyard.";

const headers = [
  {
    name: "X-Service-Bot-Api-Timestamp",
    in: "header",
    required: true,
    description:
      "When the attempt was made, in Unix seconds. Refuse old ones, so that a request cannot be sent again.",
    schema: { type: "string", pattern: "^[0-9]+$", examples: ["1769860800"] },
  },
  {
    name: "X-Service-Bot-Api-Secret-Token",
    in: "header",
    required: false,
    description: `The webhook's secret token; compare it first. ${SECRET_HEADERS}`,
    schema: { type: "string" },
  },
  {
    name: "X-Service-Bot-Api-Signature",
    in: "header",
    required: false,
    description: `\`sha256=\` and the HMAC-SHA256, in lower-case hex, of the timestamp, a dot and the unmodified body, with the secret token as the key. ${SECRET_HEADERS}`,
    schema: { type: "string", pattern: "^sha256=[0-9a-f]{64}$" },
  },
  {
    name: "webhook-id",
    in: "header",
    required: false,
    description: `The same for each attempt of an update, and of no other. A batch has one of its own, which begins like that of its first update and is the same when the same updates are sent again. ${STANDARD_HEADERS}`,
    schema: { type: "string" },
  },
  {
    name: "webhook-timestamp",
    in: "header",
    required: false,
    description: `As \`X-Service-Bot-Api-Timestamp\`. ${STANDARD_HEADERS}`,
    schema: { type: "string", pattern: "^[0-9]+$" },
  },
  {
    name: "webhook-signature",
    in: "header",
    required: false,
    description: `\`v1,\` and the HMAC-SHA256, in base64, of the id, a dot, the timestamp, a dot and the unmodified body, with the decoded secret as the key. ${STANDARD_HEADERS}`,
    schema: { type: "string", pattern: "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$" },
  },
];

const sentAgain = {
  name: "Botyard-Sent-Again",
  in: "header",
  required: false,
  description:
    "`true` when the update was delivered before and its owner sends it again (`sendUpdateAgain`). It is not signed, so act on it only where handling an update twice does no harm. An extension of Botyard.",
  schema: { type: "string", enum: ["true"] },
};

const ofCause = [
  {
    name: "traceparent",
    in: "header",
    required: false,
    description:
      "That of the request that caused the event (W3C Trace Context), if it had one: the parent of what the receiver does. Not signed. An extension of Botyard.",
    schema: { type: "string" },
  },
  {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description:
      "That of the request that caused the event, if it had one. Not signed. An extension of Botyard.",
    schema: { type: "string", maxLength: 128 },
  },
];

const responses = {
  "2XX": {
    description:
      "Any status from 200 to 299, within 10 s unless the service is configured otherwise: the update is delivered, and is not sent again. The body is ignored.",
  },
  "4XX": {
    description:
      "A failed attempt, retried after growing waits like every other. Answer 401 or 403 when the signature does not match.",
  },
  default: {
    description:
      "A failed attempt: any other status, redirects included, no answer in time, or no connection. The update is sent again after 1 s, 5 s, 30 s, 2 min and so on, 10 times in all unless the service is configured otherwise. `Retry-After` is honoured up to an hour.",
  },
};

/** What receivers get, for the `webhooks` section of the OpenAPI document. */
export const webhooks = {
  update: {
    post: {
      operationId: "receiveUpdate",
      tags: ["webhooks"],
      summary: "An update of a bot",
      description:
        "Sent to the URL of the bot's webhook for each update, in the order of `update_id`, up to 16 at once. Delivery is at least once: `update_id` tells a repeated update.",
      security: [],
      parameters: [...headers, sentAgain, ...ofCause],
      requestBody: body("#/components/schemas/BotUpdate", "The update, exactly as polling returns it."),
      responses,
    },
  },
  batch: {
    post: {
      operationId: "receiveBatch",
      tags: ["webhooks"],
      summary: "Several updates of a bot",
      description:
        "Sent in place of single updates when the webhook's `max_batch` is above 1: as soon as there is something to send and a request is free, with what waits by then, at most `max_batch` updates or 256 KiB of payloads. After a refused batch its updates are sent again in batches of at most half the size, down to one; those refusals together count as the first of the retry schedule. An extension of Botyard: not part of the bot API's specification.",
      "x-botyard-extension": true,
      security: [],
      parameters: [...headers, sentAgain, ...ofCause],
      requestBody: {
        required: true,
        description: "The updates by `update_id`, each exactly as polling returns it.",
        content: {
          "application/json": {
            schema: {
              type: "object",
              required: ["items"],
              properties: {
                items: { type: "array", minItems: 1, items: { $ref: "#/components/schemas/BotUpdate" } },
              },
            },
          },
        },
      },
      responses: {
        ...responses,
        "2XX": {
          description:
            'The updates are delivered, but for those that the body names: `{"failed": [update_id, …]}`, at most 16 KiB, has them retried one by one. Any other body is ignored. A list that is none, that names an update which was not sent, or that breaks off refuses the whole batch.',
        },
      },
    },
  },
  test: {
    post: {
      operationId: "receiveTestEvent",
      tags: ["webhooks"],
      summary: "A test event",
      description:
        "Sent once when the owner calls `testWebhook`, whose answer says what the receiver answered. Verify it like an update, answer 2xx and do nothing else. With a `max_batch` above 1 it is sent as the only item of a batch. An extension of Botyard: not part of the bot API's specification.",
      "x-botyard-extension": true,
      security: [],
      parameters: headers,
      requestBody: body("#/components/schemas/WebhookTestEvent", "The test event."),
      responses: {
        "2XX": { description: "The test has succeeded." },
        "4XX": { description: "The test has failed; it is not repeated." },
        default: { description: "The test has failed; it is not repeated." },
      },
    },
  },
};

function body(reference: string, description: string) {
  return { required: true, description, content: { "application/json": { schema: { $ref: reference } } } };
}
