import type { FastifyValidationResult } from "fastify/types/schema.js";
import type { Static, TSchema } from "typebox";
import { Check } from "typebox/schema";
import { InvalidInput } from "../../domain/errors.js";
import { MAX_BATCH_ITEMS } from "../../domain/limits.js";
import type { BatchTarget } from "../../operations/posts/batch-targets.js";
import type { RefusedItem } from "../../operations/posts/run-batch.js";
import { idFrom } from "../routes/refs.js";
import { validatorOf } from "../schemas/document/compile-on-use.js";
import type { Component } from "../schemas/document/component.js";
import { type ItemTarget, KeyedItem } from "../schemas/events/batch.js";
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
 * @param maxPostCharacters of the text of a post
 * @param read what becomes of a valid item
 * @returns a function that reads each item, or refuses it
 */
export function checkItems<Item extends TSchema, Read>(
  schema: Component<Item>,
  maxPostCharacters: number,
  read: (item: Static<Item>) => Read,
) {
  const validate = validatorOf(schema, maxPostCharacters);
  return (items: readonly unknown[]): (Read | RefusedItem)[] =>
    items.map((item) => {
      if (changesPrototypes(item))
        return refused(item, new InvalidInput(`the item must be ${NO_PROTOTYPE_KEYS}`, "invalid_json"));
      if (validate(item) === true) return read(item as Static<Item>);
      const [invalid] = validate.errors ?? [];
      return refused(
        item,
        invalid ? invalidInput(invalid, "item") : new InvalidInput("the item is not valid"),
      );
    });
}

/** Its target and key, if both can be read, find what an earlier call created. */
function refused(item: unknown, refusal: InvalidInput): RefusedItem {
  if (!Check(KeyedItem, item)) return { refusal, target: refusal };
  return { refusal, target: targetOf(item), idempotencyKey: item.idempotency_key };
}

/** The target that an item names, or the error with which it fails. */
export function targetOf(item: Static<typeof ItemTarget>): BatchTarget | InvalidInput {
  const { channel_id, external_id: externalId, bot_id } = item;
  const targets: BatchTarget[] = [
    ...(channel_id === undefined ? [] : [{ channelId: idFrom(channel_id) }]),
    ...(externalId === undefined ? [] : [{ externalId }]),
    ...(bot_id === undefined ? [] : [{ botId: idFrom(bot_id) }]),
  ];
  const [target] = targets;
  if (target && targets.length === 1) return target;
  return new InvalidInput("an item names one target: channel_id, external_id or, of an event, bot_id");
}
