import type { FastifySchemaValidationError } from "fastify";
import { InvalidInput } from "../../domain/errors.js";
import { CONFIGURED_MAXIMUM } from "../schemas/values/text.js";
import { TEXT_RULES } from "../schemas/values/text-rules.js";

/** The keywords of a schema that messages use. */
interface ValueSchema {
  type?: string | string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  enum?: string[];
  pattern?: string;
  format?: string;
  [CONFIGURED_MAXIMUM]?: string;
}

/**
 * Says in words what a request part must be: "limit must be an integer from 1 to 100".
 *
 * @param error what Ajv found; its `verbose` option must be on
 * @param part the part of the request: `body`, `querystring` …
 */
export function invalidInput(error: FastifySchemaValidationError, part: string | undefined): InvalidInput {
  return new InvalidInput(inputMessage(error, part), textRuleOf(schemaOf(error))?.code);
}

function inputMessage(error: FastifySchemaValidationError, part: string | undefined): string {
  const field = fieldName(error.instancePath);
  if (error.keyword === "required") {
    const missing = String(error.params.missingProperty);
    return `${field ? `${field}.${missing}` : missing} is required`;
  }
  if (error.keyword === "additionalProperties") {
    const unknown = String(error.params.additionalProperty);
    return `${field ? `${field}.${unknown}` : unknown} is not known here`;
  }
  return `${field || `the ${part ?? "request"}`} ${rule(error.keyword, schemaOf(error))}`;
}

function schemaOf(error: FastifySchemaValidationError): ValueSchema {
  return (error as { parentSchema?: ValueSchema }).parentSchema ?? {};
}

function textRuleOf({ pattern, format }: ValueSchema) {
  return TEXT_RULES[pattern ?? format ?? ""];
}

/** `/media/0` as `media[0]`. */
function fieldName(pointer: string): string {
  const [first = "", ...rest] = pointer.split("/").slice(1);
  return first + rest.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join("");
}

function rule(keyword: string, schema: ValueSchema): string {
  switch (schema.type) {
    case "integer":
      return `must be an integer from ${schema.minimum} to ${schema.maximum}`;
    case "string":
      if (schema.enum) return `must be one of ${schema.enum.join(", ")}`;
      return lettersRule(keyword, schema) ?? lengthRule(schema);
    case "array":
      return arrayRule(schema);
    case "boolean":
      return "must be true or false";
    case "number":
      return "must be a number";
    case "null":
      return "must be null";
    default:
      if (Array.isArray(schema.type)) return ruleOfSeveral(keyword, schema, schema.type);
      return "must be a JSON object";
  }
}

/** Such as "must be an integer from 0 to 10 or null". */
function ruleOfSeveral(keyword: string, schema: ValueSchema, types: readonly string[]): string {
  const rules = types.map((type) => rule(keyword, { ...schema, type }).replace(/^must be /, ""));
  return `must be ${rules.join(" or ")}`;
}

function arrayRule({ minItems = 0, maxItems, uniqueItems }: ValueSchema): string {
  const count = minItems > 0 ? `${minItems} to` : "at most";
  return `must be an array of ${count} ${maxItems}${uniqueItems ? " different" : ""} items`;
}

/** A rule with a code of its own names the lengths too: whatever is wrong with the text, it is refused in one way. */
function lettersRule(keyword: string, schema: ValueSchema): string | undefined {
  const { rule: text, code } = textRuleOf(schema) ?? {};
  if (code || keyword === "format" || keyword === "pattern") return text ?? `must match ${schema.pattern}`;
  return undefined;
}

function lengthRule({ minLength = 0, maxLength, [CONFIGURED_MAXIMUM]: configured }: ValueSchema): string {
  // What is too long is refused by the keyword's own schema, which has the number.
  if (maxLength === undefined || configured !== undefined) return "must be text";
  return minLength > 0
    ? `must be text of ${minLength} to ${maxLength} characters`
    : `must be text of at most ${maxLength} characters`;
}
