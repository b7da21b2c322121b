import buildAjvCompiler from "@fastify/ajv-compiler";
import { SerializerSelector as buildSerializerCompiler } from "@fastify/fast-json-stringify-compiler";
import type { FastifySchemaControllerOptions, FastifyValidationResult } from "fastify/types/schema.js";

type Factories = Required<NonNullable<FastifySchemaControllerOptions["compilersFactory"]>>;
type Serializer = (data: unknown) => string;
/** Their types name what they are for; what is done here is the same for all. */
type Factory<Compiled> = (...settings: unknown[]) => (route: unknown) => Compiled;

/**
 * The framework's own compilers, run for each schema with its first request instead of all at the start: 150 of them took a
 * third of the processor time of a start, and one takes a few milliseconds.
 */
export function compileOnUse(): Factories {
  const validators = buildAjvCompiler() as Factory<FastifyValidationResult>;
  const serializers = compileWithReferenced(buildSerializerCompiler() as Factory<Serializer>);
  return {
    buildValidator: delayed(validators, validateOnUse) as Factories["buildValidator"],
    buildSerializer: delayed(serializers, serializeOnUse) as Factories["buildSerializer"],
  };
}

/**
 * The compiler of serializers checks every component that it knows, for each schema anew: with all 183 of them, one took
 * 3.6 ms instead of 0.6 ms.
 */
function compileWithReferenced(build: Factory<Serializer>): Factory<Serializer> {
  return (components, options) => (route) =>
    build(referencedFrom((route as Route).schema, components as Components), options)(route);
}

type Components = Record<string, unknown>;
interface Route {
  schema: unknown;
}

/** Those that a schema refers to, and those that they refer to. */
function referencedFrom(schema: unknown, components: Components): Components {
  const referenced: Components = {};
  const pending = [schema];
  while (pending.length > 0) {
    for (const [, id = ""] of JSON.stringify(pending.pop()).matchAll(/"\$ref":"([^"#]+)#/g)) {
      if (id in referenced || !(id in components)) continue;
      referenced[id] = components[id];
      pending.push(components[id]);
    }
  }
  return referenced;
}

function delayed<Compiled>(
  build: Factory<Compiled>,
  onUse: (compile: () => Compiled) => Compiled,
): Factory<Compiled> {
  return (...settings) => {
    let compile: ReturnType<Factory<Compiled>> | undefined;
    return (route) =>
      onUse(() => {
        compile ??= build(...settings);
        return compile(route);
      });
  };
}

function validateOnUse(compile: () => FastifyValidationResult): FastifyValidationResult {
  let compiled: FastifyValidationResult | undefined;
  const validate: FastifyValidationResult = (data) => {
    compiled ??= compile();
    const result = compiled(data);
    // Ajv leaves what it found on the function, and the framework looks for it there.
    if (result === false) validate.errors = compiled.errors ?? null;
    return result;
  };
  return validate;
}

function serializeOnUse(compile: () => Serializer): Serializer {
  let compiled: Serializer | undefined;
  return (data) => {
    compiled ??= compile();
    return compiled(data);
  };
}
