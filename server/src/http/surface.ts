import type { FastifyInstance, RouteOptions } from "fastify";
import type { Fairness } from "../fairness/fairness.js";
import type { Authenticate } from "./credentials/authentication.js";
import { takeTurn } from "./limits/owner-turns.js";
import { costOfOperation } from "./limits/request-costs.js";
import { ignoreBody } from "./requests/json-body.js";
import { failures } from "./schemas/document/failures.js";

/** The kinds of callers, as the OpenAPI document distinguishes them. */
export const OWNER_SURFACE = {
  tag: "owner",
  security: [{ ownerToken: [] }, { platformToken: [], platformOwner: [] }],
  failures: failures(401, 429, 503),
  // Where nothing else can be wrong, `Botyard-Owner` may be, which the specification does not know: its operations have its statuses exactly.
  extensionFailures: failures(400),
} as const;
/** Operations that are the platform's alone. */
export const PLATFORM_SURFACE = {
  tag: "platform",
  security: [{ platformToken: [] }],
  failures: failures(400, 401, 429, 503),
} as const;
/** Batches for channels of several owners: owner operations in which the platform need not act as one owner. */
export const BATCH_SURFACE = { ...OWNER_SURFACE, tag: "platform" } as const;
export const BOT_SURFACE = {
  tag: "bot-runtime",
  security: [{ botToken: [] }],
  failures: failures(401, 429, 503),
} as const;

export type Surface =
  | typeof OWNER_SURFACE
  | typeof BATCH_SURFACE
  | typeof PLATFORM_SURFACE
  | typeof BOT_SURFACE;

/**
 * Gives the routes of `app` what all operations of a surface have in common: authentication, the rate limit, their owner's
 * turn, and their error answers in the schema. Operations without a body in their schema ignore one that is sent.
 */
export function configureSurface(
  app: FastifyInstance,
  surface: Surface,
  authenticate: Authenticate,
  fairness: Fairness,
): void {
  app.addHook("onRequest", authenticate);
  app.addHook("onRoute", (route: RouteOptions) => {
    const isRead = route.method === "GET" || route.method === "HEAD";
    if (!isRead && !route.schema?.body) route.onRequest = ignoreBody;
    const { operationId } = route.schema as { operationId?: string };
    const turn = takeTurn(fairness, costOfOperation(operationId, isRead));
    if (turn) route.preHandler = turn;
    route.schema = {
      ...route.schema,
      tags: [surface.tag],
      security: surface.security,
      response: {
        ...(route.schema?.response as object),
        ...surface.failures,
        ...("extensionFailures" in surface && isExtension(route.schema) ? surface.extensionFailures : {}),
      },
    };
  });
}

const EXTENSION = "x-botyard-extension";
const isExtension = (schema: object | undefined): boolean => schema !== undefined && EXTENSION in schema;

/** Marks an operation that the specification of the bot API does not have. */
export function extension<Schema extends { description: string }>(schema: Schema) {
  return {
    ...schema,
    [EXTENSION]: true,
    description: `${schema.description} An extension of Botyard: not part of the bot API's specification.`,
  };
}
