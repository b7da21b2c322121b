import { Type } from "typebox";
import { InvalidInput } from "../../../domain/errors.js";
import { eraseUser } from "../../../operations/upkeep/erase-user.js";
import type { Api, AppOptions } from "../../api.js";
import { isDecodable } from "../../connections/server-options.js";
import { auditOf } from "../../requests/audit.js";
import { answer } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { EraseStatusBody } from "../../schemas/owner.js";
import { UserId } from "../../schemas/values/text.js";
import { extension } from "../../surface.js";

const UserPath = Type.Object({ userId: UserId });

/** `/v1/platform/users/{userId}` */
export function addPlatformUserRoutes(app: Api, { store }: AppOptions): void {
  app.delete(
    "/v1/platform/users/:userId",
    {
      schema: extension({
        operationId: "eraseUser",
        summary: "Erase a user of your product",
        description:
          "Everything that is stored in their name, for any owner: posts with their edits, custom events, interactions with their responses, direct channels, and that posts of others answer them. A call works for some seconds; as long as it answers `erasing`, call again, within 15 minutes. What is published for them after the first call may stay. It cannot be undone.",
        params: UserPath,
        response: { 200: answer(EraseStatusBody, "How far it has got."), ...failures(400) },
      }),
    },
    async (request) => {
      const { params, originalUrl } = request;
      if (!isDecodable(originalUrl))
        throw new InvalidInput(
          "the user's id in the path must be percent-encoded UTF-8: use encodeURIComponent",
        );
      return { status: await eraseUser(store, params.userId, { audit: auditOf(request) }) };
    },
  );
}
