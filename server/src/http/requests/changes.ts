import type { TProperties, TSchema } from "typebox";
import { InvalidInput } from "../../domain/errors.js";
import { type Component, ref } from "../schemas/document/component.js";

type ObjectComponent = Component<TSchema & { properties: TProperties }>;

/**
 * The body of an operation that changes something.
 *
 * @param request what may be changed
 * @param resource what the operation answers with
 * @returns the schema of the body, and a check that throws InvalidInput when a body names no field to change, or one of the
 *   resource that cannot be changed; other unknown fields are ignored
 */
export function changesOf<Request extends ObjectComponent>(request: Request, resource: ObjectComponent) {
  const fields = Object.keys(request.properties);
  const fixed = Object.keys(resource.properties).filter((name) => !fields.includes(name));
  return {
    body: ref(request),
    check(body: object): void {
      const given = fixed.find((name) => Object.hasOwn(body, name));
      if (given) {
        throw new InvalidInput(`${given} cannot be changed: give ${fields.join(", ")} only`, "field_fixed");
      }
      if (!fields.some((name) => Object.hasOwn(body, name))) {
        throw new InvalidInput(
          `give ${fields.join(" or ")}: there is nothing to change`,
          "nothing_to_change",
        );
      }
    },
  };
}
