import { readFileSync } from "node:fs";
import { Errors } from "typebox/schema";
import { expect } from "vitest";
import type { Answer } from "./api-client.js";

interface Operation {
  operationId: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: { in: string; name: string; required: boolean }[];
  requestBody?: unknown;
  responses: Record<string, { content: Content }>;
  "x-botyard-extension"?: boolean;
  description?: string;
}

interface Content {
  "application/json"?: { schema: Schema };
  /** Of a stream of events. */
  "text/event-stream"?: { schema: Schema };
}

type Schema = { [key: string]: unknown };

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** The committed OpenAPI document: what the service promises. */
export const contractText = readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8");
export const contract = JSON.parse(contractText) as Document;

/** Every operation with its method and path. */
export const operations = Object.entries(contract.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    ...operation,
  })),
);

/**
 * Checks that an answer is one the contract lists for its operation: status, content type, and a body with all the
 * required fields, of the right types, and not one more.
 */
export function expectContract(operationId: string, answer: Answer): void {
  const operation = operations.find((candidate) => candidate.operationId === operationId);
  const response = operation?.responses[answer.status];
  expect(response, `${operationId} does not list ${answer.status}: ${answer.text}`).toBeDefined();
  if (response?.content["text/event-stream"]) {
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(answer.text).toMatch(/^retry: \d+\nid: \d+\n\n/);
    return;
  }
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const schema = exact(response?.content["application/json"]?.schema ?? {});
  const [, problems] = Errors(schema, answer.body);
  expect(problems, `${operationId} ${answer.status}: ${answer.text}`).toEqual([]);
}

/** Operations whose success is a stream of events: it has a head, and no end. */
export const streamIds: ReadonlySet<string> = new Set(
  operations
    .filter(({ responses }) => responses[200]?.content["text/event-stream"])
    .map(({ operationId }) => operationId),
);

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

/** The schema with its references filled in, and closed: fields it does not name are not allowed. */
function exact(schema: Schema): Schema {
  if (typeof schema.$ref === "string") {
    return exact(contract.components.schemas[schema.$ref.replace("#/components/schemas/", "")] ?? {});
  }
  const { properties, items, ...rest } = schema as Schema & {
    properties?: Record<string, Schema>;
    items?: Schema;
  };
  return {
    ...rest,
    ...(items ? { items: exact(items) } : {}),
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

/** The schemas of the answers an operation lists, by status, complete and closed. */
export function responseSchemas(operationId: string): Record<number, object> {
  const { responses = {} } = operations.find((candidate) => candidate.operationId === operationId) ?? {};
  return Object.fromEntries(
    Object.entries(responses).map(([status, { content }]) => [
      status,
      exact(content["application/json"]?.schema ?? {}),
    ]),
  );
}
