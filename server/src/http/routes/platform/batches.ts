import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static } from "typebox";
import { InvalidInput } from "../../../domain/errors.js";
import { MAX_BATCH_BODY_BYTES } from "../../../domain/limits.js";
import type { BatchTarget } from "../../../operations/batch-targets.js";
import { type BatchEvent, emitBatch } from "../../../operations/emit-batch.js";
import { type BatchPost, publishBatch } from "../../../operations/publish-batch.js";
import type { BatchCaller } from "../../../operations/run-batch.js";
import { StoreUnavailable } from "../../../store/store.js";
import type { Api, AppOptions } from "../../api.js";
import { isFailure } from "../../error-response.js";
import { boundBatchMemory } from "../../limits/batch-memory.js";
import { checkItems, checkList } from "../../requests/batch-items.js";
import { refuseIdempotencyKey } from "../../requests/idempotency.js";
import { acceptJsonBodies } from "../../requests/json-body.js";
import {
  BatchEventRequest,
  BatchPostRequest,
  EventBatchRequest,
  EventBatchResult,
  PostBatchRequest,
  PostBatchResult,
  toEventResult,
  toPostResult,
} from "../../schemas/batch.js";
import { answer, ref } from "../../schemas/component.js";
import { components } from "../../schemas/components.js";
import { failures } from "../../schemas/failures.js";
import { extension } from "../../surface.js";
import { idFrom } from "../refs.js";

/** `/v1/posts/batch` and `/v1/events/batch` */
export function addBatchRoutes(app: Api, { store, fairness }: AppOptions): void {
  acceptJsonBodies(app, "ignore");
  const memory = boundBatchMemory();
  const postsOf = checkItems(BatchPostRequest, components);
  const eventsOf = checkItems(BatchEventRequest, components);

  app.post(
    "/v1/posts/batch",
    {
      onRequest: memory.reserve,
      bodyLimit: MAX_BATCH_BODY_BYTES,
      validatorCompiler: () => checkList("posts"),
      schema: extension({
        operationId: "createPosts",
        summary: "Publish many posts in one call, in any of your channels",
        description:
          "Those to one channel in their order, each by itself: one that is wrong fails alone. The platform may leave `Botyard-Owner` out: then the channels may be of any owners. When the answer comes, what has the status 201 is stored safely. The same batch again, with its keys, is answered the same.",
        body: ref(PostBatchRequest),
        response: { 200: answer(PostBatchResult, "What came of each post."), ...failures(400) },
      }),
    },
    (request, reply) =>
      memory.hold(request, async () => {
        refuseIdempotencyKey(request.headers);
        const items = postsOf(request.body.posts).map(batchPostOf);
        const results = await publishBatch(store, fairness, callerOf(request), items);
        noteFailures(reply, results);
        return { items: results.map(toPostResult) };
      }),
  );

  app.post(
    "/v1/events/batch",
    {
      onRequest: memory.reserve,
      bodyLimit: MAX_BATCH_BODY_BYTES,
      validatorCompiler: () => checkList("events"),
      schema: extension({
        operationId: "emitEvents",
        summary: "Emit many custom events in one call, in any of your channels or to any of your bots",
        description:
          "Those to one channel or bot in their order, each by itself: one that is wrong fails alone. The platform may leave `Botyard-Owner` out: then channels and bots may be of any owners.",
        body: ref(EventBatchRequest),
        response: { 200: answer(EventBatchResult, "What came of each event."), ...failures(400) },
      }),
    },
    (request, reply) =>
      memory.hold(request, async () => {
        refuseIdempotencyKey(request.headers);
        const items = eventsOf(request.body.events).map(batchEventOf);
        const results = await emitBatch(store, fairness, callerOf(request), items);
        noteFailures(reply, results);
        return { items: results.map(toEventResult) };
      }),
  );
}

/** The owner; without one, the platform. */
function callerOf({ owner, isPlatform }: FastifyRequest): BatchCaller {
  return owner ? { ...owner, isPlatform } : "platform";
}

function batchPostOf(item: Static<typeof BatchPostRequest> | Error): BatchPost | Error {
  if (item instanceof Error) return item;
  const target = targetOf(item);
  if (target instanceof Error) return target;
  if ("botId" in target) return new InvalidInput("a post is for a channel");
  const { body, media, author: user, idempotency_key: idempotencyKey } = item;
  return { target, body, media, user, idempotencyKey };
}

function batchEventOf(item: Static<typeof BatchEventRequest> | Error): BatchEvent | Error {
  if (item instanceof Error) return item;
  const target = targetOf(item);
  if (target instanceof Error) return target;
  const { event_type: eventType, payload, author: user, idempotency_key: idempotencyKey } = item;
  return { target, eventType, payload, user, idempotencyKey };
}

interface TargetFields {
  channel_id?: string;
  external_id?: string;
  bot_id?: string;
}

function targetOf({ channel_id, external_id: externalId, bot_id }: TargetFields): BatchTarget | InvalidInput {
  const targets: BatchTarget[] = [
    ...(channel_id === undefined ? [] : [{ channelId: idFrom(channel_id) }]),
    ...(externalId === undefined ? [] : [{ externalId }]),
    ...(bot_id === undefined ? [] : [{ botId: idFrom(bot_id) }]),
  ];
  const [target] = targets;
  if (target && targets.length === 1) return target;
  return new InvalidInput("an item names one target: channel_id, external_id or, of an event, bot_id");
}

/**
 * Logs the first 5xx among the results.
 *
 * @throws StoreUnavailable when nothing was stored, so that the client can repeat the whole call
 */
function noteFailures(reply: FastifyReply, results: readonly unknown[]): void {
  if (results.every((result) => result instanceof StoreUnavailable)) throw results[0];
  reply.failure = results.find((result) => result instanceof Error && isFailure(result)) as Error | undefined;
}
