import { isUtf8 } from "node:buffer";
import {
  errorCodes,
  type FastifyInstance,
  type FastifyRequest,
  type HookHandlerDoneFunction,
  type RouteOptions,
} from "fastify";
import { scan } from "secure-json-parse";
import { InvalidInput } from "../../domain/errors.js";
import { MAX_REQUEST_BODY_BYTES } from "../../domain/limits.js";

/**
 * How much of a body that is too large is still read and discarded. Most clients that get an answer while they are
 * sending see a reset connection instead.
 */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;

/**
 * Accepts JSON as the only content type. The parser refuses `__proto__` keys, bodies that are compressed, too large or
 * not UTF-8.
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  parseJsonBodies(app, "error", (_request, _bytes, parse) => parse());
}

/** Has a body parsed once that may begin. */
export type BodyParsing = (request: FastifyRequest, bytes: number, parse: () => void) => void;

/** The same for batches, whose items are checked by {@link changesPrototypes}. */
export function acceptBatches(app: FastifyInstance, parsing: BodyParsing): void {
  parseJsonBodies(app, "ignore", parsing);
}

function parseJsonBodies(app: FastifyInstance, protoKeys: "error" | "ignore", parsing: BodyParsing): void {
  const parseJson = app.getDefaultJsonParser(protoKeys, protoKeys);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", (request, payload, done) => {
    readBody(payload, request.routeOptions.bodyLimit, (error, bytes) => {
      if (error) return done(error);
      const { "content-encoding": encoding = "identity" } = request.headers;
      if (encoding.toLowerCase() !== "identity") return done(compressed(encoding));
      if (bytes.length === 0 && isOptional(request)) return done(null, {});
      if (!isUtf8(bytes)) return done(new InvalidInput("the body must be UTF-8 text", "invalid_json"));
      parsing(request, bytes.length, () => void parseJson(request, bytes.toString("utf8"), done));
    });
  });
}

/** Whether a part of a body has keys that change prototypes where it is copied, however deep. */
export function changesPrototypes(part: unknown): boolean {
  return typeof part === "object" && part !== null && scan(part, { safe: true }) === null;
}

/** The error message for such a part. */
export const NO_PROTOTYPE_KEYS =
  "without keys that change prototypes (__proto__, constructor with a prototype)";

/**
 * An `onRequest` hook for operations without a body: one of any content type is read and discarded. Without it, a client
 * that sends `Content-Type: application/json` with every request would get a 400. A body that ends too early is refused, as
 * everywhere: its sender gets a 400, so that nothing may be done.
 */
export function ignoreBody(request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction): void {
  const { headers } = request.raw;
  const isBodySent = hasBody(request);
  delete headers["content-type"];
  delete headers["content-length"];
  delete headers["transfer-encoding"];
  if (isBodySent) readBody(request.raw, 0, (error) => done(isBroken(error) ? error : undefined));
  else done();
}

function hasBody({ raw: { headers } }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Marks an operation whose body may be left out, for the OpenAPI document. */
export const OPTIONAL_BODY = "x-optional-body";

/**
 * For a replay, whose body is optional: the parsed body has at most one field, if the body is a JSON object with it.
 * Everything else is ignored: other content types, what is not JSON, a body that is too large. Only JSON that says something and is no object is left
 * for the schema to refuse. Not for operations that do more without the field than with it: see {@link acceptMissingBody}.
 */
export function acceptOptionalField(app: FastifyInstance, field: string): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", (_request, payload, done) => {
    readBody(payload, MAX_REQUEST_BODY_BYTES, (error, bytes) => {
      if (isBroken(error)) done(error);
      else done(null, error ? {} : onlyField(bytes, field));
    });
  });
  app.addHook("onRequest", allowAnyBody);
  markOptional(app);
}

/** For operations with an optional body that is checked as every other one, if it is there. Of no bytes, it is not there. */
export function acceptMissingBody(app: FastifyInstance): void {
  // Whether a chunked body has any bytes is known when it has been read.
  app.addContentTypeParser("*", (_request, payload, done) => {
    readBody(payload, 0, (error) => {
      if (!error) done(null, {});
      else done(isBroken(error) ? error : new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
    });
  });
  app.addHook("onRequest", (request, _reply, done) => {
    if (!hasBody(request)) {
      delete request.raw.headers["content-type"];
      request.body = {};
    }
    done();
  });
  markOptional(app);
}

function isOptional({ routeOptions }: FastifyRequest): boolean {
  return Object.hasOwn(routeOptions.schema ?? {}, OPTIONAL_BODY);
}

function markOptional(app: FastifyInstance): void {
  app.addHook("onRoute", (route: RouteOptions) => {
    route.schema = Object.assign({ [OPTIONAL_BODY]: true }, route.schema);
  });
}

function onlyField(bytes: Buffer, field: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString("utf8"));
  } catch {
    return {};
  }
  if (isEmpty(body)) return {};
  if (typeof body !== "object" || Array.isArray(body)) return body;
  return Object.hasOwn(body, field) ? { [field]: (body as Record<string, unknown>)[field] } : {};
}

/** PHP, for one, writes an object without fields as `[]`. */
function isEmpty(body: unknown): body is null | [] {
  return body === null || (Array.isArray(body) && body.length === 0);
}

/** An `onRequest` hook: accepts a body of any content type, and treats a missing body as an empty object. */
function allowAnyBody(request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction): void {
  const { headers } = request.raw;
  delete headers["content-type"];
  if (hasBody(request)) headers["content-type"] = "application/json";
  else request.body = {};
  done();
}

/** Whether the client hung up, or the body was not as long as it said; else it was too large. */
function isBroken(error: InvalidInput | null): error is InvalidInput {
  return error?.code === "invalid_json";
}

function readBody(
  payload: NodeJS.ReadableStream & { destroyed?: boolean },
  maxBytes: number,
  done: (error: InvalidInput | null, bytes: Buffer) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let isFinished = false;

  function onData(chunk: Buffer): void {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (size > MAX_DISCARDED_BYTES) finish(tooLarge(maxBytes));
  }

  function onEnd(): void {
    finish(size > maxBytes ? tooLarge(maxBytes) : null);
  }

  function onBroken(): void {
    finish(new InvalidInput("the body ended too early", "invalid_json"));
  }

  /** Only the first call counts. Removing the listeners would cost as much as everything else here. */
  function finish(error: InvalidInput | null): void {
    if (isFinished) return;
    isFinished = true;
    const [first] = chunks;
    done(error, first && chunks.length === 1 ? first : Buffer.concat(chunks));
  }

  if (payload.destroyed) onBroken();
  else payload.on("data", onData).on("end", onEnd).on("error", onBroken);
}

function compressed(encoding: string): InvalidInput {
  return new InvalidInput(
    `the body must not be compressed: send it without Content-Encoding, not with ${JSON.stringify(encoding)}`,
    "unsupported_media_type",
  );
}

function tooLarge(maxBytes: number): InvalidInput {
  return new InvalidInput(`the body must be at most ${maxBytes / 1024} KiB`, "body_too_large");
}
