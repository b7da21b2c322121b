import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { accepts } from "./accepted-encoding.js";

/** Shorter answers fit into one or two packets uncompressed. */
const SHORTEST_COMPRESSED = 2048;
const compress = promisify(gzip);

/**
 * An `onSend` hook that compresses long lists, off the event loop. This leaks nothing by the length of answers (as the
 * attack BREACH would need), because browsers do not send bearer tokens by themselves.
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
