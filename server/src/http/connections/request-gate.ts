import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  MAX_HELD_REQUESTS,
  MAX_PIPELINED_REQUESTS,
  MAX_REQUESTS_PER_CONNECTION,
  MAX_UNSENT_BYTES_PER_CONNECTION,
} from "../../domain/limits.js";
import { type AnswerMemory, createAnswerMemory } from "../../fairness/answer-memory.js";
import { ownerOfRequest } from "../limits/owner-turns.js";
import { RequestTurns, type TurnTaker } from "./request-turns.js";
import { UnreadBytes } from "./unread-bytes.js";

/**
 * Limits what one connection may request before it has read its answers: 16 requests in progress, and 16 KiB of unsent
 * answers; one request while memory for answers is scarce, or while all connections together have 512 requests in progress
 * behind others: 900 with 16 polls each, which read nothing, took 1.1 GB before memory counted as scarce. Further bytes stay
 * unread: first here, then in the kernel, then at the client. A request is in progress until all of its answer has been
 * sent.
 *
 * Node reads 64 KiB at a time and begins every request in them at once: 607 polls of one connection, which read nothing,
 * took 4.8 GB. So a request is held until it may begin, and a connection that sends one before the last is answered is
 * gated from then on: its bytes are passed to Node's parser request by request. Node reads all other connections by itself,
 * which makes a post cheaper by a tenth.
 */
export function gateRequests(server: Server, memory: AnswerMemory = createAnswerMemory()): void {
  const [handle] = server.listeners("request") as RequestListener[];
  if (!handle) throw new Error("the server has no handler yet");
  const gate: Gate = { handle, memory, turns: new RequestTurns(), ungated: new Set(), held: 0, pipelined: 0 };
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    const { connection } = request.socket as GatedSocket;
    if (connection) connection.take(request, response);
    else handle(request, response);
  });
  server.on("connection", (socket: GatedSocket) => {
    socket.connection = new Connection(socket, gate);
    socket.on("close", onClose);
  });
}

/**
 * Ends a connection on which nothing more can be read. Requests that arrived completely are answered before: such a
 * request may have stored a post, or made the only copy of a token.
 *
 * @param last the answer to what could not be read
 */
export function endAfterAnswers(socket: Duplex, last: string): void {
  const { connection } = socket as GatedSocket;
  if (connection) connection.endAfterAnswers(last);
  else socket.end(last, () => socket.destroy());
}

/** Remembers for whom a connection sends requests, so that owners take turns. */
export function rememberOwner(request: FastifyRequest): void {
  const { connection } = request.raw.socket as GatedSocket;
  const isKnown = request.isPlatform || request.owner !== undefined || request.bot !== undefined;
  if (connection) connection.knownOwner = isKnown ? ownerOfRequest(request) : undefined;
}

/**
 * Says in an answer that the connection ends with it, so that its client uses it no more before it is closed. Not while the
 * client may have sent further requests: their answers would be lost.
 */
export function endConnection(reply: FastifyReply): void {
  const { connection } = reply.request.raw.socket as GatedSocket;
  if (!connection?.isPipelined) reply.header("connection", "close");
}

/** What the connections of one server share. */
interface Gate {
  handle: RequestListener;
  memory: AnswerMemory;
  turns: RequestTurns;
  /** The connections that Node reads by itself. */
  ungated: Set<Connection>;
  /** Requests that wait to begin. */
  held: number;
  /** Requests in progress beside the first one of their connections. */
  pipelined: number;
}

type GatedSocket = Socket & { connection?: Connection };
/** Node's own listener for received bytes; it begins the requests whose heads are in them. */
type Parse = (chunk: Buffer) => void;

// Shared by all sockets: with ten thousand of them, closures would take 1 KB each.

function onData(this: GatedSocket, chunk: Buffer): void {
  this.connection?.receive(chunk);
}

function onResume(this: GatedSocket): void {
  this.connection?.read();
}

function onClose(this: GatedSocket): void {
  this.connection?.stop();
}

function onFinish(this: ServerResponse): void {
  (this.req.socket as GatedSocket).connection?.onAnswerSent(this);
}

class Connection implements TurnTaker {
  knownOwner: string | undefined;
  lastTurn = 0;
  isWaiting = false;
  readonly #socket: Socket;
  readonly #gate: Gate;
  /** Answers of requests in progress. */
  #answers: ServerResponse[] = [];
  /** Requests that wait for their turn, or for requests in progress to end. */
  readonly #held: [IncomingMessage, ServerResponse][] = [];
  /** The request parsed last, until it is answered: 64 of them kept through garbage collections cost 5 % of a post. */
  #last: IncomingMessage | undefined;
  /** Set once the connection is gated. */
  #parse: Parse | undefined;
  readonly #unread = new UnreadBytes();
  /** Whether the parser may hold an incomplete head, for which it allows 10 s. */
  #mayBeInHead = true;
  #isReading = false;
  #isStopped = false;
  /** The answer after all others, once nothing more can be read. */
  #finalAnswer: string | undefined;

  constructor(socket: Socket, gate: Gate) {
    this.#socket = socket;
    this.#gate = gate;
    gate.ungated.add(this);
    if (gate.held >= MAX_HELD_REQUESTS) this.#becomeGated();
  }

  /** New connections share by the address from which they come: those of one client do not hold up those of others. */
  get owner(): string {
    return this.knownOwner ?? `at ${this.#socket.remoteAddress}`;
  }

  /** Whether a request ever came before the last one was answered. */
  get isPipelined(): boolean {
    return this.#parse !== undefined;
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isStopped) return;
    this.#last = request;
    if (this.#answers.length > 0 || this.#held.length > 0) this.#becomeGated();
    if (this.#held.length === 0 && this.#mayBegin()) {
      this.#begin(request, response);
      return;
    }
    this.#held.push([request, response]);
    this.#gate.held += 1;
    // One chunk of an ungated connection may contain two thousand requests.
    if (this.#gate.held >= MAX_HELD_REQUESTS) for (const other of this.#gate.ungated) other.#becomeGated();
  }

  onAnswerSent(response: ServerResponse): void {
    const index = this.#answers.indexOf(response);
    if (index < 0) return;
    if (index === 0) this.#answers.shift();
    else this.#answers.splice(index, 1);
    if (this.#answers.length > 0) this.#gate.pipelined -= 1;
    if (this.#last?.complete) this.#last = undefined;
    // It was the connection's last answer.
    if (this.#socket.writableEnded) this.stop();
    else this.beginHeld();
    this.#endIfAnswered();
  }

  /** Called when a request has ended, and when it is this connection's turn. */
  beginHeld(): void {
    while (!this.#isStopped && this.#held.length > 0 && this.#mayBegin()) {
      const [request, response] = this.#held.shift() as [IncomingMessage, ServerResponse];
      this.#gate.held -= 1;
      this.#begin(request, response);
    }
    this.read();
  }

  receive(chunk: Buffer): void {
    if (this.#isStopped || this.#finalAnswer !== undefined) return;
    this.#unread.add(chunk);
    this.read();
  }

  /** Parses as many requests as may begin. */
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
    const isPausedByNode = hasMuchToSend(this.#socket);
    if (!this.#unread.isEmpty && (isPausedByNode || this.#isFull())) this.#socket.pause();
    else if (!isPausedByNode && this.#socket.isPaused()) this.#socket.resume();
  }

  /** Ends reading; held requests never begin. */
  stop(): void {
    this.#isStopped = true;
    this.#unread.clear();
    this.#gate.held -= this.#held.length;
    this.#held.length = 0;
    this.#gate.pipelined -= Math.max(0, this.#answers.length - 1);
    this.#answers.length = 0;
    this.#gate.ungated.delete(this);
  }

  endAfterAnswers(final: string): void {
    if (this.#isStopped || this.#finalAnswer !== undefined) return;
    this.#finalAnswer = final;
    this.#unread.clear();
    const broken = this.#held.findIndex(([request]) => !request.complete);
    if (broken >= 0) this.#gate.held -= this.#held.splice(broken).length;
    // A client that hangs up is noticed only while its bytes are read; they are ignored.
    this.#socket.resume();
    this.#endIfAnswered();
  }

  #endIfAnswered(): void {
    if (this.#isStopped || this.#finalAnswer === undefined) return;
    if (this.#held.length > 0 || this.#answers.some(isAnswerDue)) return;
    this.stop();
    this.#socket.end(this.#finalAnswer, () => this.#socket.destroy());
  }

  /** From now on, the bytes received are passed to the parser here. */
  #becomeGated(): void {
    if (!this.#gate.ungated.delete(this)) return;
    const [parse] = this.#socket.listeners("data") as Parse[];
    if (!parse) return;
    this.#parse = parse;
    // With a listener that is not its own, Node no longer lets its parser read the socket below JavaScript.
    this.#socket.on("data", onData).on("resume", onResume).removeListener("data", parse);
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    if (this.#answers.length > 0) this.#gate.pipelined += 1;
    // The first push to an empty array makes room for 17, which each waiting poll would keep.
    if (this.#answers.length === 0) this.#answers = [response];
    else this.#answers.push(response);
    response.on("finish", onFinish);
    this.#gate.handle(request, response);
  }

  #mayRead(): boolean {
    if (this.#unread.isEmpty || hasMuchToSend(this.#socket)) return false;
    if (this.#mayBeInHead) return true;
    if (this.#isFull()) return false;
    // An incomplete head could time out after 10 s behind the requests in progress.
    return this.#answers.length === 0 || this.#isInBody() || this.#unread.hasHead;
  }

  /** Whether reading must wait. The body of a request that was parsed is always read. */
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
    const { memory, pipelined } = this.#gate;
    if (memory.isScarce || pipelined >= MAX_PIPELINED_REQUESTS) return false;
    if (this.#answers.length >= MAX_REQUESTS_PER_CONNECTION) return false;
    let unsentBytes = 0;
    for (const { writableLength } of this.#answers) unsentBytes += writableLength;
    return unsentBytes < MAX_UNSENT_BYTES_PER_CONNECTION;
  }
}

/**
 * Whether the client would take an error written now for the answer to this request, or for a part of it: the request
 * arrived completely, or its answer has begun while its body still arrives.
 */
function isAnswerDue(response: ServerResponse): boolean {
  return response.headersSent || response.req.complete;
}

/** Node has paused such a socket and its parser, and resumes them by itself. */
function hasMuchToSend(socket: Socket): boolean {
  return (socket as Socket & { _paused?: boolean })._paused === true;
}
