import { Type } from "typebox";
import { InvalidInput } from "../../../../domain/errors.js";
import { MAX_GROUPED_ERRORS, MAX_REPLAY_UPDATES } from "../../../../domain/limits.js";
import { foundWebhook } from "../../../../operations/found.js";
import { listHistory } from "../../../../operations/logs/list-history.js";
import { groupErrors } from "../../../../operations/webhooks/group-errors.js";
import { replayFailed } from "../../../../operations/webhooks/replay-failed.js";
import type { Api, AppOptions } from "../../../api.js";
import { acceptOptionalField } from "../../../requests/json-body.js";
import { ErrorGroupsBody, toErrorGroupsBody } from "../../../schemas/delivery/error-group.js";
import {
  ReplayRequest,
  ReplayResultBody,
  toReplayResultBody,
  UndeliveredStateName,
} from "../../../schemas/delivery/webhook.js";
import { answer, ref, refWith } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import { toWebhookErrorBody, WebhookErrorList } from "../../../schemas/events/update.js";
import { limitOf, queryOf } from "../../../schemas/values/scalars.js";
import { BotPath } from "../../refs.js";
import { WEBHOOK_ADDRESSES, type WebhookAddress, webhookRef } from "./webhook-address.js";

/** Without a default in the schema: the handler has to know whether it was given. */
const ReplayLimit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_REPLAY_UPDATES,
    description: `Most updates to requeue. ${MAX_REPLAY_UPDATES} unless given.`,
  }),
);

const BeforeEntry = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      "Only entries after this one in the list: the last `update_id` of the page before. An extension of Botyard.",
  }),
);

const UndeliveredState = Type.Optional(
  refWith(UndeliveredStateName, {
    description:
      "Only updates that failed for good, or only those that wait for a retry: by their numbers, the newest first. An extension of Botyard.",
  }),
);

/** What fails at a webhook: `…/errors`, `…/errors/groups` and `…/replay`, at both of its addresses */
export function addWebhookErrorRoutes(app: Api, options: AppOptions): void {
  for (const at of WEBHOOK_ADDRESSES) {
    addErrorRoutes(app, options, at);
    app.register(async (replays: Api) => {
      acceptOptionalField(replays, "update_ids");
      addReplayRoute(replays, options, at);
    });
  }
}

function addErrorRoutes(app: Api, { store }: AppOptions, at: WebhookAddress): void {
  app.get(
    `${at.webhook}/errors`,
    {
      schema: at.contract(
        {
          operationId: "listWebhookErrors",
          summary: "List the updates whose delivery failed at least once",
          description:
            "Without payloads; `listUpdateAttempts` has what the receiver answered. Page by page with `before`.",
          params: BotPath,
          querystring: queryOf({
            limit: limitOf("Most entries to return."),
            before: BeforeEntry,
            state: UndeliveredState,
          }),
          response: {
            200: answer(
              WebhookErrorList,
              "The updates, the one that failed last first, delivered since or not.",
            ),
            ...failures(400, 404),
          },
        },
        "listNamedWebhookErrors",
      ),
    },
    async (request) => {
      const webhook = webhookRef(request);
      const id = foundWebhook(await store.findDestination(webhook), webhook);
      const { limit, before, state } = request.query;
      if (state) {
        const { socket } = request.raw;
        const part = { limit, before, state };
        const undelivered = await listHistory(store, id, part, () => !socket.destroyed);
        return { items: undelivered.map(toWebhookErrorBody) };
      }
      const updates = await store.listDeliveryErrors(id, limit, before);
      if (!updates)
        throw new InvalidInput("before must be the update_id of an entry of this list", "invalid_cursor");
      return { items: updates.map(toWebhookErrorBody) };
    },
  );

  app.get(
    `${at.webhook}/errors/groups`,
    {
      schema: at.extension(
        {
          operationId: "groupWebhookErrors",
          summary: "Group what failed and is not delivered by the reason",
          description: `How many updates each reason keeps from being delivered. It looks at the newest ${MAX_GROUPED_ERRORS} updates that failed for good and as many that wait for a retry.`,
          params: BotPath,
          response: { 200: answer(ErrorGroupsBody, "The groups."), ...failures(404) },
        },
        "groupNamedWebhookErrors",
      ),
    },
    async (request) => {
      const webhook = webhookRef(request);
      const id = foundWebhook(await store.findDestination(webhook), webhook);
      const { socket } = request.raw;
      return toErrorGroupsBody(await groupErrors(store, id, () => !socket.destroyed));
    },
  );
}

function addReplayRoute(app: Api, { store }: AppOptions, at: WebhookAddress): void {
  app.post(
    `${at.webhook}/replay`,
    {
      schema: at.contract(
        {
          operationId: "replayWebhook",
          summary: "Put failed updates back in the delivery queue, oldest first",
          description:
            "Takes updates that failed for good first, then those that wait for a retry. Each begins anew with its retry schedule. Updates that were delivered are never requeued.",
          params: BotPath,
          querystring: queryOf({ limit: ReplayLimit }),
          body: ref(ReplayRequest),
          response: { 200: answer(ReplayResultBody, "How many were requeued."), ...failures(400, 404) },
        },
        "replayNamedWebhook",
      ),
    },
    async (request) => {
      const webhook = webhookRef(request);
      const { update_ids: updateIds } = request.body;
      const { limit = MAX_REPLAY_UPDATES } = request.query;
      if (updateIds && request.query.limit !== undefined) {
        throw new InvalidInput(
          "limit must be left out when update_ids says which updates to requeue",
          "conflicting_parameters",
        );
      }
      const which = updateIds ? { updateIds } : { limit };
      return toReplayResultBody(webhook.botId, await replayFailed(store, webhook, which));
    },
  );
}
