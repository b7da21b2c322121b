import type { MoveConsumerRequest } from "../types.js";
import { type FakeAnswer, type FakeRequest, json, refused } from "./fake-answer.js";
import { setCommands } from "./fake-commands.js";
import { answerResponses } from "./fake-interactions.js";
import type { FakeLog, FakeUpdate } from "./fake-log.js";
import { answerPosts } from "./fake-posts.js";
import { setSubscription } from "./fake-subscription.js";

const CONSUMER_PATH = /^\/v1\/bot-api\/consumers\/([A-Za-z0-9][\w.-]{0,63})$/;
const RANGES = {
  offset: [0, Number.MAX_SAFE_INTEGER, 0],
  limit: [1, 100, 100],
  timeout: [0, 30, 0],
} as const;

/** How long after its last poll a reader of a consumer is taken to read on. */
const READER_MS = 45_000;

/** The operations of a bot, with the checks of the real service. */
export async function answerFake(log: FakeLog, token: string, request: FakeRequest): Promise<FakeAnswer> {
  const { method, url, authorization } = request;
  if (authorization !== `Bearer ${token}`) return refused(401, "the bot token is not valid");
  const operation = `${method} ${url.pathname}`;
  if (operation === "GET /v1/bot-api/me") return json(200, log.me);
  if (operation === "GET /v1/bot-api/channels") return json(200, { items: log.channels });
  if (operation === "GET /v1/bot-api/updates") return await poll(log, request);
  if (operation === "GET /v1/bot-api/updates/stream") return stream(log, request);
  if (operation === "GET /v1/bot-api/consumers") return json(200, { items: log.consumers.list() });
  const consumer = CONSUMER_PATH.exec(url.pathname)?.[1];
  if (method === "PUT" && consumer !== undefined) return moveConsumer(log, consumer, request);
  if (method === "DELETE" && consumer !== undefined) {
    const isDeleted = log.consumers.delete(consumer);
    return isDeleted
      ? json(200, { status: "deleted" })
      : refused(404, "consumer not found", "consumer_not_found");
  }
  if (operation === "GET /v1/bot-api/subscription") return json(200, log.subscription);
  if (operation === "GET /v1/bot-api/commands") return json(200, { items: log.commands });
  if (operation === "PUT /v1/bot-api/commands") {
    return setCommands(request.body, (commands) => {
      log.commands = commands;
    });
  }
  if (operation === "PUT /v1/bot-api/subscription") {
    return setSubscription(request.body, (subscription) => {
      log.subscription = subscription;
    });
  }
  const answer = answerPosts(log, request) ?? answerResponses(log, request);
  return answer ?? refused(404, `there is no ${method} at this path: see /docs`, "route_not_found");
}

async function poll(log: FakeLog, { url, signal }: FakeRequest): Promise<FakeAnswer> {
  const given = { offset: 0, limit: 0, timeout: 0 };
  for (const [name, [least, most, otherwise]] of Object.entries(RANGES)) {
    const text = url.searchParams.get(name) ?? String(otherwise);
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) {
      return refused(400, `${name} must be an integer from ${least} to ${most}`);
    }
    given[name as keyof typeof given] = value;
  }
  const name = url.searchParams.get("consumer");
  const reader = url.searchParams.get("reader");
  if (name !== null && url.searchParams.has("offset"))
    return refused(
      400,
      "consumer and offset must not be given together: a consumer has its own position",
      "conflicting_parameters",
    );
  let consumer = name === null ? undefined : log.consumers.open(name);
  const now = Date.now() + log.aheadMs;
  const isLeaving = url.searchParams.get("leaving") === "true";
  const other =
    consumer && reader !== null
      ? log.consumers.hold(consumer.name, reader, isLeaving ? now : now + READER_MS, now)
      : undefined;
  const read = () => {
    // It may have been rewound during the wait.
    consumer = log.consumers.list().find((one) => one.name === consumer?.name) ?? consumer;
    const { position = given.offset, done = [] } = consumer ?? {};
    return log.updates
      .slice(position)
      .filter(({ update_id }) => !done.includes(update_id))
      .slice(0, given.limit);
  };
  if (read().length === 0 && given.timeout > 0) await log.grown(given.timeout * 1000, signal);
  const head = log.updates.length;
  return {
    ...json(200, { items: read() }),
    headers: {
      ...(given.offset > head ? { "botyard-log-head": String(head) } : {}),
      ...(other === undefined ? {} : { "botyard-consumer-reader": other }),
    },
  };
}

const HEARTBEAT_MS = 15_000;

/** The updates as a stream of events, until the client disconnects or the service stops. */
function stream(log: FakeLog, { url, lastEventId, signal }: FakeRequest): FakeAnswer {
  const given = lastEventId || (url.searchParams.get("offset") ?? String(log.updates.length));
  if (!/^\d{1,15}$/.test(given)) {
    const name = lastEventId ? "Last-Event-ID" : "offset";
    return refused(400, `${name} must be the number of an update, or 0`);
  }
  const headers = { "content-type": "text/event-stream" };
  return { status: 200, headers, body: eventsOf(log, Math.min(Number(given), log.updates.length), signal) };
}

async function* eventsOf(log: FakeLog, offset: number, signal: AbortSignal): AsyncGenerator<string> {
  let last = offset;
  yield `retry: 2000\nid: ${last}\n\n`;
  while (!signal.aborted) {
    const updates = log.updates.slice(last);
    last += updates.length;
    if (updates.length > 0) yield updates.map(encodeEvent).join("");
    else {
      await log.grown(HEARTBEAT_MS, signal);
      if (log.updates.length === last && !signal.aborted) yield ":\n\n";
    }
  }
}

function encodeEvent(update: FakeUpdate): string {
  return `id: ${update.update_id}\nevent: update\ndata: ${JSON.stringify(update)}\n\n`;
}

function moveConsumer({ consumers, wake }: FakeLog, name: string, { body }: FakeRequest): FakeAnswer {
  let to: Partial<MoveConsumerRequest> | null;
  try {
    to = JSON.parse(body) as Partial<MoveConsumerRequest> | null;
  } catch {
    return refused(400, "the body must be valid JSON", "invalid_json");
  }
  const { position, done = [], rewind = false } = to ?? {};
  if (position === undefined || !Number.isSafeInteger(position) || position < 0)
    return refused(400, "position must be an integer from 0 to 9007199254740991");
  const moved = consumers.move(name, { position, done, rewind });
  if (rewind) wake();
  return typeof moved === "string" ? refused(400, moved) : json(200, moved);
}
