import buildAjvCompiler from "@fastify/ajv-compiler";
import type { FastifyValidationResult } from "fastify/types/schema.js";
import type { Static, TSchema } from "typebox";
import { InvalidInput } from "../../domain/errors.js";
import { MAX_BATCH_ITEMS } from "../../domain/limits.js";
import { ajvOptions } from "../schemas/ajv-options.js";
import type { Component } from "../schemas/component.js";
import { invalidInput } from "./input-message.js";
import { changesPrototypes, NO_PROTOTYPE_KEYS } from "./json-body.js";

/**
 * A validator of batches for the framework. It only checks that there is a list; its items are checked one by one.
 *
 * @param list the name of the list in the body
 */
export function checkList(list: string): FastifyValidationResult {
  const validate: FastifyValidationResult = (body: unknown) => {
    const { [list]: items, ...others } = (body ?? {}) as Record<string, unknown>;
    if (!Array.isArray(items) || items.length < 1 || items.length > MAX_BATCH_ITEMS) {
      return { error: new InvalidInput(`${list} must be an array of 1 to ${MAX_BATCH_ITEMS} items`) };
    }
    if (!changesPrototypes(others)) return true;
    return { error: new InvalidInput(`the body must be ${NO_PROTOTYPE_KEYS}`, "invalid_json") };
  };
  return validate;
}

/**
 * Checks the items of a batch by their schema.
 *
 * @param components what the schema refers to
 * @returns a function that returns each item with the schema's type, or the error with which it fails
 */
export function checkItems<Item extends TSchema>(schema: Component<Item>, components: readonly Component[]) {
  let validate: FastifyValidationResult | undefined;
  return (items: readonly unknown[]): (Static<Item> | InvalidInput)[] =>
    items.map((item) => {
      if (changesPrototypes(item))
        return new InvalidInput(`the item must be ${NO_PROTOTYPE_KEYS}`, "invalid_json");
      validate ??= compile(schema, components);
      if (validate(item) === true) return item as Static<Item>;
      const [invalid] = validate.errors ?? [];
      return invalid ? invalidInput(invalid, "item") : new InvalidInput("the item is not valid");
    });
}

function compile(schema: Component, components: readonly Component[]): FastifyValidationResult {
  const others = components.filter(({ $id }) => $id !== schema.$id).map((one) => [one.$id, one] as const);
  const compiler = buildAjvCompiler()(Object.fromEntries(others), { customOptions: ajvOptions });
  return compiler({ schema, method: "POST", url: "", httpPart: "body" }) as FastifyValidationResult;
}
