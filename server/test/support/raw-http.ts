import { connect, type Socket } from "node:net";
import { eventually } from "./eventually.js";

/** An answer on a plain TCP connection, until it is complete or the service closes the connection. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Whether the service closed the connection. */
  closed: boolean;
}

/** Sends bytes unchanged, for requests that no HTTP client would send, and reads one answer. */
export async function exchange(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  try {
    return await readAnswer(socket);
  } finally {
    socket.destroy();
  }
}

/** Reads one answer; it is empty, with status 0, when the connection ends without one. */
export function readAnswer(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let received = "";
    const finish = (closed: boolean): void => resolve({ ...parse(received), closed });
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      // One that says that it closes is waited for, however long that takes.
      if (!isComplete(received) || parse(received).headers["connection"] === "close") return;
      setTimeout(() => finish(socket.closed || socket.readableEnded), 50);
    });
    socket.on("close", () => finish(true));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET" || error.code === "EPIPE") finish(true);
      else reject(error);
    });
  });
}

function parse(received: string): Omit<RawAnswer, "closed"> {
  const [head = "", ...rest] = received.split("\r\n\r\n");
  const [statusLine = "", ...fields] = head.split("\r\n");
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(":")).toLowerCase(),
      field.slice(field.indexOf(":") + 1).trim(),
    ]),
  );
  const body = Buffer.from(rest.join("\r\n\r\n"), "latin1").toString("utf8");
  return { status: Number(statusLine.split(" ")[1] ?? 0), headers, body };
}

function isComplete(received: string): boolean {
  const { headers } = parse(received);
  const bodyAt = received.indexOf("\r\n\r\n") + 4;
  return (
    bodyAt > 3 && received.length - bodyAt >= Number(headers["content-length"] ?? Number.POSITIVE_INFINITY)
  );
}

export interface Heard {
  /** Status of each answer, in their order. */
  statuses: number[];
  text: string;
  /** Whether the service ended the connection. */
  closed: boolean;
}

export interface TalkOptions {
  /** How many to wait for; else until the service closes the connection. */
  answers?: number;
  /** Whether the client closes its side when it has sent everything. */
  halfClose?: boolean;
}

/** Sends everything at once and reads until the connection closes or the expected answers are complete. */
export async function talkTo(
  port: number,
  bytes: string | Buffer,
  { answers = Number.POSITIVE_INFINITY, halfClose = false }: TalkOptions = {},
): Promise<Heard> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  let closed = false;
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  socket.on("error", () => {});
  socket.on("close", () => (closed = true));
  socket.write(bytes);
  if (halfClose) socket.end();
  const statuses = (): number[] =>
    [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  await eventually("the service has answered", () => closed || statuses().length >= answers);
  const heard = { statuses: statuses(), text, closed };
  socket.destroy();
  return heard;
}
