import { Ajv } from "ajv";
import { Errors } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { causeHeaders, SENT_AGAIN_HEADERS } from "#botyard/delivery/sending/send-attempt.js";
import { signingHeaders } from "#botyard/delivery/sending/signature.js";
import { encodeTestEvent } from "#botyard/domain/delivery/webhook.js";
import { encodePost } from "#botyard/domain/events/post.js";
import { encodeUpdate } from "#botyard/domain/events/update.js";
import { components } from "#botyard/http/schemas/document/components.js";
import { componentSchema, contract, contractText, operations } from "../support/contract.js";

interface Schema {
  $ref?: string;
  description?: string;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

const schemas = contract.components.schemas as Record<string, Schema>;
const received = Object.values(contract.webhooks).flatMap((methods) => Object.values(methods));
const problemsOf = (component: string, value: unknown) => Errors(componentSchema(component), value)[1];

/** Calls `visit` with every object of the document and its JSON pointer. */
function visitDocument(
  part: unknown,
  visit: (part: Record<string, unknown>, path: string) => void,
  path = "",
) {
  if (typeof part !== "object" || part === null) return;
  if (!Array.isArray(part)) visit(part as Record<string, unknown>, path);
  for (const [name, value] of Object.entries(part))
    visitDocument(value, visit, `${path}/${name.replaceAll("/", "~1")}`);
}

describe("the OpenAPI document", () => {
  it("describes every component, and every field of each", () => {
    const silent: string[] = [];
    const visit = (path: string, schema: Schema) => {
      // What is a component is described there.
      if (!schema.description && !schema.$ref) silent.push(path);
      for (const [name, field] of Object.entries(schema.properties ?? {})) visit(`${path}.${name}`, field);
      if (schema.items) visit(`${path}[]`, schema.items);
    };
    for (const [name, schema] of Object.entries(schemas)) visit(name, schema);
    expect(silent).toEqual([]);
  });

  it("describes every operation, parameter and answer", () => {
    for (const { operationId, description, parameters = [], responses } of [...operations, ...received]) {
      expect(description, operationId).toMatch(/[\w`]\.$/);
      for (const part of [...parameters, ...Object.values(responses)])
        expect(part, operationId).toHaveProperty("description", expect.stringMatching(/\S/));
    }
  });

  it("says of each operation of owners that a wrong Botyard-Owner is refused, but for those of the specification", () => {
    const ofOwners = operations.filter(
      (one) => one["x-botyard-extension"] && one.security?.some((kind) => "platformOwner" in kind),
    );
    expect(ofOwners.length).toBeGreaterThan(50);
    expect(ofOwners.filter(({ responses }) => !("400" in responses)).map((one) => one.operationId)).toEqual(
      [],
    );
  });

  it("has valid schemas: a service does not check that again at each start", () => {
    const ajv = new Ajv({ strict: false, logger: false });
    const ofParameters = operations.flatMap(({ parameters = [] }) => parameters.map(({ schema }) => schema));
    expect(ofParameters.length).toBeGreaterThan(10);
    const isInvalid = (schema: object) => ajv.validateSchema(schema) !== true;
    expect([...components, ...ofParameters].filter(isInvalid)).toEqual([]);
    expect(isInvalid({ type: "strng" })).toBe(true);
  });

  it("shares the failing answers, and says which headers they have", () => {
    const failing = Object.values(contract.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ responses }) => Object.entries(responses).filter(([status]) => Number(status) >= 400));
    expect(failing.length).toBeGreaterThan(300);
    for (const [, response] of failing)
      expect(response).toEqual({ $ref: expect.stringMatching(/^#\/components\/responses\/\w+$/) });
    const temporary = ["Botyard-Error", "RateLimit", "RateLimit-Policy", "Retry-After"];
    const { BadRequest, TooManyRequests, ServiceUnavailable } = contract.components.responses;
    expect(Object.keys(BadRequest?.headers ?? {})).toEqual(temporary.slice(0, 3));
    expect(Object.keys(TooManyRequests?.headers ?? {})).toEqual(temporary);
    expect(Object.keys(ServiceUnavailable?.headers ?? {})).toEqual(temporary);
  });

  it("names each list of texts, so that generated clients have one type for it", () => {
    const anonymous: string[] = [];
    visitDocument(contract, (part, path) => {
      const isNamed = /^\/components\/schemas\/\w+$/.test(path);
      if (Array.isArray(part["enum"]) && part["enum"].length > 1 && !isNamed) anonymous.push(path);
    });
    expect(anonymous).toEqual([]);
  });

  it("has only patterns that every language can compile, without flags", () => {
    const patterns = new Set<string>();
    visitDocument(contract, ({ pattern }) => {
      if (typeof pattern === "string") patterns.add(pattern);
    });
    expect(patterns.size).toBeGreaterThan(5);
    // Go and Rust know no look-around and no \u; code points above U+FFFF would need JavaScript's flag u.
    for (const pattern of patterns) expect(pattern).not.toMatch(/\(\?[=!<]|\\u|\\p|[^\0-\x7f]/);
  });

  it("has no discriminator, which could not name custom events, and one type for each request field", () => {
    const requests: string[] = [];
    visitDocument(contract, (part, path) => {
      expect(part, path).not.toHaveProperty("discriminator");
      if (/\/\w+Request\/properties\//.test(path) && Array.isArray(part["type"])) requests.push(path);
    });
    expect(requests).toEqual([]);
  });

  it("requires a body where there must be one, and nowhere else", () => {
    const optional = operations
      .filter(({ requestBody }) => (requestBody as { required?: boolean } | undefined)?.required === false)
      .map(({ operationId }) => operationId);
    expect(optional).toEqual(["attachBot", "replayWebhook", "replayNamedWebhook", "putDirectChannel"]);
    expect(contractText).not.toContain("x-optional-body");
  });

  it("says where the service is", () => {
    expect(contract).toHaveProperty("servers.0.url", "/");
  });

  it("types the payload of updates by event_type", () => {
    for (const [component, suffix] of [
      ["BotUpdate", "Update"],
      ["OwnerUpdate", "OwnerUpdate"],
    ] as const) {
      expect(schemas[component]).toMatchObject({
        anyOf: expect.arrayContaining([
          { $ref: `#/components/schemas/ChannelPostCreated${suffix}` },
          { $ref: `#/components/schemas/CustomEvent${suffix}` },
        ]),
      });
    }
    const update = {
      update_id: 1,
      event_type: "channel.post_created",
      created_at: "2026-01-31T12:00:00.000Z",
    };
    expect(problemsOf("BotUpdate", { ...update, payload: {} })).not.toEqual([]);
    expect(problemsOf("BotUpdate", { ...update, event_type: "a.b", payload: {} })).toEqual([]);
    expect(problemsOf("BotUpdate", { ...update, event_type: "bot.b", payload: {} })).not.toEqual([]);
  });
});

describe("examples of requests", () => {
  const bodies = operations.flatMap(({ operationId, requestBody }) => {
    const { content } = (requestBody ?? {}) as {
      content?: Record<string, { schema: Schema; example?: Record<string, unknown> }>;
    };
    const media = content?.["application/json"];
    return media ? [{ operationId, media }] : [];
  });

  it.each(bodies)("of $operationId are valid and leave no field empty", ({ media }) => {
    const component = media.schema.$ref?.split("/").at(-1) ?? "";
    expect(problemsOf(component, media.example)).toEqual([]);
    for (const value of Object.values(media.example ?? {})) expect(value).not.toBe("");
    for (const { examples } of Object.values(schemas[component]?.properties ?? {}))
      expect(examples ?? []).not.toContain("");
  });

  it("of putWebhook leave the secret that is set", () => {
    const { media } = bodies.find(({ operationId }) => operationId === "putWebhook") ?? {};
    expect(media?.example).toEqual({ url: "https://example.com/hook" });
  });
});

describe("the webhooks section", () => {
  const now = Date.parse("2026-01-31T12:00:00Z");
  const post = {
    id: "p",
    channelId: "c",
    authorUsername: "alice",
    body: "Hello",
    media: [{ kind: "photo" }],
    createdAt: now,
  };
  const update = encodeUpdate({ updateId: 1, payload: encodePost(post), createdAt: now });

  it.each([
    ["update", "BotUpdate", update],
    ["test", "WebhookTestEvent", encodeTestEvent("b", "alice", now)],
  ])("describes the body of %s as it is sent", (name, component, body) => {
    expect(contract.webhooks[name]?.post).toMatchObject({
      requestBody: {
        content: { "application/json": { schema: { $ref: `#/components/schemas/${component}` } } },
      },
    });
    expect(problemsOf(component, JSON.parse(body))).toEqual([]);
  });

  it.each(received)("describes the headers of $operationId as they are sent", (operation) => {
    const { operationId, parameters = [] } = operation;
    const ofCause = causeHeaders(`00-${"a".repeat(32)}-${"b".repeat(16)}-01 request-1`);
    const again = operationId !== "receiveTestEvent" ? [...SENT_AGAIN_HEADERS, ...ofCause] : [];
    const pairs = (secret: string | undefined) => {
      const sent = signingHeaders("{}", secret === undefined ? {} : { secret }, now, "b_1");
      if (secret !== undefined) sent.push(...again);
      return new Map(sent.flatMap((text, index) => (index % 2 === 0 ? [[text, sent[index + 1] ?? ""]] : [])));
    };
    const signed = pairs(`whsec_${Buffer.alloc(24).toString("base64")}`);
    expect([...signed.keys()].sort()).toEqual(parameters.map(({ name }) => name).sort());
    for (const { name, schema } of parameters) expect(Errors({ ...schema }, signed.get(name))[1]).toEqual([]);
    const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
    expect([...pairs(undefined).keys()]).toEqual(required);
  });
});
