import { randomUUID } from "node:crypto";
import type { BotChannel, BotIdentity, BotPost, CreateChannelPostRequest, Update } from "../types.js";
import { createFakeConsumers, type FakeConsumers } from "./fake-consumers.js";

/** The data of a fake service: one bot, its channels, posts and log. */
export interface FakeLog {
  readonly me: BotIdentity;
  readonly channels: BotChannel[];
  /** In the order in which they were published, by the bot and others. */
  readonly posts: BotPost[];
  readonly updates: Update[];
  readonly consumers: FakeConsumers;
  addChannel(slug: string): BotChannel;
  publish(channelId: string, author: string, post: CreateChannelPostRequest): BotPost;
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

    publish(channelId, author, { body, media }) {
      const post = {
        id: randomUUID(),
        channel_id: channelId,
        author_username: author,
        body,
        created_at: now(),
      };
      log.posts.push(post);
      const extra = media && media.length > 0 ? { media } : {};
      log.append("channel.post_created", {
        body,
        channel_id: channelId,
        post_id: post.id,
        author_username: author,
        ...extra,
      });
      return post;
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

function now(): string {
  return new Date().toISOString();
}
