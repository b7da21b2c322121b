import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { MAX_REQUESTS_PER_CONNECTION, MAX_UNSENT_BYTES_PER_CONNECTION } from "../../domain/limits.js";
import { type AnswerMemory, createAnswerMemory } from "../../operations/answer-memory.js";
import { RequestTurns } from "./request-turns.js";
import { UnreadBytes } from "./unread-bytes.js";

/**
 * Bounds what one connection may ask for before it has taken its answers: 16 requests in work, and 16 KiB of answers that
 * wait to be sent; one request while memory for answers is scarce. What follows stays unread, first here, then in the
 * kernel, then with the client. A request is in work until all of its answer has gone out.
 *
 * Node reads 64 KiB at a time and begins every request in them at once: 607 polls of one connection, which read nothing, took
 * 4.8 GB. So what comes is handed to Node's parser request by request, and requests begin by turns (`request-turns.ts`).
 */
export function gateRequests(server: Server, memory: AnswerMemory = createAnswerMemory()): void {
  const [handle] = server.listeners("request") as RequestListener[];
  if (!handle) throw new Error("the server has no handler yet");
  const turns = new RequestTurns();
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    const { connection } = request.socket as GatedSocket;
    if (connection) connection.begin(request, response);
    else handle(request, response);
  });
  server.on("connection", (socket: GatedSocket) => {
    const [parse] = socket.listeners("data") as Parse[];
    if (!parse) return;
    socket.removeListener("data", parse);
    socket.connection = new Connection(socket, parse, handle, memory, turns);
    socket.on("data", onData).on("resume", onResume).on("close", onGone);
  });
  // Node has taken the parser from it.
  server.on("connect", (_request, socket: GatedSocket) => socket.connection?.stop());
}

type GatedSocket = Socket & { connection?: Connection };
/** Node's own reading of what came; it begins the requests whose heads are in it. */
type Parse = (chunk: Buffer) => void;

// One function for all sockets: closures for each of ten thousand would be a kilobyte apiece.

function onData(this: GatedSocket, chunk: Buffer): void {
  this.connection?.receive(chunk);
}

function onResume(this: GatedSocket): void {
  this.connection?.read();
}

function onGone(this: GatedSocket): void {
  this.connection?.stop();
}

function onAnswered(this: ServerResponse): void {
  (this.req.socket as GatedSocket).connection?.end(this);
}

class Connection {
  readonly #socket: Socket;
  readonly #parse: Parse;
  readonly #handle: RequestListener;
  readonly #memory: AnswerMemory;
  readonly #turns: RequestTurns;
  /** Answers that have begun and have not gone out. */
  readonly #answers: ServerResponse[] = [];
  readonly #unread = new UnreadBytes();
  /** A request that must wait, for its turn or for room. */
  #waiting: [IncomingMessage, ServerResponse] | undefined;
  /** The request that began last. */
  #last: IncomingMessage | undefined;
  #isReading = false;
  #isStopped = false;

  constructor(
    socket: Socket,
    parse: Parse,
    handle: RequestListener,
    memory: AnswerMemory,
    turns: RequestTurns,
  ) {
    this.#socket = socket;
    this.#parse = parse;
    this.#handle = handle;
    this.#memory = memory;
    this.#turns = turns;
  }

  receive(chunk: Buffer): void {
    if (this.#isStopped) return;
    this.#unread.add(chunk);
    this.read();
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#mayBegin()) {
      this.#waiting = [request, response];
      return;
    }
    this.#last = request;
    this.#answers.push(response);
    response.on("finish", onAnswered);
    this.#handle(request, response);
  }

  end(response: ServerResponse): void {
    this.#answers.splice(this.#answers.indexOf(response), 1);
    this.goOn();
  }

  /** There is room again, or it is this connection's turn. */
  goOn(): void {
    if (this.#isStopped) return;
    if (this.#waiting) {
      const [request, response] = this.#waiting;
      this.#waiting = undefined;
      this.begin(request, response);
    }
    this.read();
  }

  /** Hands on as many requests as may begin. */
  read(): void {
    if (this.#isReading || this.#isStopped) return;
    this.#isReading = true;
    while (!this.#isStopped && this.#mayRead()) {
      this.#parse(this.#unread.next(this.#answers.length === 0));
      if (this.#socket.destroyed) this.stop();
    }
    this.#isReading = false;
    if (this.#isStopped) return;
    const isHeld = isHeldByNode(this.#socket);
    if (!this.#unread.isEmpty && (isHeld || this.#isFull())) this.#socket.pause();
    else if (!isHeld && this.#socket.isPaused()) this.#socket.resume();
  }

  /** Reads and begins nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.#unread.clear();
    this.#waiting = undefined;
    this.#turns.forget(this);
  }

  #mayRead(): boolean {
    if (this.#unread.isEmpty || isHeldByNode(this.#socket) || this.#isFull()) return false;
    // The parser gives half a head 10 s to go on, and it may have to wait for longer behind what is in work.
    return this.#answers.length === 0 || this.#isInBody() || this.#unread.hasHead;
  }

  /** Whether nothing more is to be read now. A request in work needs its body, however many there are. */
  #isFull(): boolean {
    return this.#waiting !== undefined || !(this.#isInBody() || this.#hasRoom());
  }

  #isInBody(): boolean {
    return this.#last?.complete === false;
  }

  #mayBegin(): boolean {
    return this.#hasRoom() && this.#turns.mayBegin(this);
  }

  #hasRoom(): boolean {
    if (this.#answers.length === 0) return true;
    if (this.#answers.length >= MAX_REQUESTS_PER_CONNECTION || this.#memory.isScarce) return false;
    let unsentBytes = 0;
    for (const { writableLength } of this.#answers) unsentBytes += writableLength;
    return unsentBytes < MAX_UNSENT_BYTES_PER_CONNECTION;
  }
}

/** Node holds a socket that has much to send, and its parser with it, and goes on by itself. */
function isHeldByNode(socket: Socket): boolean {
  return (socket as Socket & { _paused?: boolean })._paused === true;
}
