import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type {
  BotChannel,
  BotRole,
  CreateChannelPostRequest,
  EditPostRequest,
  Interaction,
  Post,
  Update,
} from "../types.js";
import type { FakeAnswer } from "./fake-answer.js";
import { choose, press, shownInteraction } from "./fake-interactions.js";
import { createFakeLog, type FakeAuthor, type FakeLog } from "./fake-log.js";
import { answerFake } from "./fake-routes.js";
import { signWebhook } from "./sign-webhook.js";

export interface FakeServiceOptions {
  /** The bot's username. `test-bot` unless given. */
  username?: string;
}

/** A receiver's answer to one update. */
export interface Delivery {
  /** The update's number. */
  update_id: number;
  /** The HTTP status of the answer. */
  status: number;
  /** Whether the answer to its batch has named it as failed. */
  failed?: true;
}

/** A service for one bot, in this process and in memory: for testing a bot without Botyard. */
export interface FakeService {
  /** Where it listens, on loopback. */
  readonly url: string;
  /** The bot's token. */
  readonly token: string;
  /** All posts so far, by the bot and by others, in their newest revision; deleted ones are left out. */
  readonly posts: readonly Post[];
  /** The bot's log. */
  readonly updates: readonly Update[];
  /** What users pressed and chose, oldest first, each with the bot's responses. */
  readonly interactions: readonly Interaction[];
  /** A channel that the bot is attached to, as moderator unless given. */
  addChannel(slug: string, role?: BotRole): BotChannel;
  /** Publishes a post in a channel, as the owner `alice` unless given; the bot gets an update if it hears the post. */
  publish(channelId: string, post: string | CreateChannelPostRequest, author?: string | FakeAuthor): Post;
  /** Changes a post, as its author; the bot gets an update if it hears edits. */
  edit(post: Pick<Post, "id">, changes: string | EditPostRequest): Post;
  /** Deletes a post, as its author, also in the updates; the bot gets an update if it hears deletions. */
  delete(post: Pick<Post, "id">): void;
  /**
   * A user presses a button of the bot, or chooses `values` of a select: under a post, or under a private answer, a response of
   * {@link interactions}. The bot gets an update. The user is `alice` unless given.
   *
   * @throws {TypeError} when there is no such component, it does not allow the values, it is under a private answer to another user, or
   *   the bot is a reader in the channel
   */
  press(
    under: Pick<Post, "id">,
    componentId: string,
    by?: { user?: string | Interaction["user"]; values?: readonly string[] },
  ): Interaction;
  /**
   * A user chooses a command that the bot has registered; the bot gets an update. The user is `alice` unless given.
   *
   * @throws {TypeError} when the bot offers no such command, or not with these options, or is a reader in the channel
   */
  choose(
    channelId: string,
    command: string,
    options?: Record<string, unknown>,
    by?: { user?: string | Interaction["user"] },
  ): Interaction;
  /** Sets the clock by which posts and updates are dated forward. */
  advance(ms: number): void;
  /** Appends an update of any kind to the bot's log. */
  append(eventType: string, payload: Record<string, unknown>): Update;
  /** Answers the next `times` requests with this instead; only those that are wanted, if that is given. */
  answerNext(
    answer: { status: number; headers?: Record<string, string>; body: string },
    times?: number,
    isWanted?: (request: { method: string; path: string }) => boolean,
  ): void;
  /**
   * Sends the updates that no receiver has accepted, signed and one request after the other, to a webhook: each in its own, or up to
   * `maxBatch` in one, as to a webhook with a `max_batch` above 1. What the answer to a batch names as failed is not accepted.
   */
  deliver(url: string, secret: string, options?: { maxBatch?: number }): Promise<Delivery[]>;
  /** Ends it, and all requests that wait. */
  stop(): Promise<void>;
}

/**
 * Starts a fake service on a free port of loopback.
 *
 * @example
 * const service = await startFakeService();
 * const bot = new Bot(service.token, { url: service.url });
 */
export async function startFakeService(options: FakeServiceOptions = {}): Promise<FakeService> {
  return (await openFakeService(options)).service;
}

/** A fake service, and what is in it. */
export async function openFakeService({
  username = "test-bot",
}: FakeServiceOptions = {}): Promise<{ service: FakeService; log: FakeLog }> {
  const log = createFakeLog(username);
  const token = `bot_${"fake".repeat(10)}bot`;
  const stopping = new AbortController();
  const planned: { answer: FakeAnswer; isWanted(request: { method: string; path: string }): boolean }[] = [];
  const takePlanned = (method: string, path: string) => {
    const index = planned.findIndex(({ isWanted }) => isWanted({ method, path }));
    return index < 0 ? undefined : planned.splice(index, 1)[0]?.answer;
  };

  const server = createServer((request, response) => {
    reply(request, response).catch(() => response.destroy());
  });
  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    const ended = new AbortController();
    const end = () => ended.abort();
    response.on("close", end);
    stopping.signal.addEventListener("abort", end, { once: true });
    try {
      const body = await text(request);
      const { method = "GET" } = request;
      const url = new URL(request.url ?? "/", "http://fake");
      const answer =
        takePlanned(method, url.pathname) ??
        (await answerFake(log, token, {
          method,
          url,
          authorization: request.headers.authorization,
          idempotencyKey: request.headers["idempotency-key"]?.toString(),
          ifMatch: request.headers["if-match"],
          lastEventId: String(request.headers["last-event-id"] ?? "") || undefined,
          body,
          signal: ended.signal,
        }));
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      if (typeof answer.body !== "string") for await (const piece of answer.body) response.write(piece);
      response.end(typeof answer.body === "string" ? answer.body : undefined);
    } finally {
      stopping.signal.removeEventListener("abort", end);
    }
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const found = ({ id }: Pick<Post, "id">) => {
    const post = log.posts.find((one) => one.id === id);
    if (!post) throw new TypeError("there is no such post, or it was deleted");
    return post;
  };

  const service: FakeService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    posts: log.posts,
    updates: log.updates as unknown as readonly Update[],
    get interactions() {
      return log.interactions.map((one) => shownInteraction(log, one));
    },
    addChannel: log.addChannel,
    publish: (channelId, post, author = "alice") =>
      log.publish(
        channelId,
        typeof author === "string" ? { username: author } : author,
        typeof post === "string" ? { body: post } : post,
      ),
    append: (eventType, payload) => log.append(eventType, payload) as unknown as Update,
    edit(post, changes) {
      const edited = log.edit(found(post), typeof changes === "string" ? { body: changes } : changes);
      const { id: post_id, deleted: _, created_at: __, ...shown } = edited;
      log.tell("channel.post_edited", { post_id, ...shown });
      return edited;
    },
    delete(post) {
      const erased = found(post);
      log.erase(erased);
      log.tell("channel.post_deleted", { post_id: erased.id, channel_id: erased.channel_id });
    },
    press: (under, componentId, { user = "alice", values } = {}) =>
      shownInteraction(log, press(log, under, componentId, userOf(user), values)),
    choose: (channelId, command, options = {}, { user = "alice" } = {}) =>
      shownInteraction(log, choose(log, channelId, command, options, userOf(user))),
    advance(ms) {
      log.aheadMs += ms;
    },
    answerNext(answer, times = 1, isWanted = () => true) {
      for (let i = 0; i < times; i++) planned.push({ answer, isWanted });
    },
    async deliver(url, secret, { maxBatch = 1 } = {}) {
      const deliveries: Delivery[] = [];
      const waiting = log.updates.filter(({ update_id: id }) => !log.delivered.has(id));
      while (waiting.length > 0) {
        const items = waiting.splice(0, maxBatch);
        const body = JSON.stringify(maxBatch === 1 ? items[0] : { items });
        const response = await fetch(url, {
          method: "POST",
          body,
          headers: await signWebhook({ secret, body }),
        });
        const failed = maxBatch === 1 ? [] : failedIn(await response.text());
        if (maxBatch === 1) await response.arrayBuffer();
        for (const { update_id } of items) {
          if (response.ok && !failed.includes(update_id)) log.delivered.add(update_id);
          const hasFailed = response.ok && failed.includes(update_id);
          deliveries.push({
            update_id,
            status: response.status,
            ...(hasFailed && { failed: true as const }),
          });
        }
      }
      return deliveries;
    },
    async stop() {
      stopping.abort();
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    },
  };
  return { service, log };
}

function userOf(user: string | Interaction["user"]): Interaction["user"] {
  return typeof user === "string" ? { id: user, username: user } : user;
}

/** What the answer to a batch names. */
function failedIn(text: string): unknown[] {
  try {
    const { failed } = JSON.parse(text) as { failed?: unknown };
    return Array.isArray(failed) ? failed : [];
  } catch {
    return [];
  }
}
