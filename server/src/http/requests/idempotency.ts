import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { Check } from "typebox/schema";
import { InvalidInput } from "../../domain/errors.js";
import { refusalOf } from "../error-response.js";
import { IdempotencyKey } from "../schemas/values/text.js";
import { IDEMPOTENCY_KEY_RULE } from "../schemas/values/text-rules.js";

/** The headers of operations that create something, for their schema. The key is checked by {@link idempotencyKeyOf}. */
export const IdempotencyHeaders = Type.Object({
  "Idempotency-Key": Type.Optional({
    ...IdempotencyKey,
    description: `A name of yours for this call, of visible ASCII characters. The same key again, for at least 24 hours, does nothing more and gives the first answer, whatever the body says. An extension of Botyard.`,
  }),
});

const REPLAYED_HEADER = "Idempotency-Replayed";

/** The headers of their answers. */
export const REPLAYED = {
  [REPLAYED_HEADER]: {
    type: "boolean",
    description: "Extension. `true` when an earlier call with the same `Idempotency-Key` did this.",
  },
} as const;

/** @throws InvalidInput */
export function idempotencyKeyOf(headers: object): string | undefined {
  const key = (headers as Record<string, string | undefined>)["idempotency-key"];
  if (key === undefined || Check(IdempotencyKey, key)) return key;
  throw new InvalidInput(`Idempotency-Key ${IDEMPOTENCY_KEY_RULE.rule}`, IDEMPOTENCY_KEY_RULE.code);
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

/**
 * A route's error handler: the first answer to a key is given again also when the body is refused this time. Only such a
 * refusal is looked into, so that other calls cost nothing more.
 *
 * @param find the body of the answer to an earlier call with the key; `Path` is what the route's path has
 * @param success the status of that answer
 */
export function replayRefused<Path = { id: string }>(
  find: (request: FastifyRequest<{ Params: Path }>, key: string) => Promise<object | undefined>,
  success = 201,
): (error: Error, request: FastifyRequest, reply: FastifyReply) => void {
  const replay = async (error: Error, request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const key = request.headers["idempotency-key"];
    const { status, code } = refusalOf(error);
    const isOfBody = status === 400 && code !== "invalid_owner_header";
    const earlier =
      isOfBody && Check(IdempotencyKey, key)
        ? await find(request as FastifyRequest<{ Params: Path }>, key)
        : undefined;
    if (!earlier) throw error;
    markReplayed(reply.code(success), true);
    return earlier;
  };
  // Fastify awaits the promise; its type says nothing of it.
  return (error, request, reply) => replay(error, request, reply) as unknown as undefined;
}

/** Sets status 201, and the header that says whether an earlier call created it. */
export function sendCreated(reply: FastifyReply, isReplayed: boolean): void {
  markReplayed(reply.code(201), isReplayed);
}

export function markReplayed(reply: FastifyReply, isReplayed: boolean): void {
  if (isReplayed) reply.header(REPLAYED_HEADER, "true");
}
