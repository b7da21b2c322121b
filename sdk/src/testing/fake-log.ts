import { randomUUID } from "node:crypto";
import type { AuthorType } from "../bot/router.js";
import type {
  AnyUpdate,
  BotChannel,
  BotCommand,
  BotIdentity,
  BotRole,
  CreateChannelPostRequest,
  EditPostRequest,
  Interaction,
  InteractionResponse,
  Post,
  Subscription,
} from "../types.js";
import { createFakeConsumers, type FakeConsumers } from "./fake-consumers.js";
import { DEFAULT_SUBSCRIPTION, hears } from "./fake-subscription.js";

/** An entry of the log, of any kind. */
export interface FakeUpdate extends AnyUpdate {
  payload: Record<string, unknown>;
}

/** Who publishes in a test. */
export interface FakeAuthor {
  /** `owner` unless given. */
  type?: AuthorType;
  /** The username unless given. */
  id?: string;
  /** The name that is shown. */
  username: string;
}

/** An interaction as a fake service has it: its state follows from the rest. */
export interface FakeInteraction extends Omit<Interaction, "state"> {
  /** The responses by their idempotency keys. */
  keys: Map<string, InteractionResponse>;
}

/** The data of a fake service: one bot, its channels, posts and log. */
export interface FakeLog {
  readonly me: BotIdentity;
  readonly channels: BotChannel[];
  /** In the order in which they were published, by the bot and others; without those that were deleted. */
  readonly posts: Post[];
  readonly updates: FakeUpdate[];
  readonly interactions: FakeInteraction[];
  /** The ids of posts and private answers, in the order in which they were said. */
  readonly said: string[];
  readonly consumers: FakeConsumers;
  /** The numbers that a webhook has accepted. */
  readonly delivered: Set<number>;
  subscription: Subscription;
  /** What the bot has said that it offers. */
  commands: BotCommand[];
  /** How far its clock is ahead of the machine's, in milliseconds. */
  aheadMs: number;
  addChannel(slug: string, role?: BotRole): BotChannel;
  publish(channelId: string, author: FakeAuthor, post: CreateChannelPostRequest): Post;
  /** Makes a new revision of a post. */
  edit(post: Post, changes: EditPostRequest): Post;
  /** Erases a post, also in the updates. */
  erase(post: Post): void;
  /** Records an event. */
  append(eventType: string, payload: Record<string, unknown>): FakeUpdate;
  /** Records an event if the bot hears it. */
  tell(eventType: string, payload: Record<string, unknown>): void;
  /** Ends the waits for the log to grow. */
  wake(): void;
  /** Resolves when the log grows or {@link wake} is called, or after `ms`. */
  grown(ms: number, signal: AbortSignal): Promise<void>;
}

export function createFakeLog(username: string): FakeLog {
  const waiting = new Set<() => void>();
  const now = () => new Date(Date.now() + log.aheadMs).toISOString();
  const log: FakeLog = {
    me: { id: randomUUID(), bot_user_id: randomUUID(), username, display_name: username },
    channels: [],
    posts: [],
    updates: [],
    interactions: [],
    said: [],
    delivered: new Set(),
    subscription: DEFAULT_SUBSCRIPTION,
    commands: [],
    aheadMs: 0,
    consumers: createFakeConsumers(
      () => log.updates.length,
      () => {
        let last = 0;
        while (log.delivered.has(last + 1)) last += 1;
        return last;
      },
    ),

    addChannel(slug, role = "moderator") {
      const channel = {
        id: randomUUID(),
        slug,
        title: slug,
        description: "",
        bot_role: role,
        created_at: now(),
      };
      log.channels.push(channel);
      return channel;
    },

    publish(channelId, { username, type, id }, { body, media, components, reply_to }) {
      const reply = replyTo(log, reply_to);
      const isOwn = username === log.me.username && (type ?? "bot") === "bot";
      const author = {
        type: type ?? (isOwn ? "bot" : "owner"),
        id: id ?? (isOwn ? log.me.id : username),
        username,
      };
      const post = {
        id: randomUUID(),
        channel_id: channelId,
        author_username: username,
        body,
        author,
        ...some({ media, components }),
        ...reply,
        revision: 1,
        created_at: now(),
      };
      log.posts.push(post);
      log.said.push(post.id);
      log.tell("channel.post_created", {
        body,
        channel_id: channelId,
        post_id: post.id,
        author_username: username,
        ...some({ media, components }),
        ...reply,
        author,
      });
      return post;
    },

    edit(post, changes) {
      const { media, components, ...rest } = post;
      const edited = {
        ...rest,
        body: changes.body ?? post.body,
        ...some({ media: changes.media ?? media, components: changes.components ?? components }),
        revision: post.revision + 1,
        edited_at: now(),
      };
      log.posts.splice(log.posts.indexOf(post), 1, edited);
      return edited;
    },

    erase(post) {
      log.posts.splice(log.posts.indexOf(post), 1);
      for (const update of log.updates) {
        if (update.payload.post_id !== post.id) continue;
        const { media: _, author: __, reply_to: ___, components: ____, ...payload } = update.payload;
        update.payload = { ...payload, body: "", author_username: "", deleted: true };
      }
    },

    tell(eventType, payload) {
      if (hears(log.subscription, log.me, eventType, payload)) log.append(eventType, payload);
    },

    append(eventType, payload) {
      const update = {
        update_id: log.updates.length + 1,
        event_type: eventType,
        payload,
        created_at: now(),
      };
      log.updates.push(update);
      log.wake();
      return update;
    },

    wake() {
      for (const end of waiting) end();
    },

    grown(ms, signal) {
      return new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer);
          waiting.delete(end);
          signal.removeEventListener("abort", end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        waiting.add(end);
        signal.addEventListener("abort", end, { once: true });
        if (signal.aborted) end();
      });
    },
  };
  return log;
}

/** The field `reply_to`, which posts that answer no other one do not have. */
function replyTo({ posts }: FakeLog, postId: string | undefined): Pick<Post, "reply_to"> {
  const answered = posts.find(({ id }) => id === postId);
  return answered
    ? { reply_to: { post_id: answered.id, ...(answered.author && { author: answered.author }) } }
    : {};
}

/** The fields that posts without media or components do not have. */
function some({
  media,
  components,
}: Partial<Record<"media", Post["media"]> & Record<"components", Post["components"]>>): Pick<
  Post,
  "media" | "components"
> {
  return { ...(media?.length ? { media } : {}), ...(components?.length ? { components } : {}) };
}
