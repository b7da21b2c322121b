import * as fc from "fast-check";
import { contract, operations } from "../contract.js";
import { bodyOf, NASTY_TEXTS, type RequestSchema, valueOf } from "./values.js";

type Operation = (typeof operations)[number];

/** Placeholders for what only a running service has. */
export const OWNER_TOKEN = "<owner-token>";
export const BOT_TOKEN = "<bot-token>";
export const PLATFORM_TOKEN = "<platform-token>";
export const BOT_ID = "<bot-id>";
export const CHANNEL_ID = "<channel-id>";
export const CONSUMER = "<consumer>";
export const POST_ID = "<post-id>";
export const INTERACTION_ID = "<interaction-id>";
/** The example of a cursor, as the OpenAPI document has it. */
export const FEED_CURSOR = String(
  (contract.components.schemas as Record<string, RequestSchema>)["MoveFeedConsumerRequest"]?.properties?.[
    "cursor"
  ]?.examples?.[0],
);

export interface FuzzedRequest {
  /** The operation that the request is made from. */
  operationId: string;
  /** Whether it still is one of that operation: its method and the form of its path are untouched. */
  isRouted: boolean;
  /** Whether it may be no HTTP any more, and be answered below the framework. */
  isOddHttp: boolean;
  method: string;
  target: string;
  headers: [string, string][];
  body: Buffer;
  framing: Framing;
}

/** How the body is sent; the last three have a wrong length. */
export type Framing = "length" | "chunks" | "chunk extensions" | "too long" | "too short" | "both";

const schemas = contract.components.schemas as Record<string, RequestSchema>;
const resolve = (ref: string): RequestSchema => schemas[ref.replace("#/components/schemas/", "")] ?? {};

const mostly = <Value>(usual: fc.Arbitrary<Value>, weight: number, ...others: fc.Arbitrary<Value>[]) =>
  fc.oneof({ weight, arbitrary: usual }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));

/** Bytes that may stand in a request line; all others are for the mutation that is not HTTP. */
const encoded = (text: string): string =>
  encodeURIComponent(text.slice(0, 3000).replaceAll(/\p{Cs}/gu, "\ufffd"));
/** Near Node's limit of 16 KiB for the request line and header fields, tokens and ids not yet filled in. */
const LONG_HEAD_CHARS = 14_000;
const nasty = fc.constantFrom(...NASTY_TEXTS);

function requestOf(operation: Operation): fc.Arbitrary<FuzzedRequest> {
  const { operationId } = operation;
  return fc
    .record({
      method: mostly(
        fc.constant(operation.method),
        20,
        fc.constantFrom("HEAD", "OPTIONS", "TRACE", "PURGE", "get", "PUT"),
      ),
      path: pathOf(operation),
      query: queryOf(operation),
      token: tokenOf(operation),
      contentType: mostly(fc.constant("application/json"), 8, fc.constantFrom(...CONTENT_TYPES)),
      extra: mostly(
        fc.constant<[string, string][]>([]),
        5,
        fc.subarray(ODD_HEADERS, { minLength: 1, maxLength: 3 }),
      ),
      broken: mostly(
        fc.constant<[string, string][]>([]),
        20,
        fc.subarray(BROKEN_HEADERS, { minLength: 1, maxLength: 1 }),
      ),
      body: bodyFor(operation),
      framing: mostly<Framing>(
        fc.constant("length"),
        8,
        fc.constantFrom("chunks", "chunk extensions", "too long", "too short", "both"),
      ),
    })
    .map(({ method, path, query, token, contentType, extra, broken, body, framing }) => {
      const target = path.text + query;
      const credential: [string, string][] = token ? [["Authorization", token]] : [];
      const type: [string, string][] = body.length > 0 && contentType ? [["Content-Type", contentType]] : [];
      const headers = [...credential, ...type, ...extra, ...broken];
      return {
        operationId,
        isRouted: method === operation.method && path.isWhole,
        isOddHttp:
          broken.length > 0 ||
          method === "get" ||
          ["too long", "too short", "both"].includes(framing) ||
          target.length + headers.flat().join("").length > LONG_HEAD_CHARS,
        method,
        target,
        headers,
        body,
        framing: body.length === 0 ? ("length" as const) : framing,
      };
    });
}

function pathOf({ path }: Operation): fc.Arbitrary<{ text: string; isWhole: boolean }> {
  const right = path
    .replace("/channels/{id}", `/channels/${CHANNEL_ID}`)
    .replace("{channelId}", CHANNEL_ID)
    .replace("{botId}", BOT_ID)
    .replace("{name}", CONSUMER)
    .replace("{updateId}", "1")
    .replace("{postId}", POST_ID)
    .replace(/\{interactionId\}|(?<=interactions\/)\{id\}/, INTERACTION_ID)
    .replace("{id}", BOT_ID);
  const withOdd = fc
    .oneof(
      nasty.map(encoded),
      fc.uuid(),
      fc.webPath().map((text) => encoded(text)),
    )
    .map((odd) => ({
      text: right.replace(/<[a-z-]+>/, odd || "-"),
      isWhole: true,
    }));
  const raw = fc.constantFrom(
    "%",
    "%zz",
    "%00",
    "..",
    "../..",
    "//",
    ";x",
    "%2e%2e%2f",
    "\\",
    "?",
    "#",
    "*",
    "%c0%ae",
  );
  const twisted = fc.tuple(raw, fc.nat({ max: right.length })).map(([odd, at]) => ({
    text: `/${(right.slice(0, at) + odd + right.slice(at)).replace(/^\/?/, "")}`,
    isWhole: false,
  }));
  const whole = fc.constant({ text: right, isWhole: true });
  return right.includes("<") ? mostly(whole, 6, withOdd, twisted) : mostly(whole, 10, twisted);
}

function queryOf({ parameters = [] }: Operation): fc.Arbitrary<string> {
  const own = (parameters as unknown as { in: string; name: string; schema: RequestSchema }[]).filter(
    (one) => one.in === "query",
  );
  const right = own.map(({ name, schema }) =>
    // A waiting poll would only slow down the fuzzing.
    name === "timeout"
      ? fc.constant("timeout=0")
      : valueOf(schema, resolve).map((value) => `${name}=${encoded(String(value))}`),
  );
  const names = fc.constantFrom(
    "limit",
    "offset",
    "timeout",
    "before",
    "after",
    "state",
    "consumer",
    "x",
    "__proto__",
    "limit[]",
    "",
  );
  const odd = fc.tuple(names, nasty).map(([name, value]) => `${name}=${encoded(value)}`);
  const twisted = fc.constantFrom(
    "&&&",
    "=",
    "limit=1&limit=2",
    "limit",
    "limit=1;offset=2",
    "%zz=%zz",
    "limit=+1",
    "limit=%31",
    "limit=01",
  );
  const chosen = fc.tuple(
    fc.subarray(right).chain((some) => fc.tuple(...some)),
    fc.array(fc.oneof(odd, twisted), { maxLength: 2 }),
  );
  return mostly(
    fc.constant(""),
    2,
    chosen.map(([good, bad]) => `?${[...good, ...bad].join("&")}`),
  );
}

function tokenOf({ security }: Operation): fc.Arbitrary<string> {
  const right = TOKENS.find(([scheme]) => security?.some((needed) => scheme in needed))?.[1] ?? BOT_TOKEN;
  const other = right === OWNER_TOKEN ? BOT_TOKEN : OWNER_TOKEN;
  return mostly(
    fc.constant(`Bearer ${right}`),
    12,
    fc.constantFrom(
      "",
      `Bearer ${other}`,
      `Bearer ${PLATFORM_TOKEN}`,
      `bearer ${right}`,
      `Bearer  ${right} `,
      `Basic ${right}`,
      right,
      "Bearer",
      "Bearer ..",
      "Bearer bot_",
    ),
    fc.string({ maxLength: 60 }).map((text) => `Bearer ${text.replaceAll(/[^!-~ ]/g, "?")}`),
  );
}

function bodyFor({ requestBody, method }: Operation): fc.Arbitrary<Buffer> {
  const { content } = (requestBody ?? {}) as { content?: { "application/json": { schema: RequestSchema } } };
  const none = fc.constant(Buffer.alloc(0));
  if (content) return mostly(bodyOf(content["application/json"].schema, resolve), 15, none);
  // Unexpected parameters and fields must do no harm.
  return method === "GET" ? none : mostly(none, 4, bodyOf({ type: "object" }, resolve));
}

const TOKENS = [
  ["ownerToken", OWNER_TOKEN],
  ["botToken", BOT_TOKEN],
  ["platformToken", PLATFORM_TOKEN],
] as const;

const CONTENT_TYPES = [
  "",
  "text/plain",
  "application/xml",
  "APPLICATION/JSON",
  "application/json; charset=utf-16",
  "application/json; charset=utf-8; boundary=x",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  "application/jsonx",
  "*/*",
  ";",
  "x".repeat(1000),
];

const ODD_HEADERS: [string, string][] = [
  ["Accept", "application/xml"],
  ["Botyard-Owner", "alice"],
  ["Botyard-Owner", "Zo%C3%AB"],
  ["Botyard-Owner", "%zz"],
  ["Accept-Encoding", "gzip, br, zstd;q=0"],
  ["Content-Encoding", "gzip"],
  ["Cookie", "a=b; __proto__=c"],
  ["Expect", "200-ok"],
  ["Host", "evil.example"],
  ["If-None-Match", "*"],
  ["If-Match", '"1"'],
  ["If-Match", "\u00ff".repeat(300)],
  ["Idempotency-Key", "key"],
  ["Idempotency-Key", "\u0080 \u00ff"],
  ["Idempotency-Key", "x".repeat(5000)],
  ["Max-Forwards", "0"],
  ["Origin", "null"],
  ["Range", "bytes=0-0"],
  ["X-Forwarded-For", "127.0.0.1, ' OR 1=1"],
  ["X-HTTP-Method-Override", "DELETE"],
  ["X-Original-URL", "/v1/bot-api/bots"],
  ["X-Request-Id", "x".repeat(5000)],
  ["X-Request-Id", '"}\u00ff\u0080'],
  ["__proto__", "x"],
  ["X-Long", "x".repeat(8000)],
];

/** No HTTP, or nearly none: Node may refuse the request before the service sees it. */
const BROKEN_HEADERS: [string, string][] = [
  ["X-Null", "a\u0000b"],
  ["X Space", "x"],
  ["X-Folded", "a\r\n b"],
  ["", "x"],
  ["X-Many", "x\r\n".concat("A: b\r\n".repeat(2500), "C: d")],
  ["X-Long", "x".repeat(17_000)],
  ["Content-Length", "-1"],
  ["Content-Length", "1e1"],
  ["Transfer-Encoding", "gzip"],
  ["Transfer-Encoding", "chunked, identity"],
  ["Connection", "Upgrade"],
  ["Upgrade", "websocket"],
];

/** Any request to any operation: right, or wrong in several places. */
export const fuzzedRequest: fc.Arbitrary<FuzzedRequest> = fc.oneof(...operations.map(requestOf));
