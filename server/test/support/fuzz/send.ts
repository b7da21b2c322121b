import { connect } from "node:net";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { FORMATS } from "#botyard/http/schemas/values/text-rules.js";
import { lineStreamIds, operations, responseSchemas, statusOfCode, streamIds } from "../contract.js";
import type { FuzzedRequest } from "./requests.js";

/** The answer; status 0 when the service closed the connection without one. */
export interface FuzzedAnswer {
  status: number;
  contentType: string;
  /** The header `Botyard-Error`; empty without one. */
  code: string;
  body: string;
}

const MAX_ANSWER_WAIT_MS = 30_000;

/** Sends a generated request unchanged, and reads its final answer. */
export function send(
  port: number,
  request: FuzzedRequest,
  fill: (text: string) => string,
): Promise<FuzzedAnswer> {
  const socket = connect(port, "127.0.0.1");
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const end = (answer: FuzzedAnswer): void => {
      clearTimeout(patience);
      socket.destroy();
      resolve(answer);
    };
    const patience = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer to ${request.method} ${request.target}`));
    }, MAX_ANSWER_WAIT_MS);
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      const answer = parse(received, request.method === "HEAD");
      if (answer) end(answer);
    });
    socket.on("error", () => {});
    socket.on("close", () =>
      end(parse(received, true) ?? { status: 0, contentType: "", code: "", body: "" }),
    );
    socket.write(bytesOf(request, fill));
    // A request that announced more than it sent closes its side.
    if (request.framing === "too short") socket.end();
  });
}

function bytesOf(
  { method, target, headers, body: template, framing }: FuzzedRequest,
  fill: (text: string) => string,
): Buffer {
  const body = Buffer.from(fill(template.toString("latin1")), "latin1");
  const lines = headers.map(([name, value]) => `${name}: ${fill(value)}`);
  const length =
    { "too long": body.length - 1, "too short": body.length + 10 }[framing as string] ?? body.length;
  if (framing !== "chunks" && framing !== "chunk extensions" && body.length > 0)
    lines.push(`Content-Length: ${length}`);
  if (framing.startsWith("chunk") || framing === "both") lines.push("Transfer-Encoding: chunked");
  const head = `${method} ${fill(target)} HTTP/1.1\r\nHost: x\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;
  return Buffer.concat([
    Buffer.from(head, "latin1"),
    framing.startsWith("chunk") ? chunked(body, framing) : body,
  ]);
}

function chunked(body: Buffer, framing: string): Buffer {
  const middle = Math.ceil(body.length / 3);
  const extension = framing === "chunk extensions" ? ';a="b";c' : "";
  const chunks = [body.subarray(0, middle), body.subarray(middle)].filter(({ length }) => length > 0);
  return Buffer.concat([
    ...chunks.flatMap((chunk) => [
      Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`),
      chunk,
      Buffer.from("\r\n"),
    ]),
    Buffer.from("0\r\n\r\n"),
  ]);
}

function parse(received: Buffer, isHeadOnly: boolean): FuzzedAnswer | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = received.toString("latin1", 0, headEnd);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? Number.NaN);
  if (status < 200) return parse(received.subarray(headEnd + 4), isHeadOnly);
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  const body = received.subarray(headEnd + 4, headEnd + 4 + length);
  if (!isHeadOnly && body.length < length) return undefined;
  return {
    status,
    contentType: /^content-type: *([^\r]*)/im.exec(head)?.[1] ?? "",
    code: /^botyard-error: *([^\r]*)/im.exec(head)?.[1] ?? "",
    body: body.toString("utf8"),
  };
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
for (const [name, isRight] of Object.entries(FORMATS)) ajv.addFormat(name, isRight);
const validators = new Map<string, ValidateFunction>();

/** The operations that answer with each kind of stream. */
const STREAMS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["text/event-stream", streamIds],
  ["application/x-ndjson", lineStreamIds],
]);

/** The fault of an answer by the OpenAPI document; undefined without one. */
export function faultOf(request: FuzzedRequest, answer: FuzzedAnswer): string | undefined {
  const { status, contentType, code } = answer;
  if (status === 0) return request.isOddHttp ? undefined : "no answer";
  if (!(status < 500)) return `a ${status}`;
  // A mutated path may become the root, which redirects to the console.
  if (status === 302 && /^\/(?:\?|$)/.test(request.target)) return undefined;
  if (statusOfCode(code) !== (status >= 400 ? status : undefined))
    return `the code "${code}" with a ${status}`;
  if (request.method === "HEAD") return statusesOf(request).has(status) ? undefined : `a ${status} to HEAD`;
  if (status === 304) return statusesOf(request).has(status) ? undefined : "a 304";
  const ids = status === 200 ? STREAMS.get(contentType) : undefined;
  if (ids) return mayStream(request, ids) ? undefined : "a stream";
  if (contentType !== "application/json; charset=utf-8") return `a content type of ${contentType}`;
  // The document lists that with the header, not with each operation.
  if (code === "invalid_owner_header") return undefined;
  const allowed = statusesOf(request);
  if (!allowed.has(status)) return `a ${status} where the document lists ${[...allowed].join(", ")}`;
  return problemsOf(request, answer);
}

/** A stream is read to the end of its head; a mutated path may have become that of a stream. */
function mayStream({ operationId, isRouted }: FuzzedRequest, ids: ReadonlySet<string>): boolean {
  return !isRouted || ids.has(operationId);
}

const listedStatuses = new Map(
  operations.map(({ operationId, responses }) => [operationId, Object.keys(responses).map(Number)]),
);
const anyStatus = [...listedStatuses.values()].flat();

function statusesOf({ operationId, isRouted, isOddHttp }: FuzzedRequest): Set<number> {
  const own = listedStatuses.get(operationId) ?? [];
  return new Set([...(isRouted ? own : [...anyStatus, 404]), ...(isOddHttp ? [400, 404] : [])]);
}

/** A mutated path may have become that of another operation. */
function problemsOf(
  { operationId, isRouted }: FuzzedRequest,
  { status, body }: FuzzedAnswer,
): string | undefined {
  const candidates = isRouted ? [operationId] : operations.map((operation) => operation.operationId);
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    return `a body that is no JSON (${(error as Error).message}): ${body.slice(0, 100)}`;
  }
  let first: string | undefined;
  for (const id of candidates) {
    const problem = problemOf(id, status, value);
    if (problem === undefined) return undefined;
    first ??= problem;
  }
  return `${first} in ${body.slice(0, 300)}`;
}

function problemOf(operationId: string, status: number, value: unknown): string | undefined {
  const key = `${operationId} ${status}`;
  let validate = validators.get(key);
  if (!validate) {
    const schemas = responseSchemas(operationId);
    // Below the framework every failure has the Error body, like a 401.
    validate = ajv.compile(schemas[status] ?? (status >= 400 ? schemas[401] : undefined) ?? false);
    validators.set(key, validate);
  }
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}
