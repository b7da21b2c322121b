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
  const serializers = buildSerializerCompiler() as Factory<Serializer>;
  return {
    buildValidator: delayed(validators, validateOnUse) as Factories["buildValidator"],
    buildSerializer: delayed(serializers, serializeOnUse) as Factories["buildSerializer"],
  };
}

function delayed<Compiled>(
  build: Factory<Compiled>,
  onUse: (compile: () => Compiled) => Compiled,
): Factory<Compiled> {
  return (...settings) => {
    const compile = build(...settings);
    return (route) => onUse(() => compile(route));
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
