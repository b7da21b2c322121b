import { Type } from "typebox";
import { InvalidInput } from "../../../domain/errors.js";
import { type ConsumerPosition, LOG_TAIL_HEADER } from "../../../domain/events/consumer.js";
import { encodeUpdate, type Update } from "../../../domain/events/update.js";
import { CONSUMER_READER_MS, MAX_POLL_TIMEOUT_S } from "../../../domain/limits.js";
import { openConsumer } from "../../../operations/logs/open-consumer.js";
import { readConsumed } from "../../../operations/logs/read-consumed.js";
import type { ConsumedRead, Store } from "../../../store/store.js";
import type { Api, AppOptions } from "../../api.js";
import { watchHangUp } from "../../connections/hang-up.js";
import { identifyBot, isStillValid } from "../../credentials/authentication.js";
import { eventStream, StreamHeaders, StreamQuery, sendEvents, startOf } from "../../event-stream.js";
import { answer } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { BotUpdateList } from "../../schemas/events/update.js";
import { limitOf, queryOf } from "../../schemas/values/scalars.js";
import { ConsumerName } from "../../schemas/values/text.js";
import { extension } from "../../surface.js";

const READER_HEADER = "Botyard-Consumer-Reader";
const EXTENSION_NOTE = "An extension of Botyard.";
const NOT_BOTH = "consumer and offset must not be given together: a consumer has its own position";

const PollQuery = queryOf({
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        "Updates numbered above this are returned: the last `update_id` you have handled. 0 when left out.",
    }),
  ),
  consumer: Type.Optional({
    ...ConsumerName,
    description: `In place of \`offset\`: the name of a consumer, whose position the service keeps. Updates after it are returned, except those that are done. One that does not exist is created, at the oldest update that neither another consumer of yours has handled nor your webhook has received. Reading never moves it. ${EXTENSION_NOTE}`,
  }),
  reader: Type.Optional({
    ...ConsumerName,
    description: `With \`consumer\`: what the process that reads calls itself, such as a random text. For ${CONSUMER_READER_MS / 1000} s it is taken to read on. While another one is, \`${READER_HEADER}\` names that one instead, and everything else is as without \`reader\`. ${EXTENSION_NOTE}`,
    examples: ["f2c1a9"],
  }),
  leaving: Type.Optional(
    Type.Literal("true", {
      description: `With \`reader\`: the process has stopped reading, and another one may begin at once. ${EXTENSION_NOTE}`,
    }),
  ),
  limit: limitOf("Most updates to return."),
  timeout: Type.Integer({
    minimum: 0,
    maximum: MAX_POLL_TIMEOUT_S,
    default: 0,
    description: "Seconds to wait for an update while there is none.",
  }),
});

const BotStreamQuery = queryOf({
  ...StreamQuery.properties,
  consumer: Type.Optional({
    ...ConsumerName,
    description: `In place of \`offset\`: the name of a consumer. The stream begins after its position and leaves out what is done; \`Last-Event-ID\` takes precedence over the position. ${EXTENSION_NOTE}`,
  }),
});

const LOG_HEAD_HEADER = "Botyard-Log-Head";
const LOG_SKIPPED_HEADER = "Botyard-Log-Skipped";
const ANSWER_HEADERS = {
  [READER_HEADER]: {
    type: "string",
    description:
      "Extension. Only with `reader`, when another process reads for the consumer: what it calls itself.",
  },
  [LOG_HEAD_HEADER]: {
    type: "integer",
    description:
      "Extension. Only when `offset` is beyond the end of the log: the last `update_id` in it. The service has lost data since it gave out `offset`; continue after this one, or wait as you do.",
  },
  [LOG_SKIPPED_HEADER]: {
    type: "string",
    pattern: "^[0-9]+-[0-9]+$",
    description:
      "Extension. Only when the answer goes on behind numbers that the log has skipped after a loss of data: the first and the last of them. No update has them. Updates below them that you have had and cannot find any more are lost, and so may be some that you have not had.",
  },
  [LOG_TAIL_HEADER]: {
    type: "integer",
    description:
      "Extension. Only when updates between the position of `consumer` (or an `offset` above 0) and the first one returned have expired: the oldest `update_id` that is kept.",
  },
} as const;

/** `/v1/bot-api/updates` and `/v1/bot-api/updates/stream` */
export function addPollRoutes(app: Api, options: AppOptions): void {
  const { polls, consumerPolls, store } = options;

  const startOfStream = async (botId: string, consumer: string): Promise<ConsumerPosition> => {
    const position = await openConsumer(store, botId, consumer);
    consumerPolls.note(botId, consumer);
    return position;
  };

  /** The first read creates the consumer, if there is none; a consumer that is deleted during the wait stays deleted. */
  const consumerReader = (botId: string, name: string, limit: number) => {
    let last: ConsumedRead | undefined;
    const read = async (): Promise<ConsumedRead | undefined> => {
      if (last) return await store.readConsumed(botId, name, limit);
      last = await readConsumed(store, botId, name, limit);
      consumerPolls.note(botId, name);
      return last;
    };
    return {
      async read() {
        const found = await read();
        last = found ?? last;
        return found;
      },
      position: () => last?.position ?? 0,
    };
  };

  /** Stores who reads for a consumer; the header with the process that does already. */
  const otherReader = async (
    botId: string,
    consumer: string,
    { reader, leaving }: { reader?: string; leaving?: string },
  ): Promise<Record<string, string>> => {
    if (reader === undefined) return {};
    await openConsumer(store, botId, consumer);
    const now = Date.now();
    const until = leaving === "true" ? now : now + CONSUMER_READER_MS;
    const other = await store.holdConsumer(botId, consumer, reader, until, now);
    return other === undefined ? {} : { [READER_HEADER]: other };
  };

  app.get(
    "/v1/bot-api/updates",
    {
      schema: {
        operationId: "pollUpdates",
        summary: "Read your updates, waiting for one if there is none",
        description:
          "Reading does not acknowledge: `offset` of the next call does. With `timeout`, the answer comes as soon as an update is there (long polling). Any number of calls may wait at once, and a webhook may be set as well. A consumer keeps the position in the service.",
        querystring: PollQuery,
        response: {
          200: {
            ...answer(
              BotUpdateList,
              "The updates, ascending: at most `limit` of them, and at most 256 KiB of payloads unless a single one is larger. None after the time-out.",
            ),
            headers: ANSWER_HEADERS,
          },
          ...failures(400),
        },
      },
    },
    async (request, reply) => {
      const { consumer, offset = 0, limit, timeout } = request.query;
      if (consumer !== undefined && request.query.offset !== undefined)
        throw new InvalidInput(NOT_BOTH, "conflicting_parameters");
      if (request.query.reader !== undefined && consumer === undefined)
        throw new InvalidInput("reader needs a consumer", "conflicting_parameters");
      const reader = consumer === undefined ? undefined : consumerReader(request.bot.id, consumer, limit);
      const timeoutMs = timeout * 1000;
      const watchClient = (onHangUp: () => void): void => watchHangUp(reply, onHangUp);
      // During the wait the token may be rotated, or the bot disabled or deleted: then its holder must not get the updates.
      if (consumer !== undefined) reply.headers(await otherReader(request.bot.id, consumer, request.query));
      const confirm = (): Promise<unknown> => identifyBot(store, request);
      const from = reader?.read ?? offset;
      const updates = await polls.poll(request.bot.id, { from, limit, timeoutMs }, watchClient, confirm);
      // Without a position nothing was promised.
      const position = reader?.position() ?? offset;
      if (reader || position > 0) reply.headers(await logEnds(store, request.bot.id, position, updates));
      // Text bypasses the serializer; the type provider expects the object that the text represents.
      return reply.type("application/json; charset=utf-8").send(encodeList(updates) as never);
    },
  );

  app.get(
    "/v1/bot-api/updates/stream",
    {
      schema: extension({
        operationId: "streamUpdates",
        summary: "Receive your updates as they are recorded, as server-sent events",
        description:
          "One connection that stays open, in place of repeated polls. After a lost connection, `Last-Event-ID` continues where it ended. The stream ends when the token is rotated, or the bot disabled or deleted.",
        querystring: BotStreamQuery,
        headers: StreamHeaders,
        response: { 200: eventStream, ...failures(400) },
      }),
    },
    async (request, reply) => {
      const { id } = request.bot;
      const { consumer, offset: given } = request.query;
      if (consumer !== undefined && given !== undefined)
        throw new InvalidInput(NOT_BOTH, "conflicting_parameters");
      const start = consumer === undefined ? undefined : await startOfStream(id, consumer);
      const { position = given, done = [] } = start ?? {};
      const query = position === undefined ? {} : { offset: position };
      const offset = await startOf(store, id, { headers: request.headers, query });
      const isAuthorized = () => isStillValid(identifyBot(store, request));
      return sendEvents(reply, { follower: polls.follow(id, offset, done), offset, isAuthorized }, options);
    },
  );
}

/**
 * The headers with the ends of the log, and its gap: set when the reader's position is beyond the log's end, when updates after the
 * position have expired, or when numbers between it and the last update returned were skipped.
 */
async function logEnds(
  store: Store,
  botId: string,
  position: number,
  updates: readonly Update[],
): Promise<Record<string, number | string>> {
  const first = updates[0]?.updateId;
  const last = updates.at(-1)?.updateId ?? position;
  if (first !== undefined && last === position + updates.length) return {};
  const gap = first === undefined ? undefined : await store.readLogGap(botId);
  const isCrossed = gap !== undefined && position < gap.through && gap.through < last;
  const skipped: Record<string, string> = isCrossed
    ? { [LOG_SKIPPED_HEADER]: `${gap.from}-${gap.through}` }
    : {};
  // What is kept begins at the first update returned, or in front of the gap.
  if (first === position + 1 || (isCrossed && position + 1 >= gap.from)) return skipped;
  return { ...skipped, ...(await headOrTail(store, botId, position, first)) };
}

/**
 * The log's head, if the position is beyond it, or its tail, if updates after the position have expired.
 *
 * @param first the number of the first update returned
 */
async function headOrTail(
  store: Store,
  botId: string,
  position: number,
  first: number | undefined,
): Promise<Record<string, number>> {
  const head = first ?? (await store.readLogHead(botId));
  if (head === undefined || head === position) return {};
  if (head < position) return { [LOG_HEAD_HEADER]: head };
  const tail = await store.readLogTail(botId);
  return tail !== undefined && tail > position + 1 ? { [LOG_TAIL_HEADER]: tail } : {};
}

/** The answer as JSON text: payloads are stored as JSON, and parsing and serialising them would be most of the cost. */
function encodeList(updates: readonly Update[]): string {
  return `{"items":[${updates.map(encodeUpdate).join(",")}]}`;
}
