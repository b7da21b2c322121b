import { type Static, type TSchema, Type } from "typebox";

/**
 * Schemas with an `$id` are the components of the OpenAPI document; routes and other components refer to them by name.
 * `compile-on-use.ts` gives every one of `components.ts` to the framework.
 */
export type Component<S extends TSchema = TSchema> = S & { $id: string };

/** Names a schema. */
export function component<S extends TSchema>(name: string, schema: S): Component<S> {
  return Object.assign(schema, { $id: name });
}

/** A reference to a component, with the type of what it refers to. */
export function ref<S extends TSchema>(schema: Component<S>) {
  return Type.Unsafe<Static<S>>({ $ref: `${schema.$id}#` });
}

/** The same with a description or a default of its own. @fastify/swagger drops what stands beside a plain reference. */
export function refWith<S extends TSchema>(
  schema: Component<S>,
  beside: { description?: string; default?: Static<S> },
) {
  return Type.Unsafe<Static<S>>({ allOf: [ref(schema)], ...beside });
}

/** A field of which only the texts of a list are allowed, as a component: several operations have it. */
export function enumOf<Value extends string>(name: string, values: readonly Value[], description: string) {
  return component(name, Type.Unsafe<Value>({ type: "string", enum: [...values], description }));
}

/** An answer of an operation: the component it holds, and what that means. */
export function answer<S extends TSchema>(schema: Component<S>, description: string) {
  return { ...ref(schema), description };
}

/** The component of a list answer: an object whose one field is `items`. */
export function listOf<S extends TSchema>(name: string, item: Component<S>, description: string) {
  return component(name, Type.Object({ items: itemsOf(item) }, { description }));
}

/** The `items` of a list answer. */
export function itemsOf<S extends TSchema>(item: Component<S>) {
  return Type.Array(ref(item), { description: "The items, in the order that the operation names." });
}
