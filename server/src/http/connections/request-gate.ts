import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import {
  MAX_HELD_REQUESTS,
  MAX_REQUESTS_PER_CONNECTION,
  MAX_UNSENT_BYTES_PER_CONNECTION,
} from "../../domain/limits.js";
import { type AnswerMemory, createAnswerMemory } from "../../operations/answer-memory.js";
import { RequestTurns, type TurnTaker } from "./request-turns.js";
import { UnreadBytes } from "./unread-bytes.js";

/**
 * Bounds what one connection may ask for before it has taken its answers: 16 requests in work, and 16 KiB of answers that
 * wait to be sent; one request while memory for answers is scarce. What follows stays unread, first here, then in the
 * kernel, then with the client. A request is in work until all of its answer has gone out.
 *
 * Node reads 64 KiB at a time and begins every request in them at once: 607 polls of one connection, which read nothing,
 * took 4.8 GB. So a request is held until it may begin, and a connection that sends one before the last is answered is
 * gated from then on: what it sends is handed to Node's parser request by request. Node reads all others by itself, which
 * costs a tenth less for a post.
 */
export function gateRequests(server: Server, memory: AnswerMemory = createAnswerMemory()): void {
  const [handle] = server.listeners("request") as RequestListener[];
  if (!handle) throw new Error("the server has no handler yet");
  const gate: Gate = { handle, memory, turns: new RequestTurns(), ungated: new Set(), held: 0 };
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    const { connection } = request.socket as GatedSocket;
    if (connection) connection.take(request, response);
    else handle(request, response);
  });
  server.on("connection", (socket: GatedSocket) => {
    socket.connection = new Connection(socket, gate);
    socket.on("close", onGone);
  });
  // Node has taken the parser from it.
  server.on("connect", (_request, socket: GatedSocket) => socket.connection?.stop());
}

/** What the connections of one server share. */
interface Gate {
  handle: RequestListener;
  memory: AnswerMemory;
  turns: RequestTurns;
  /** Those that Node reads by itself. */
  ungated: Set<Connection>;
  /** Requests that wait to begin. */
  held: number;
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

class Connection implements TurnTaker {
  lastTurn = 0;
  readonly #socket: Socket;
  readonly #gate: Gate;
  /** Answers that have begun and have not gone out. */
  readonly #answers: ServerResponse[] = [];
  /** Requests that must wait, for their turns or for room. */
  readonly #held: [IncomingMessage, ServerResponse][] = [];
  /** The request that the parser saw last. Forgotten with its answer: 64 of them kept through collections cost 5 % of a post. */
  #last: IncomingMessage | undefined;
  /** Only of a connection that is gated. */
  #parse: Parse | undefined;
  readonly #unread = new UnreadBytes();
  /** Whether the parser may have half a head, to which it gives 10 s. */
  #mayBeInHead = true;
  #isReading = false;
  #isStopped = false;

  constructor(socket: Socket, gate: Gate) {
    this.#socket = socket;
    this.#gate = gate;
    gate.ungated.add(this);
    if (gate.held >= MAX_HELD_REQUESTS) this.#gateNow();
  }

  /** A request has come. */
  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isStopped) return;
    this.#last = request;
    if (this.#answers.length > 0 || this.#held.length > 0) this.#gateNow();
    if (this.#held.length === 0 && this.#mayBegin()) {
      this.#begin(request, response);
      return;
    }
    this.#held.push([request, response]);
    this.#gate.held += 1;
    // One chunk of an ungated connection may hold two thousand more.
    if (this.#gate.held >= MAX_HELD_REQUESTS) for (const other of this.#gate.ungated) other.#gateNow();
  }

  end(response: ServerResponse): void {
    if (this.#answers[0] === response) this.#answers.shift();
    else this.#answers.splice(this.#answers.indexOf(response), 1);
    if (this.#last?.complete) this.#last = undefined;
    // It was the last of the connection.
    if (this.#socket.writableEnded) this.stop();
    else this.goOn();
  }

  /** There is room again, or it is this connection's turn. */
  goOn(): void {
    while (!this.#isStopped && this.#held.length > 0 && this.#mayBegin()) {
      const [request, response] = this.#held.shift() as [IncomingMessage, ServerResponse];
      this.#gate.held -= 1;
      this.#begin(request, response);
    }
    this.read();
  }

  receive(chunk: Buffer): void {
    if (this.#isStopped) return;
    this.#unread.add(chunk);
    this.read();
  }

  /** Hands on as many requests as may begin. */
  read(): void {
    if (!this.#parse || this.#isReading || this.#isStopped) return;
    this.#isReading = true;
    while (!this.#isStopped && this.#mayRead()) {
      if (this.#unread.hasHead) this.#mayBeInHead = false;
      this.#parse(this.#unread.next(this.#answers.length === 0));
      if (this.#socket.destroyed) this.stop();
    }
    this.#isReading = false;
    if (this.#isStopped) return;
    const isHeldByNode = hasMuchToSend(this.#socket);
    if (!this.#unread.isEmpty && (isHeldByNode || this.#isFull())) this.#socket.pause();
    else if (!isHeldByNode && this.#socket.isPaused()) this.#socket.resume();
  }

  /** Reads and begins nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.#unread.clear();
    this.#gate.held -= this.#held.length;
    this.#held.length = 0;
    this.#gate.ungated.delete(this);
    this.#gate.turns.forget(this);
  }

  /** What comes from now on is handed to the parser here. */
  #gateNow(): void {
    if (!this.#gate.ungated.delete(this)) return;
    const [parse] = this.#socket.listeners("data") as Parse[];
    if (!parse) return;
    this.#parse = parse;
    // With a listener that is not its own, Node no longer lets its parser read the socket below JavaScript.
    this.#socket.on("data", onData).on("resume", onResume).removeListener("data", parse);
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#answers.push(response);
    response.on("finish", onAnswered);
    this.#gate.handle(request, response);
  }

  #mayRead(): boolean {
    if (this.#unread.isEmpty || hasMuchToSend(this.#socket)) return false;
    if (this.#mayBeInHead) return true;
    if (this.#isFull()) return false;
    // Half a head may have to wait for longer than 10 s behind what is in work.
    return this.#answers.length === 0 || this.#isInBody() || this.#unread.hasHead;
  }

  /** Whether nothing more is to be read now. A request that has come needs its body, whatever is in work. */
  #isFull(): boolean {
    return !this.#isInBody() && (this.#held.length > 0 || !this.#hasRoom());
  }

  #isInBody(): boolean {
    return this.#last?.complete === false;
  }

  #mayBegin(): boolean {
    return this.#hasRoom() && this.#gate.turns.mayBegin(this);
  }

  #hasRoom(): boolean {
    if (this.#answers.length === 0) return true;
    if (this.#answers.length >= MAX_REQUESTS_PER_CONNECTION || this.#gate.memory.isScarce) return false;
    let unsentBytes = 0;
    for (const { writableLength } of this.#answers) unsentBytes += writableLength;
    return unsentBytes < MAX_UNSENT_BYTES_PER_CONNECTION;
  }
}

/** Node holds such a socket, and its parser with it, and goes on by itself. */
function hasMuchToSend(socket: Socket): boolean {
  return (socket as Socket & { _paused?: boolean })._paused === true;
}
