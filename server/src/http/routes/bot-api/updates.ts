import { Type } from "typebox";
import { MAX_POLL_TIMEOUT_S } from "../../../domain/limits.js";
import { encodeUpdate, type Update } from "../../../domain/update.js";
import { TooManyPolls } from "../../../polling/update-polls.js";
import type { Api, AppOptions } from "../../api.js";
import { watchHangUp } from "../../connections/hang-up.js";
import { identifyBot, isStillValid } from "../../credentials/authentication.js";
import {
  eventStream,
  feedOpener,
  StreamHeaders,
  StreamQuery,
  sendEvents,
  startOf,
} from "../../event-stream.js";
import { createRefusalLog, POLL_REFUSED } from "../../limits/refusal-log.js";
import { answer } from "../../schemas/component.js";
import { failures } from "../../schemas/failures.js";
import { limitOf, queryOf } from "../../schemas/scalars.js";
import { BotUpdateList } from "../../schemas/update.js";
import { extension } from "../../surface.js";

const PollQuery = queryOf({
  offset: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: "Updates numbered above this are returned: the last `update_id` you have handled.",
  }),
  limit: limitOf("Most updates to return."),
  timeout: Type.Integer({
    minimum: 0,
    maximum: MAX_POLL_TIMEOUT_S,
    default: 0,
    description: "Seconds to wait for an update while there is none.",
  }),
});

const LOG_HEAD_HEADER = "Botyard-Log-Head";
const LOG_HEAD = {
  [LOG_HEAD_HEADER]: {
    type: "integer",
    description:
      "Extension. Only when `offset` is beyond the end of the log: the last `update_id` in it. The service has lost data since it gave out `offset`, and gives these numbers out again; continue after this one.",
  },
} as const;

/** `/v1/bot-api/updates` and `/v1/bot-api/updates/stream` */
export function addPollRoutes(app: Api, options: AppOptions): void {
  const { polls, store, logger, tally } = options;
  const logRefusal = createRefusalLog(logger, POLL_REFUSED, tally);
  const openFeed = feedOpener(polls, logRefusal);
  app.get(
    "/v1/bot-api/updates",
    {
      schema: {
        operationId: "pollUpdates",
        summary: "Read your updates, waiting for one if there is none",
        description:
          "Reading does not acknowledge: `offset` of the next call does. With `timeout`, the answer comes as soon as an update is there (long polling). Any number of calls may wait at once, and a webhook may be set as well.",
        querystring: PollQuery,
        response: {
          200: {
            ...answer(
              BotUpdateList,
              "The updates, ascending: at most `limit` of them, and at most 256 KiB of payloads unless a single one is larger. None after the time-out.",
            ),
            headers: LOG_HEAD,
          },
          ...failures(400),
        },
      },
    },
    async (request, reply) => {
      const { offset, limit, timeout } = request.query;
      const timeoutMs = timeout * 1000;
      const watchClient = (onHangUp: () => void): void => watchHangUp(reply, onHangUp);
      // During the wait the token may be rotated, or the bot disabled or deleted: then its holder must not get the updates.
      const confirm = (): Promise<unknown> => identifyBot(store, request);
      let updates: Update[];
      try {
        updates = await polls.poll(request.bot.id, { offset, limit, timeoutMs }, watchClient, confirm);
      } catch (error) {
        if (error instanceof TooManyPolls) logRefusal(request.bot.id);
        throw error;
      }
      if (updates.length === 0 && offset > 0) {
        const head = await store.readLogHead(request.bot.id);
        if (head !== undefined && head < offset) reply.header(LOG_HEAD_HEADER, head);
      }
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
        querystring: StreamQuery,
        headers: StreamHeaders,
        response: { 200: eventStream, ...failures(400) },
      }),
    },
    async (request, reply) => {
      const { id } = request.bot;
      const offset = await startOf(store, id, request);
      const isAuthorized = () => isStillValid(identifyBot(store, request));
      return sendEvents(reply, { feed: openFeed(id, offset, reply), offset, isAuthorized }, options);
    },
  );
}

/** The answer as JSON text: payloads are stored as JSON, and parsing and serialising them would be most of the cost. */
function encodeList(updates: readonly Update[]): string {
  return `{"items":[${updates.map(encodeUpdate).join(",")}]}`;
}
