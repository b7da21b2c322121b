import { Ajv } from "ajv";
import { Errors } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { SENT_AGAIN_HEADERS } from "#botyard/delivery/sending/send-attempt.js";
import { signingHeaders } from "#botyard/delivery/sending/signature.js";
import { encodePost } from "#botyard/domain/post.js";
import { encodeUpdate } from "#botyard/domain/update.js";
import { encodeTestEvent } from "#botyard/domain/webhook.js";
import { components } from "#botyard/http/schemas/components.js";
import { componentSchema, contract, operations } from "../support/contract.js";

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

  it("has valid schemas: a service does not check that again at each start", () => {
    const ajv = new Ajv({ strict: false, logger: false });
    const ofParameters = operations.flatMap(({ parameters = [] }) => parameters.map(({ schema }) => schema));
    expect(ofParameters.length).toBeGreaterThan(10);
    const isInvalid = (schema: object) => ajv.validateSchema(schema) !== true;
    expect([...components, ...ofParameters].filter(isInvalid)).toEqual([]);
    expect(isInvalid({ type: "strng" })).toBe(true);
  });

  it("says where the service is", () => {
    expect(contract).toHaveProperty("servers.0.url", "/");
  });

  it("types the payload of updates by event_type", () => {
    for (const [component, suffix] of [
      ["BotUpdate", "Update"],
      ["OwnerUpdate", "OwnerUpdate"],
    ] as const) {
      const kind = `#/components/schemas/ChannelPostCreated${suffix}`;
      expect(schemas[component]).toMatchObject({
        oneOf: expect.arrayContaining([
          { $ref: kind },
          { $ref: `#/components/schemas/CustomEvent${suffix}` },
        ]),
        discriminator: { propertyName: "event_type", mapping: { "channel.post_created": kind } },
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
    const again = operationId === "receiveUpdate" ? SENT_AGAIN_HEADERS : [];
    const pairs = (secret: string | undefined) => {
      const sent = signingHeaders("{}", secret, now);
      if (secret !== undefined) sent.push(...again);
      return new Map(sent.flatMap((text, index) => (index % 2 === 0 ? [[text, sent[index + 1] ?? ""]] : [])));
    };
    const signed = pairs("open-sesame");
    expect([...signed.keys()].sort()).toEqual(parameters.map(({ name }) => name).sort());
    for (const { name, schema } of parameters) expect(Errors({ ...schema }, signed.get(name))[1]).toEqual([]);
    const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
    expect([...pairs(undefined).keys()]).toEqual(required);
  });
});
