import { createSocket, type RemoteInfo } from "node:dgram";
import ipaddr from "ipaddr.js";

/** What the server says of a name: its addresses of both families, or why there are none. */
export type DnsAnswer = readonly string[] | "no such name" | "server failure" | "silence";

/** A DNS server on a loopback port that knows what the test says, and may say something else each time. */
export interface DnsServer {
  /** As a resolver is told of it: `127.0.0.1:port`. */
  address: string;
  /** Names asked for, once for each question. */
  questions: string[];
  close(): Promise<void>;
}

const TYPES = { 1: "ipv4", 28: "ipv6" } as const;
const CODES = { "server failure": 2, "no such name": 3 } as const;
const HEADER_BYTES = 12;

/** @param answerTo called for each question; an answer has no time to live, so nothing may remember it */
export async function startDnsServer(answerTo: (name: string) => DnsAnswer): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const questions: string[] = [];
  socket.on("message", (query: Buffer, from: RemoteInfo) => {
    const { name, type, end } = readQuestion(query);
    questions.push(name);
    const answer = answerTo(name);
    if (answer !== "silence")
      socket.send(writeAnswer(query.subarray(0, end), type, answer), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** The first question, which is the only one that anybody sends. */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function writeAnswer(question: Buffer, type: number, answer: Exclude<DnsAnswer, "silence">): Buffer {
  const records = typeof answer === "string" ? [] : answer.flatMap((address) => recordOf(address, type));
  const header = Buffer.from(question);
  // A response, authoritative, recursion as it was asked for and available.
  header.writeUInt16BE(
    0x8480 | (header.readUInt16BE(2) & 0x0100) | (typeof answer === "string" ? CODES[answer] : 0),
    2,
  );
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, ...records]);
}

function recordOf(text: string, type: number): Buffer[] {
  const address = ipaddr.parse(text);
  if (address.kind() !== TYPES[type as keyof typeof TYPES]) return [];
  const bytes = Buffer.from(address.toByteArray());
  const record = Buffer.alloc(HEADER_BYTES);
  // The name is the one at the beginning of the question.
  record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(0, 6);
  record.writeUInt16BE(bytes.length, 10);
  return [Buffer.concat([record, bytes])];
}
