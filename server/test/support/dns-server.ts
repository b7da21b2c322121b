import { createSocket, type RemoteInfo } from "node:dgram";
import ipaddr from "ipaddr.js";

/** The server's answer for a name: its addresses of both families, or an error. */
export type DnsAnswer = readonly string[] | "no such name" | "server failure" | "silence";

/** A DNS server on a loopback port whose answers the test decides for each query. */
export interface DnsServer {
  /** Its address for a resolver: `127.0.0.1:port`. */
  address: string;
  /** The queried names, one for each query. */
  questions: string[];
  close(): Promise<void>;
}

const TYPES = { 1: "ipv4", 28: "ipv6" } as const;
const CODES = { "server failure": 2, "no such name": 3 } as const;
const HEADER_BYTES = 12;

/** @param answerTo called for each query; answers have a TTL of 0, so they may not be cached */
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

/** The first question; resolvers send only one. */
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
  // An authoritative response, with recursion desired as in the query, and available.
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
  // A pointer to the name in the question.
  record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(0, 6);
  record.writeUInt16BE(bytes.length, 10);
  return [Buffer.concat([record, bytes])];
}
