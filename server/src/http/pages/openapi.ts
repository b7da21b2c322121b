import swagger from "@fastify/swagger";
import type { Api } from "../api.js";
import { compressedFile, type StaticFile, sendStatic } from "./static-file.js";

const ABOUT = `Owners manage bots and watch their delivery; bots post in channels and receive numbered updates, by long
polling and by signed webhooks.

- **Credentials.** Owner operations take an owner token (a signed JWT), bot operations the bot's own token.
- **Errors.** Every answer that is not a success has the body \`{"error": "…"}\`.
- **Limits.** Every answer carries \`RateLimit-Policy\` and \`RateLimit\`; a 429 and a 503 carry \`Retry-After\`.
- **Times** are RFC 3339 in UTC with milliseconds. A field for something that has not happened yet is left out.
- Operations marked \`x-botyard-extension\` are Botyard's own; all others are the specification's.`;

/** Collects the routes that are added after it into the OpenAPI document, which `GET /openapi.json` gives. */
export async function describeApi(app: Api, version: string): Promise<void> {
  const info = {
    title: "Botyard",
    // The version of the interface, which all paths start with; the service has its own.
    version: "v1",
    "x-service-version": version,
    description: ABOUT,
    license: { name: "MIT", identifier: "MIT" },
  };
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info,
      tags: [
        { name: "owner", description: "Operations of an owner, with an owner token." },
        { name: "bot-runtime", description: "Operations of a bot, with its bot token." },
      ],
      components: {
        securitySchemes: {
          ownerToken: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "An owner token." },
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
  app.get("/openapi.json", { exposeHeadRoute: true, schema: { hide: true } }, async (request, reply) => {
    document ??= compressedFile("application/json; charset=utf-8", Buffer.from(documentText(app)));
    return sendStatic(request, reply, await document);
  });
}

/** Operations whose body may be left out; @fastify/swagger marks every body as required. */
const OPTIONAL_BODIES = new Set(["replayWebhook"]);

function withOptionalBodies(document: object): object {
  const { paths = {} } = document as { paths?: Record<string, Record<string, Operation>> };
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    if (operation.requestBody && OPTIONAL_BODIES.has(operation.operationId)) {
      operation.requestBody.required = false;
    }
  }
  return document;
}

interface Operation {
  operationId: string;
  requestBody?: { required: boolean };
}

function documentText(app: Api): string {
  return `${JSON.stringify(withOptionalBodies(app.swagger()), null, 2)}\n`;
}
