import type { FastifyRequest, HookHandlerDoneFunction, RouteOptions } from "fastify";

/** Decimal digits as JSON would write them: no sign, no leading zero, no fraction, no exponent. */
const CANONICAL_INTEGER = /^(?:0|[1-9]\d{0,15})$/;

/**
 * An `onRoute` hook: query parameters with an integer in their schema become numbers before validation if they are written
 * as integers. Everything else, a repeated parameter included, is left for the schema to refuse: Ajv's own coercion would
 * accept `1e1`, ` 5` and the empty text.
 */
export function readIntegersOfQuery(route: RouteOptions): void {
  const names = integerNames(route.schema?.querystring);
  if (names.length === 0) return;
  route.preValidation = (request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction) => {
    const query = request.query as Record<string, unknown>;
    for (const name of names) {
      const text = query[name];
      if (typeof text === "string" && CANONICAL_INTEGER.test(text)) query[name] = Number(text);
    }
    done();
  };
}

function integerNames(schema: unknown): string[] {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, { type?: unknown }> };
  return Object.keys(properties).filter((name) => properties[name]?.type === "integer");
}
