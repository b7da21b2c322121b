import { randomUUID } from "node:crypto";
import type {
  Author,
  BotChannel,
  BotIdentity,
  CreateChannelPostRequest,
  EditPostRequest,
  Post,
  Update,
} from "../types.js";
import { createFakeConsumers, type FakeConsumers } from "./fake-consumers.js";

/** The data of a fake service: one bot, its channels, posts and log. */
export interface FakeLog {
  readonly me: BotIdentity;
  readonly channels: BotChannel[];
  /** In the order in which they were published, by the bot and others; without those that were deleted. */
  readonly posts: Post[];
  readonly updates: Update[];
  readonly consumers: FakeConsumers;
  addChannel(slug: string): BotChannel;
  publish(channelId: string, author: string, post: CreateChannelPostRequest): Post;
  /** Makes a new revision of a post. */
  edit(post: Post, changes: EditPostRequest): Post;
  /** Erases a post, also in the updates. */
  erase(post: Post): void;
  append(eventType: string, payload: Record<string, unknown>): Update;
  /** Resolves when the log grows, or after `ms`. */
  grown(ms: number, signal: AbortSignal): Promise<void>;
}

export function createFakeLog(username: string): FakeLog {
  const waiting = new Set<() => void>();
  const log: FakeLog = {
    me: { id: randomUUID(), bot_user_id: randomUUID(), username, display_name: username },
    channels: [],
    posts: [],
    updates: [],
    consumers: createFakeConsumers(() => log.updates.length),

    addChannel(slug) {
      const channel = {
        id: randomUUID(),
        slug,
        title: slug,
        description: "",
        bot_role: "moderator",
        created_at: now(),
      };
      log.channels.push(channel);
      return channel;
    },

    publish(channelId, username, { body, media }) {
      const isOwn = username === log.me.username;
      const author: Author = { type: isOwn ? "bot" : "owner", id: isOwn ? log.me.id : username, username };
      const post = {
        id: randomUUID(),
        channel_id: channelId,
        author_username: username,
        body,
        author,
        ...someMedia(media),
        revision: 1,
        created_at: now(),
      };
      log.posts.push(post);
      log.append("channel.post_created", {
        body,
        channel_id: channelId,
        post_id: post.id,
        author_username: username,
        ...someMedia(media),
        author,
      });
      return post;
    },

    edit(post, changes) {
      const { media, ...rest } = post;
      const edited = {
        ...rest,
        body: changes.body ?? post.body,
        ...someMedia(changes.media ?? media),
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
        const { media: _, ...payload } = update.payload;
        update.payload = { ...payload, body: "", deleted: true };
      }
    },

    append(eventType, payload) {
      const update = {
        update_id: log.updates.length + 1,
        event_type: eventType,
        payload,
        created_at: now(),
      };
      log.updates.push(update);
      for (const wake of waiting) wake();
      return update;
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

/** Posts without media have no such field. */
function someMedia(media: Post["media"]): Pick<Post, "media"> {
  return media && media.length > 0 ? { media } : {};
}

function now(): string {
  return new Date().toISOString();
}
