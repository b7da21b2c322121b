import { Type } from "typebox";
import { InvalidInput } from "../../domain/errors.js";
import { IdempotencyHeaders } from "./idempotency.js";

/** The headers of an operation that changes a revision, for its schema. The revision is checked by {@link revisionOf}. */
export const RevisionHeaders = Type.Object({
  "If-Match": Type.Optional(
    Type.String({
      description:
        "The `revision` that is to be changed. When there is another one by now, the call is refused: 400, with the header `Botyard-Error: revision_conflict`.",
    }),
  ),
});

/** The same with an idempotency key. */
export const EditHeaders = Type.Object({ ...RevisionHeaders.properties, ...IdempotencyHeaders.properties });

/** A decimal number, with or without the quotes of an entity tag. */
const REVISION = /^(?:"([1-9]\d{0,8})"|([1-9]\d{0,8}))$/;

/** @throws InvalidInput */
export function revisionOf(headers: object): number | undefined {
  const text = (headers as Record<string, string | undefined>)["if-match"];
  if (text === undefined || text === "*") return undefined;
  const [, quoted, bare] = REVISION.exec(text) ?? [];
  const revision = quoted ?? bare;
  if (revision === undefined) throw new InvalidInput('If-Match must be the revision of the post, like "3"');
  return Number(revision);
}
