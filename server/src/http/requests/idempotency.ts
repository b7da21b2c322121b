import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import { InvalidInput } from "../../domain/errors.js";
import { MAX_IDEMPOTENCY_KEY_CHARS } from "../../domain/limits.js";

/** The headers of operations that create something, for their schema. The key is checked by {@link idempotencyKeyOf}. */
export const IdempotencyHeaders = Type.Object({
  "Idempotency-Key": Type.Optional(
    Type.String({
      description: `A name of yours for this call, 1 to ${MAX_IDEMPOTENCY_KEY_CHARS} visible ASCII characters. The same key again, for at least 24 hours, creates nothing and gives the first answer, whatever the body says. An extension of Botyard.`,
    }),
  ),
});

const REPLAYED_HEADER = "Idempotency-Replayed";

/** The headers of their answers. */
export const REPLAYED = {
  [REPLAYED_HEADER]: {
    type: "boolean",
    description: "Extension. `true` when an earlier call with the same `Idempotency-Key` created this.",
  },
} as const;

const KEY = /^[\x21-\x7e]+$/;

/** @throws InvalidInput */
export function idempotencyKeyOf(headers: object): string | undefined {
  const key = (headers as Record<string, string | undefined>)["idempotency-key"];
  if (key === undefined) return undefined;
  if (key.length > MAX_IDEMPOTENCY_KEY_CHARS || !KEY.test(key)) {
    throw new InvalidInput(
      `Idempotency-Key must be 1 to ${MAX_IDEMPOTENCY_KEY_CHARS} visible ASCII characters, without spaces`,
      "invalid_idempotency_key",
    );
  }
  return key;
}

/**
 * For batches: their items have keys of their own, and the header could be mistaken for a key of all of them.
 *
 * @throws InvalidInput
 */
export function refuseIdempotencyKey(headers: object): void {
  if (!Object.hasOwn(headers, "idempotency-key")) return;
  throw new InvalidInput(
    "a batch takes no Idempotency-Key: give each of its items an idempotency_key",
    "invalid_idempotency_key",
  );
}

/** Sets status 201, and the header that says whether an earlier call created it. */
export function sendCreated(reply: FastifyReply, isReplayed: boolean): void {
  reply.code(201);
  if (isReplayed) reply.header(REPLAYED_HEADER, "true");
}
