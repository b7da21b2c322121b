import { readFileSync } from "node:fs";
import { Errors } from "typebox/schema";
import { expect } from "vitest";
import type { Answer } from "./api-client.js";

interface Operation {
  operationId: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: { in: string; name: string; required: boolean; schema: Schema }[];
  requestBody?: unknown;
  responses: Record<string, Response | Reference>;
  "x-botyard-extension"?: boolean;
  description?: string;
}

interface Reference {
  $ref: string;
}

interface Response {
  content: Content;
  headers?: Record<string, Reference>;
}

interface Content {
  "application/json"?: { schema: Schema };
  /** Of a stream of events. */
  "text/event-stream"?: { schema: Schema };
  /** Of lines of JSON. */
  "application/x-ndjson"?: { schema: Schema };
}

type Schema = { [key: string]: unknown };

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Response>;
    headers: Record<string, { required?: boolean; schema: Schema }>;
  };
}

/** The committed OpenAPI document. */
export const contractText = readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8");
export const contract = JSON.parse(contractText) as Document;

/** Every operation with its method and path, its answers resolved. */
export const operations = Object.entries(contract.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    ...operation,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [status, resolved(response)]),
    ),
  })),
);

/** An answer of an operation; failures are shared. */
function resolved(response: Response | Reference): Response {
  if (!("$ref" in response)) return response;
  const shared = contract.components.responses[response.$ref.replace("#/components/responses/", "")];
  if (!shared) throw new Error(`the document has no ${response.$ref}`);
  return shared;
}

/**
 * Checks that an answer is one the contract lists for its operation: status, content type, and a body with all the
 * required fields, of the right types, and no others.
 */
export function expectContract(operationId: string, answer: Answer): void {
  const operation = operations.find((candidate) => candidate.operationId === operationId);
  const response = operation?.responses[answer.status];
  expect(response, `${operationId} does not list ${answer.status}: ${answer.text}`).toBeDefined();
  if (response?.content["text/event-stream"]) {
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(answer.text).toMatch(/^retry: \d+\nid: [\w-]+\n\n/);
    return;
  }
  if (response?.content["application/x-ndjson"]) {
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
    expect(answer.text).toMatch(/^(?:\{.*\}\n)*$/);
    return;
  }
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const code = answer.headers.get("botyard-error");
  expect(code === null ? undefined : statusOfCode(code), `${code}: ${answer.text}`).toBe(
    answer.status >= 400 ? answer.status : undefined,
  );
  const listed = Object.keys(response?.headers ?? {});
  if (answer.status >= 400) {
    const promised = listed.filter((name) => contract.components.headers[name]?.required);
    expect(promised, operationId).toContain("Botyard-Error");
    for (const name of promised) expect(answer.headers.get(name), `${operationId}: ${name}`).not.toBeNull();
  }
  const schema = exact(response?.content["application/json"]?.schema ?? {});
  const [, problems] = Errors(schema, answer.body);
  expect(problems, `${operationId} ${answer.status}: ${answer.text}`).toEqual([]);
}

/** The status that a code belongs to, by the description of the codes; undefined when none is listed. */
export function statusOfCode(code: string): number | undefined {
  const { enum: codes, description } = contract.components.schemas["ErrorCode"] as {
    enum: string[];
    description: string;
  };
  const [, status] = new RegExp(`^- \`${code}\` \\((\\d{3})\\): `, "m").exec(description) ?? [];
  return codes.includes(code) ? Number(status) : undefined;
}

/** Operations that answer with an endless stream of events. */
export const streamIds = idsWith("text/event-stream");
/** The operations that answer with lines of JSON. */
export const lineStreamIds = idsWith("application/x-ndjson");

function idsWith(contentType: string): ReadonlySet<string> {
  const answering = operations.filter(({ responses }) =>
    Object.hasOwn(responses[200]?.content ?? {}, contentType),
  );
  return new Set(answering.map(({ operationId }) => operationId));
}

/** Checks that an answer is a failure of this status that the operation lists, and that its message says `message`. */
export function expectFailure(
  operationId: string,
  answer: Answer,
  status: number,
  message: string | RegExp = "",
): void {
  expect(answer.status, answer.text).toBe(status);
  expectContract(operationId, answer);
  expect(answer.body.error).toMatch(message);
}

/** A component of the document, resolved, without additional fields. */
export function componentSchema(name: string): object {
  return exact({ $ref: `#/components/schemas/${name}` });
}

/** By the schema of the document: to resolve one anew for every answer took more than to ask for the answer. */
const resolvedSchemas = new WeakMap<Schema, Schema>();

/** The schema with its references resolved, without additional fields. */
function exact(schema: Schema): Schema {
  const known = resolvedSchemas.get(schema) ?? resolve(schema);
  resolvedSchemas.set(schema, known);
  return known;
}

function resolve(schema: Schema): Schema {
  if (typeof schema.$ref === "string") {
    return exact(contract.components.schemas[schema.$ref.replace("#/components/schemas/", "")] ?? {});
  }
  const { properties, items, anyOf, additionalProperties, ...rest } = schema as Schema & {
    properties?: Record<string, Schema>;
    additionalProperties?: Schema | boolean;
    items?: Schema;
    anyOf?: Schema[];
  };
  return {
    ...rest,
    ...(anyOf ? { anyOf: anyOf.map(exact) } : {}),
    ...(items ? { items: exact(items) } : {}),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === "object" ? exact(additionalProperties) : additionalProperties,
        }),
    ...(properties
      ? {
          additionalProperties: false,
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, exact(property)]),
          ),
        }
      : {}),
  };
}

/** The schemas of an operation's answers by status, resolved and without additional fields. */
export function responseSchemas(operationId: string): Record<number, object> {
  const { responses = {} } = operations.find((candidate) => candidate.operationId === operationId) ?? {};
  return Object.fromEntries(
    Object.entries(responses).map(([status, { content }]) => [
      status,
      exact(content?.["application/json"]?.schema ?? {}),
    ]),
  );
}
