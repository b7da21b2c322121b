import type { FastifyReply } from "fastify";
import { ERROR_CODES, type ErrorCode } from "../domain/error-codes.js";

/** The header that says in a code why a request was refused. */
export const ERROR_HEADER = "Botyard-Error";

/** Refuses a request with the status of the code. */
export function sendRefusal(reply: FastifyReply, code: ErrorCode, message: string): void {
  reply.code(ERROR_CODES[code].status).header(ERROR_HEADER, code).send({ error: message });
}
