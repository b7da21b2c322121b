import { Type } from "typebox";
import { isUserId, MAX_USER_ID_CHARS } from "../../../domain/bots/user-id.js";
import { InvalidInput } from "../../../domain/errors.js";
import { putOwner } from "../../../operations/owners/put-owner.js";
import type { Api, AppOptions } from "../../api.js";
import { isDecodable } from "../../connections/server-options.js";
import { auditAbout } from "../../requests/audit.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import {
  limitsOf,
  PlatformOwnerBody,
  PlatformOwnerList,
  PutOwnerRequest,
  toPlatformOwnerBody,
} from "../../schemas/platform-owner.js";
import { limitOf, queryOf } from "../../schemas/values/scalars.js";
import { CLEAN_TEXT } from "../../schemas/values/text-rules.js";
import { extension } from "../../surface.js";

const OwnerPath = Type.Object({
  id: Type.String({ description: "The owner's user id, percent-encoded.", examples: ["alice"] }),
});

/** @throws InvalidInput when the path names no user id */
function userIdIn({ params, originalUrl }: { params: { id: string }; originalUrl: string }): string {
  if (isDecodable(originalUrl) && isUserId(params.id)) return params.id;
  throw new InvalidInput(
    `the user id in the path must have 1 to ${MAX_USER_ID_CHARS} characters without control characters, percent-encoded`,
  );
}

/** `/v1/platform/owners` and `/v1/platform/owners/{id}` */
export function addPlatformOwnerRoutes(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/platform/owners",
    {
      schema: extension({
        operationId: "listOwners",
        summary: "List the owners of whom you have decided something",
        description: "Page by page with `after`. An owner of whom nothing was ever decided is not listed.",
        querystring: queryOf({
          limit: limitOf("Most owners to return."),
          after: Type.Optional(
            Type.String({ format: CLEAN_TEXT, description: "A user id: only owners after it." }),
          ),
        }),
        response: { 200: answer(PlatformOwnerList, "The owners, by user id."), ...failures(400) },
      }),
    },
    async ({ query: { limit, after } }) => {
      const owners = await store.listOwners(limit, after);
      return { items: owners.map((owner) => toPlatformOwnerBody(owner.ownerUserId, owner)) };
    },
  );

  app.get(
    "/v1/platform/owners/:id",
    {
      schema: extension({
        operationId: "getOwner",
        summary: "Get what you have decided about an owner",
        description: "Every user id may be an owner's: of one of whom nothing was decided, the defaults.",
        params: OwnerPath,
        response: { 200: answer(PlatformOwnerBody, "The owner."), ...failures(400) },
      }),
    },
    async (request) => {
      const userId = userIdIn(request);
      return toPlatformOwnerBody(userId, await store.findOwner(userId));
    },
  );

  app.put(
    "/v1/platform/owners/:id",
    {
      schema: extension({
        operationId: "putOwner",
        summary: "Suspend an owner, or set their limits or your data about them",
        description:
          "What is left out stays as it is. The tokens of a suspended owner and of their bots get 401 with your `reason`, nothing is sent to their webhooks, and updates are recorded; you act for them as before. When the answer comes, all instances go by it.",
        params: OwnerPath,
        body: ref(PutOwnerRequest),
        response: { 200: answer(PlatformOwnerBody, "The owner as it is now."), ...failures(400) },
      }),
    },
    async (request) => {
      const userId = userIdIn(request);
      const { limits, ...decision } = request.body;
      const decided = { ...decision, limits: limits && limitsOf(limits) };
      const owner = await putOwner(store, userId, decided, { audit: auditAbout(request, userId) });
      return toPlatformOwnerBody(userId, owner);
    },
  );
}
