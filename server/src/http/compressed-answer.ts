import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { accepts } from "./accepted-encoding.js";

/** Shorter answers fit in a packet or two as they are. */
const SHORTEST_COMPRESSED = 2048;
const compress = promisify(gzip);

/**
 * An `onSend` hook for long lists: compresses them, off the event loop. A credential that a browser sends by itself would let
 * others guess at what is in them by their length; tokens are no such credentials.
 */
export async function compressAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (typeof payload !== "string" || payload.length < SHORTEST_COMPRESSED) return payload;
  reply.header("vary", "accept-encoding");
  if (!accepts(request.headers["accept-encoding"], "gzip")) return payload;
  reply.header("content-encoding", "gzip").removeHeader("content-length");
  return await compress(payload);
}
