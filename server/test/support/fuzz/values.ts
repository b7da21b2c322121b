import * as fc from "fast-check";

/** The part of JSON Schema that the requests of the OpenAPI document use. */
export interface RequestSchema {
  $ref?: string;
  type?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  enum?: string[];
  pattern?: string;
  required?: string[];
  items?: RequestSchema;
  properties?: Record<string, RequestSchema>;
  examples?: unknown[];
}

/** Texts that are known to break parsers. */
export const NASTY_TEXTS = [
  "",
  " ",
  "\t\r\n",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udc00\ud800",
  "\u202e\u200b\ufeff",
  "\u{10ffff}",
  "Ａ",
  "ß",
  "İ",
  "null",
  "undefined",
  "NaN",
  "true",
  "-0",
  "1e309",
  "9007199254740993",
  "0x10",
  "' OR 1=1 --",
  '"; DROP TABLE bots; --',
  "$1",
  "${x}",
  "{{7*7}}",
  "<script>alert(1)</script>",
  "../../../../etc/passwd",
  "%00",
  "%zz",
  "__proto__",
  "constructor",
  "toString",
  "\r\nX-Injected: 1",
  "\\",
  "x".repeat(10_000),
  "\u{1f419}".repeat(4096),
  "é".repeat(5000),
];

const nastyText = fc.constantFrom(...NASTY_TEXTS);

/** Values that a schema allows. */
export function valueOf(
  schema: RequestSchema,
  resolve: (ref: string) => RequestSchema,
): fc.Arbitrary<unknown> {
  if (schema.$ref) return valueOf(resolve(schema.$ref), resolve);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const { minLength = 0, maxLength = 64, minItems = 0, maxItems = 5 } = schema;
  switch (schema.type) {
    case "integer":
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1000, 1_000_000) });
    case "string": {
      const size = { minLength, maxLength: Math.min(maxLength, 100) };
      const examples = (schema.examples ?? []).map((example) => fc.constant(example));
      return schema.pattern
        ? fc.stringMatching(new RegExp(schema.pattern), { size: "small" })
        : fc.oneof(fc.string({ unit: "binary", ...size }), fc.string(size), ...examples);
    }
    case "array": {
      const size = { minLength: minItems, maxLength: maxItems };
      const item = valueOf(schema.items ?? {}, resolve);
      const given = (schema.examples ?? []).map((example) => fc.constant(example));
      return fc.oneof(schema.uniqueItems ? fc.uniqueArray(item, size) : fc.array(item, size), ...given);
    }
    case "object":
      return schema.properties
        ? objectOf(schema, resolve)
        : fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
    default:
      return fc.oneof(fc.jsonValue(), ...(schema.examples ?? []).map((example) => fc.constant(example)));
  }
}

function objectOf(
  { properties = {}, required = [] }: RequestSchema,
  resolve: (ref: string) => RequestSchema,
) {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valueOf(schema, resolve)]),
  );
  return fc.record(fields, { requiredKeys: required });
}

const deep = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth);

/** Any value for a field. */
const wrongValue = fc.oneof(
  nastyText,
  fc.constantFrom(null, true, 0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER),
  fc.constantFrom([], {}, [[]], [null], { a: { b: { c: {} } } }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A body as bytes: valid JSON, JSON with one invalid field, and invalid JSON. */
export function bodyOf(schema: RequestSchema, resolve: (ref: string) => RequestSchema): fc.Arbitrary<Buffer> {
  const right = valueOf(schema, resolve);
  const fields = Object.keys((schema.$ref ? resolve(schema.$ref) : schema).properties ?? {});
  const spoiled = fc
    .tuple(right, fc.constantFrom(...fields, "unknown", "__proto__", "constructor"), wrongValue)
    .map(([value, field, wrong]) =>
      `${JSON.stringify(value).replace(/\}$/, "")},${JSON.stringify(field)}:${JSON.stringify(wrong)}}`.replace(
        "{,",
        "{",
      ),
    );
  const cut = fc
    .tuple(right, fc.nat({ max: 40 }))
    .map(([value, length]) => JSON.stringify(value).slice(0, length));
  return fc.oneof(
    { weight: 4, arbitrary: right.map((value) => Buffer.from(JSON.stringify(value))) },
    { weight: 4, arbitrary: spoiled.map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: cut.map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constantFrom(...NASTY_BODIES) },
  );
}

const NASTY_BODIES: readonly Buffer[] = [
  "",
  "{",
  "[]",
  "null",
  "\ufeff{}",
  '{"body":"x","body":1}',
  '{"body":"\\ud800"}',
  '{"__proto__":{"body":"x"}}',
  '{"constructor":{"prototype":{"body":"x"}}}',
  '{"body":1e999}',
  '{"username":"x",}',
  "{'body':'x'}",
  "{}{}",
  deep(60_000 / 2, "[", "]"),
  `{"media":${deep(10_000, "[", "]")},"body":"x"}`,
  `{"body":"x","media":[${deep(5_000, '{"a":', "}").replace(":}", ":1}")}]}`,
  `{"body":"${"x".repeat(65_500)}"}`,
  `{"body":"${"x".repeat(70_000)}"}`,
  `{${'"a":1,'.repeat(5_000)}"body":"x"}`,
]
  .map((text) => Buffer.from(text))
  .concat(
    Buffer.from('{"body":"\ud800"}', "utf16le"),
    Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
  );
