import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static } from "typebox";
import { InvalidInput } from "../../../domain/errors.js";
import { MAX_BATCH_BODY_BYTES } from "../../../domain/limits.js";
import { type BatchEvent, emitBatch } from "../../../operations/posts/emit-batch.js";
import { type BatchPost, publishBatch } from "../../../operations/posts/publish-batch.js";
import type { BatchCaller, BatchItem, RefusedItem } from "../../../operations/posts/run-batch.js";
import { StoreUnavailable } from "../../../store/store.js";
import type { Api, AppOptions } from "../../api.js";
import { isFailure } from "../../error-response.js";
import type { BatchMemory } from "../../limits/batch-memory.js";
import { checkItems, checkList, targetOf } from "../../requests/batch-items.js";
import { refuseIdempotencyKey } from "../../requests/idempotency.js";
import { acceptBatches } from "../../requests/json-body.js";
import { causeOf } from "../../requests/request-id.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import {
  BatchEventRequest,
  BatchPostRequest,
  EventBatchRequest,
  EventBatchResult,
  PostBatchRequest,
  PostBatchResult,
  toEventResult,
  toPostResult,
} from "../../schemas/events/batch.js";
import { importTimeOf } from "../../schemas/events/post.js";
import { extension } from "../../surface.js";
import { idFrom } from "../refs.js";

/** `/v1/posts/batch` and `/v1/events/batch` */
export function addBatchRoutes(
  app: Api,
  { store, fairness, postLimit, maxPostCharacters }: AppOptions,
  memory: BatchMemory,
): void {
  acceptBatches(app, memory.parse);
  const postsOf = checkItems(BatchPostRequest, maxPostCharacters, batchPostOf);
  const eventsOf = checkItems(BatchEventRequest, maxPostCharacters, batchEventOf);

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
        response: {
          200: answer(PostBatchResult, "One result per post, in request order."),
          ...failures(400),
        },
      }),
    },
    (request, reply) =>
      memory.hold(request, async () => {
        refuseIdempotencyKey(request.headers);
        const items = withCause(request, postsOf(request.body.posts));
        const results = await publishBatch(store, fairness, callerOf(request), items, postLimit.refusalOf);
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
        response: {
          200: answer(EventBatchResult, "One result per event, in request order."),
          ...failures(400),
        },
      }),
    },
    (request, reply) =>
      memory.hold(request, async () => {
        refuseIdempotencyKey(request.headers);
        const items = withCause(request, eventsOf(request.body.events));
        const results = await emitBatch(store, fairness, callerOf(request), items, postLimit.refusalOf);
        noteFailures(reply, results);
        return { items: results.map(toEventResult) };
      }),
  );
}

/** The owner; without one, the platform. */
function callerOf({ owner, isPlatform }: FastifyRequest): BatchCaller {
  return owner ? { ...owner, isPlatform } : "platform";
}

function withCause<Item extends BatchItem>({ headers }: FastifyRequest, items: Item[]): Item[] {
  const cause = causeOf(headers);
  return cause === undefined ? items : items.map((item) => ({ ...item, cause }));
}

function batchPostOf(item: Static<typeof BatchPostRequest>): BatchPost | RefusedItem {
  const named = targetOf(item);
  const target = "botId" in named ? new InvalidInput("a post is for a channel") : named;
  const { body, media, components, reply_to, author: user, idempotency_key: idempotencyKey } = item;
  const post = {
    target,
    body,
    media,
    components,
    replyTo: reply_to && idFrom(reply_to),
    user,
    idempotencyKey,
  };
  try {
    return { ...post, importedAt: importTimeOf(item) };
  } catch (error) {
    return { target, idempotencyKey, refusal: error as Error };
  }
}

function batchEventOf(item: Static<typeof BatchEventRequest>): BatchEvent {
  const { event_type: eventType, payload, author: user, idempotency_key: idempotencyKey } = item;
  return { target: targetOf(item), eventType, payload, user, idempotencyKey };
}

/**
 * Logs the first 5xx among the results.
 *
 * @throws StoreUnavailable when nothing was stored, so that the client can repeat the whole call
 */
export function noteFailures(reply: FastifyReply, results: readonly unknown[]): void {
  if (results.every((result) => result instanceof StoreUnavailable)) throw results[0];
  reply.failure = results.find((result) => result instanceof Error && isFailure(result)) as Error | undefined;
}
