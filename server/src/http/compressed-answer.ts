import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { accepts } from "./accepted-encoding.js";

/** Shorter answers fit into one or two packets uncompressed. */
const SHORTEST_COMPRESSED = 2048;
const compress = promisify(gzip);
/** 24 KB for each answer that a client reads slowly, instead of 260. */
const SMALL_WINDOW = { windowBits: 12, memLevel: 4 };

/**
 * An `onSend` hook that compresses long lists, off the event loop. This leaks nothing by the length of answers (as the
 * attack BREACH would need), because browsers do not send bearer tokens by themselves.
 */
export async function compressAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const isLong =
    payload instanceof Readable || (typeof payload === "string" && payload.length >= SHORTEST_COMPRESSED);
  if (!isLong) return payload;
  reply.header("vary", "accept-encoding");
  if (!accepts(request.headers["accept-encoding"], "gzip")) return payload;
  reply.header("content-encoding", "gzip").removeHeader("content-length");
  // Whichever end breaks off, both streams are destroyed.
  return payload instanceof Readable
    ? pipeline(payload, createGzip(SMALL_WINDOW), () => {})
    : await compress(payload);
}
