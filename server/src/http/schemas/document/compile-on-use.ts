import buildAjvCompiler from "@fastify/ajv-compiler";
import { SerializerSelector as buildSerializerCompiler } from "@fastify/fast-json-stringify-compiler";
import type { FastifySchemaControllerOptions, FastifyValidationResult } from "fastify/types/schema.js";
import { DEFAULT_POST_CODE_POINTS } from "../../../domain/limits.js";
import { ajvOptions } from "./ajv-options.js";
import { components } from "./components.js";

type Factories = Required<NonNullable<FastifySchemaControllerOptions["compilersFactory"]>>;
type Serializer = (data: unknown) => string;
type Compile<Compiled> = (schema: unknown) => Compiled;
/** Their types name what they are for; what is done here is the same for all. */
type Factory<Compiled> = (...settings: unknown[]) => (route: unknown) => Compiled;

/** Every component by its name. Nobody changes them: the document is made from copies. */
const byName: Readonly<Record<string, unknown>> = Object.fromEntries(
  components.map((component) => [component.$id, component]),
);

/**
 * The framework's own compilers, run for each schema with its first request instead of all at the start: 150 of them took a
 * third of the processor time of a start, and one takes a few milliseconds. What they made is shared by all apps of the process, as the
 * components are, which the framework would copy for each app.
 */
export function compileOnUse(maxPostCharacters?: number): FastifySchemaControllerOptions {
  const buildValidator: Factory<FastifyValidationResult> = () => (route) =>
    validatorOf(schemaOf(route), maxPostCharacters);
  const buildSerializer: Factory<Serializer> = () => (route) => serializerOf(schemaOf(route));
  return {
    bucket: () => ({
      add() {
        throw new Error("components are listed in components.ts");
      },
      getSchema: (name) => byName[name],
      getSchemas: () => byName,
    }),
    compilersFactory: { buildValidator, buildSerializer } as Factories,
  };
}

function schemaOf(route: unknown): unknown {
  return (route as { schema: unknown }).schema;
}

/**
 * A validator of values, which may refer to components by name. It is compiled with the first value.
 *
 * @param maxPostCharacters of the text of a post
 */
export function validatorOf(schema: unknown, maxPostCharacters?: number): FastifyValidationResult {
  let compiled: FastifyValidationResult | undefined;
  const validate: FastifyValidationResult = (data) => {
    compiled ??= validatorsFor(maxPostCharacters)(schema);
    const result = compiled(data);
    // Ajv leaves what it found on the function, and the framework looks for it there.
    if (result === false) validate.errors = compiled.errors ?? null;
    return result;
  };
  return validate;
}

function serializerOf(schema: unknown): Serializer {
  let compiled: Serializer | undefined;
  return (data) => {
    compiled ??= compileSerializer(schema);
    return compiled(data);
  };
}

/** By the most characters of the text of a post, which is one number in a service. */
const validators = new Map<number, Compile<FastifyValidationResult>>();

function validatorsFor(maxPostCharacters = DEFAULT_POST_CODE_POINTS): Compile<FastifyValidationResult> {
  let compile = validators.get(maxPostCharacters);
  if (!compile) {
    const customOptions = ajvOptions(maxPostCharacters);
    const ofRoute = (buildAjvCompiler() as Factory<FastifyValidationResult>)(byName, { customOptions });
    compile = once((schema) => ofRoute({ schema }));
    validators.set(maxPostCharacters, compile);
  }
  return compile;
}

const serializers = buildSerializerCompiler() as Factory<Serializer>;

/**
 * The compiler of serializers checks every component that it knows, for each schema anew: with all 183 of them, one took
 * 3.6 ms instead of 0.6 ms.
 */
const compileSerializer = once((schema) => serializers(referencedFrom(schema))({ schema }));

/** Those components that a schema refers to, and those that they refer to. */
function referencedFrom(schema: unknown): Record<string, unknown> {
  const referenced: Record<string, unknown> = {};
  const pending = [schema];
  while (pending.length > 0) {
    for (const [, id = ""] of JSON.stringify(pending.pop()).matchAll(/"\$ref":"([^"#]+)#/g)) {
      if (id in referenced || !(id in byName)) continue;
      referenced[id] = byName[id];
      pending.push(byName[id]);
    }
  }
  return referenced;
}

/** Compiles a schema once, however many apps have it: by its text, since some are made with the routes of an app. */
function once<Compiled>(compile: Compile<Compiled>): Compile<Compiled> {
  const compiled = new Map<string, Compiled>();
  return (schema) => {
    const text = JSON.stringify(schema);
    const known = compiled.get(text);
    if (known) return known;
    const made = compile(schema);
    compiled.set(text, made);
    return made;
  };
}
