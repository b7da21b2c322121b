// Requests and answers of the chat application, as JSON.
import { text } from "node:stream/consumers";

const LONGEST_BODY = 20_000;

/** An answer that says what was wrong. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** A text of a request, without blanks around it. */
export function textIn(value, longest) {
  const text = typeof value === "string" ? value.trim() : "";
  if (text && text.length <= longest) return text;
  throw new Refusal(400, `write 1 to ${longest} characters`);
}

export async function jsonIn(request) {
  if (Number(request.headers["content-length"] ?? Infinity) > LONGEST_BODY)
    throw new Refusal(400, "that is too long");
  try {
    return Object(JSON.parse(await text(request)));
  } catch {
    throw new Refusal(400, "send JSON");
  }
}

export function sendJson(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
