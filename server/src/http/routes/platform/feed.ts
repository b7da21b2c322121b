import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import { MAX_USER_ID_CHARS } from "../../../domain/bots/user-id.js";
import { InvalidInput } from "../../../domain/errors.js";
import { LOG_TAIL_HEADER } from "../../../domain/events/consumer.js";
import type { FeedFilter } from "../../../domain/events/feed-filter.js";
import { MAX_FEED_PAGE_ITEMS, MAX_PAGE_ITEMS, MAX_POLL_TIMEOUT_S } from "../../../domain/limits.js";
import { deleteConsumer } from "../../../operations/logs/delete-consumer.js";
import { feedOff } from "../../../operations/logs/feed-errors.js";
import { moveFeedConsumer } from "../../../operations/logs/move-consumer.js";
import { type FeedSelection, type FeedStart, feedReader } from "../../../operations/logs/read-feed.js";
import { FEED } from "../../../store/store.js";
import type { Api, AppOptions } from "../../api.js";
import { watchHangUp } from "../../connections/hang-up.js";
import { feedEventStream, sendFeed } from "../../feed-stream.js";
import { auditOf } from "../../requests/audit.js";
import { AnyConsumerPath, ConsumerPath } from "../../schemas/consumer.js";
import { DeleteStatusBody } from "../../schemas/delivery/webhook.js";
import { answer, ref, refWith } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import {
  encodeFeedPage,
  FeedConsumerBody,
  FeedConsumerList,
  FeedCursorText,
  FeedPageBody,
  MoveFeedConsumerRequest,
  toFeedConsumerBody,
} from "../../schemas/events/feed.js";
import { AuthorType } from "../../schemas/events/post.js";
import { queryOf } from "../../schemas/values/scalars.js";
import { ConsumerName } from "../../schemas/values/text.js";
import { extension } from "../../surface.js";

const NOT_BOTH = "consumer and after must not be given together: a consumer has its own position";

const filters = {
  owner: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_USER_ID_CHARS,
      description: "Only what happened in channels, or to bots, of the owner with this user id.",
    }),
  ),
  author_type: Type.Optional(
    refWith(AuthorType, {
      description: "Only posts, edits and custom events whose author is of this kind.",
    }),
  ),
};

const FeedQuery = queryOf({
  ...filters,
  after: Type.Optional({
    ...FeedCursorText,
    description:
      "The `cursor` of an answer or of an item: only what follows it is returned. Without it and without `consumer`, the oldest events that are kept.",
  }),
  consumer: Type.Optional({
    ...ConsumerName,
    description:
      "In place of `after`: the name of a consumer, whose position the service keeps. One that does not exist is created, at the oldest event that is kept. Reading never moves it.",
  }),
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_FEED_PAGE_ITEMS,
    default: MAX_PAGE_ITEMS,
    description: "Most items to return.",
  }),
  timeout: Type.Integer({
    minimum: 0,
    maximum: MAX_POLL_TIMEOUT_S,
    default: 0,
    description: "Seconds to wait for an item while there is none.",
  }),
});

const { after, consumer } = FeedQuery.properties;
const FeedStreamQuery = queryOf({
  ...filters,
  after,
  consumer: Type.Optional({
    ...consumer,
    description: "In place of `after`: the name of a consumer, after whose position the stream begins.",
  }),
});
const FeedStreamHeaders = Type.Object({
  "Last-Event-ID": Type.Optional(
    Type.String({ description: "The last `id` that was received: what follows it is sent." }),
  ),
});

/** `/v1/platform/feed`, its stream, and `/v1/platform/consumers` */
export function addFeedRoutes(app: Api, options: AppOptions): void {
  const { feedPolls, consumerPolls, feedStore: store } = options;
  /** The first read may create the consumer, so its poll is noted afterwards. */
  const readerOf = (start: FeedStart, selection: FeedSelection) => {
    const read = feedReader(store, start, selection);
    if (typeof start === "string" || !("consumer" in start)) return read;
    return async () => {
      const page = await read();
      consumerPolls.note(FEED, start.consumer);
      return page;
    };
  };

  app.get(
    "/v1/platform/feed",
    {
      schema: extension({
        operationId: "readFeed",
        summary: "Read what happens in all channels, waiting for it if there is nothing",
        description:
          "Posts, edits, deletions and custom events of every channel, and what becomes of channels, bots and webhooks: for each owner in order, none missing, and readable again for `RETENTION_DAYS`. With `owner` or `author_type`, an answer may have no items although there is more: go on after its `cursor`. A reader that has reached the end gets its next page up to 50 ms later, the more events the last one had. Needs `PLATFORM_FEED`. Reading does not acknowledge: moving the consumer does.",
        querystring: FeedQuery,
        response: {
          200: {
            ...answer(
              FeedPageBody,
              "What happened: at most `limit` items, and at most 256 KiB of payloads unless a single one is larger. None after the time-out.",
            ),
            headers: {
              [LOG_TAIL_HEADER]: {
                type: "string",
                description:
                  "Only when events between the position of `consumer` and the first item have expired: the cursor before the oldest event that is kept.",
              },
            },
          },
          ...failures(400, 404),
        },
      }),
    },
    async (request, reply) => {
      const { after, consumer, limit, timeout } = request.query;
      if (consumer !== undefined && after !== undefined)
        throw new InvalidInput(NOT_BOTH, "conflicting_parameters");
      const start = consumer !== undefined ? { consumer } : after === undefined ? "oldest" : { after };
      const read = readerOf(start, { limit, ...filterOf(request.query) });
      const watchClient = (onHangUp: () => void): void => watchHangUp(reply, onHangUp);
      const page = await feedPolls.poll({ consumer, after }, read, timeout * 1000, watchClient);
      if (page.oldestKept !== undefined) reply.header(LOG_TAIL_HEADER, page.oldestKept);
      return send(reply, encodeFeedPage(page));
    },
  );

  app.get(
    "/v1/platform/feed/stream",
    {
      schema: extension({
        operationId: "streamFeed",
        summary: "Receive what happens in all channels as it happens, as server-sent events",
        description:
          "One connection that stays open, in place of repeated reads. After a lost connection, `Last-Event-ID`, a cursor, continues where it ended. It never moves a consumer.",
        querystring: FeedStreamQuery,
        headers: FeedStreamHeaders,
        response: { 200: feedEventStream, ...failures(400, 404) },
      }),
    },
    async (request, reply) => {
      const { after, consumer } = request.query;
      if (consumer !== undefined && after !== undefined)
        throw new InvalidInput(NOT_BOTH, "conflicting_parameters");
      const given = request.headers["last-event-id"] || after;
      const start = given !== undefined ? { after: given } : consumer === undefined ? "oldest" : { consumer };
      const filter = filterOf(request.query);
      const first = await readerOf(start, { limit: MAX_PAGE_ITEMS, ...filter })();
      return sendFeed(reply, feedPolls.follow(), first, filter, options);
    },
  );

  app.get(
    "/v1/platform/consumers",
    {
      schema: extension({
        operationId: "listFeedConsumers",
        summary: "List the consumers of the feed",
        description: "The positions that the service keeps for you, with how far each is behind.",
        response: { 200: answer(FeedConsumerList, "The consumers, oldest first."), ...failures(404) },
      }),
    },
    async () => {
      if (!(await store.hasFeed())) throw feedOff();
      return { items: (await store.listConsumers(FEED)).map(toFeedConsumerBody) };
    },
  );

  app.put(
    "/v1/platform/consumers/:name",
    {
      schema: extension({
        operationId: "moveFeedConsumer",
        summary: "Say how far a consumer has handled the feed",
        description:
          "When the answer comes, the position is stored safely. It moves forward only, unless `rewind` is true: a cursor that is further back, for any owner, is refused. A consumer that does not exist is created.",
        params: ConsumerPath,
        body: ref(MoveFeedConsumerRequest),
        response: { 200: answer(FeedConsumerBody, "The consumer as it is now."), ...failures(400, 404) },
      }),
    },
    async ({ params: { name }, body: { cursor, rewind = false } }) =>
      toFeedConsumerBody(await moveFeedConsumer(store, name, cursor, rewind)),
  );

  app.delete(
    "/v1/platform/consumers/:name",
    {
      schema: extension({
        operationId: "deleteFeedConsumer",
        summary: "Forget a consumer of the feed",
        description: "The feed stays. Reading with its name again creates another one.",
        params: AnyConsumerPath,
        response: { 200: answer(DeleteStatusBody, "The consumer is gone."), ...failures(404) },
      }),
    },
    async (request) => {
      await deleteConsumer(store, FEED, request.params.name, { audit: auditOf(request) });
      return { status: "deleted" };
    },
  );
}

function filterOf({
  owner,
  author_type,
}: {
  owner?: string;
  author_type?: FeedFilter["authorType"];
}): FeedFilter {
  return { ownerUserId: owner, authorType: author_type };
}

/** Text bypasses the serializer; the type provider expects the object that the text represents. */
function send(reply: FastifyReply, text: string): never {
  return reply.type("application/json; charset=utf-8").send(text) as never;
}
