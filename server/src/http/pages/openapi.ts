import swagger from "@fastify/swagger";
import type { Api } from "../api.js";
import { OPTIONAL_BODY } from "../requests/json-body.js";
import { type DocumentResponse, sharedHeaders, shareFailures } from "./shared-failures.js";
import { compressedFile, type StaticFile, sendStatic } from "./static-file.js";
import { type DocumentSchema, typeUpdates } from "./typed-updates.js";
import { webhooks } from "./webhooks.js";

const ABOUT = `Owners manage bots and watch their delivery; bots post in channels and receive numbered updates, by long
polling and by signed webhooks.

- **Credentials.** Owner operations take an owner token (a signed JWT), or the platform's token and \`Botyard-Owner\`; bot
  operations take the bot's own token.
- **Errors.** Every answer that is not a success has the body \`{"error": "…"}\`, and the header \`Botyard-Error\` with a code
  for programs, one of \`ErrorCode\`.
- **Limits.** Every answer carries \`RateLimit-Policy\` and \`RateLimit\`; a 429 and a 503 carry \`Retry-After\`.
- **Times** are RFC 3339 in UTC with milliseconds. A field for something that has not happened yet is left out.
- Operations marked \`x-botyard-extension\` are Botyard's own; all others are the specification's.`;

/** Collects the routes that are added after it into the OpenAPI document, which `GET /openapi.json` gives. */
export async function describeApi(app: Api, version: string): Promise<void> {
  const info = {
    title: "Botyard",
    // The version of the API, which begins all paths; the service's version is another one.
    version: "v1",
    "x-service-version": version,
    description: ABOUT,
    contact: { name: "The operator of this service" },
    license: { name: "MIT", identifier: "MIT" },
  };
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info,
      servers: [{ url: "/", description: "The service that this document comes from." }],
      tags: [
        { name: "owner", description: "Operations of an owner, with an owner token." },
        {
          name: "platform",
          description:
            "For a product that embeds the service: many things in one call, and what happens in all channels. Extensions of Botyard.",
        },
        { name: "bot-runtime", description: "Operations of a bot, with its bot token." },
        { name: "webhooks", description: "What the service sends to the URL of a bot's webhook." },
      ],
      components: {
        securitySchemes: {
          ownerToken: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "An owner token." },
          platformToken: {
            type: "http",
            scheme: "bearer",
            description:
              "A token of the product that embeds the service (`PLATFORM_TOKEN`), which acts as any owner. An extension of Botyard.",
          },
          platformOwner: {
            type: "apiKey",
            in: "header",
            name: "Botyard-Owner",
            description:
              "With a platform token: the user id of the owner to act as, percent-encoded where it is not plain ASCII. One that is missing or wrong, or comes with an owner token, is a 400. An extension of Botyard.",
          },
          botToken: { type: "http", scheme: "bearer", description: "A bot token (`bot_…`)." },
        },
      },
    },
    refResolver: {
      buildLocalReference: (schema, _baseUri, _fragment, index) =>
        typeof schema.$id === "string" ? schema.$id : `schema-${index}`,
    },
  });

  /** Made once: it cannot change while the service runs. */
  let document: Promise<StaticFile> | undefined;
  app.get("/openapi.json", { schema: { hide: true } }, async (request, reply) => {
    document ??= compressedFile("application/json; charset=utf-8", Buffer.from(documentText(app)));
    return sendStatic(request, reply, await document);
  });
}

interface Document {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, DocumentSchema> };
}

interface Operation {
  [OPTIONAL_BODY]?: boolean;
  responses?: Record<string, DocumentResponse>;
  requestBody?: {
    required: boolean;
    content: Record<string, { schema: { $ref?: string }; example?: unknown }>;
  };
}

/** What @fastify/swagger cannot derive from the routes. */
function completed(document: Document): object {
  const { paths = {}, components = {} } = document;
  const { schemas = {} } = components;
  const responses: Record<string, DocumentResponse> = {};
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    Object.assign(responses, shareFailures(operation.responses));
    const { requestBody } = operation;
    if (!requestBody) continue;
    // @fastify/swagger marks every body as required.
    if (operation[OPTIONAL_BODY]) requestBody.required = false;
    delete operation[OPTIONAL_BODY];
    for (const media of Object.values(requestBody.content)) addExample(media, schemas);
  }
  return {
    ...document,
    webhooks,
    components: { ...components, headers: sharedHeaders, responses, schemas: typeUpdates(schemas) },
  };
}

/** Reference pages send a request's example when nothing is entered, and empty fields when there is no example. */
function addExample(
  media: { schema: { $ref?: string }; example?: unknown },
  schemas: Record<string, DocumentSchema>,
) {
  const { examples } = schemas[media.schema.$ref?.replace("#/components/schemas/", "") ?? ""] ?? {};
  if (Array.isArray(examples)) media.example = examples[0];
}

function documentText(app: Api): string {
  return `${JSON.stringify(completed(app.swagger() as Document), withReference, 2)}\n`;
}

/** Of a field with more than a reference (`refWith`), which OpenAPI 3.1 writes without `allOf`. */
function withReference(_key: string, value: unknown): unknown {
  const { allOf, ...beside } = (value ?? {}) as { allOf?: object[] };
  return allOf?.length === 1 ? { ...allOf[0], ...beside } : value;
}
