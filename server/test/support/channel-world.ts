import type { Subscription } from "#botyard/domain/events/subscription.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { subscribe } from "#botyard/operations/bots/subscribe.js";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine } from "./engines.js";
import { makeBot, makeChannel, OWNER } from "./store-fixtures.js";

/** An update as a bot gets it. */
export interface HeardEvent {
  eventType: string;
  payload: Record<string, unknown>;
}

/** A new store with a channel in it. */
export async function openChannelWorld() {
  const home = await engine.createHome();
  const store = await home.open();
  return {
    home,
    store,
    world: await makeChannelWorld(store),
    async close() {
      await store.close();
      await home.remove();
    },
  };
}

/** A channel, with bots that are attached to it and hear what their subscription says. */
export async function makeChannelWorld(store: Store) {
  const channelId = await makeChannel(store);

  const addBot = async (username: string, subscription?: Partial<Subscription>): Promise<BotRef> => {
    const bot = await makeBot(store, OWNER, username);
    if (subscription) {
      const all = { eventTypes: ["channel.post_created"], posts: "all", ownPosts: true } as const;
      await subscribe(store, bot, { ...all, eventTypes: [...all.eventTypes], ...subscription });
    }
    await attachBot(store, bot, channelId, {});
    return bot;
  };

  return {
    channelId,
    channel: { ownerUserId: OWNER, channelId },
    owner: { ownerUserId: OWNER, username: OWNER },
    addBot,
    /** Publishes as the owner, or as a bot. */
    async post(body: string, as?: BotRef, idempotencyKey?: string) {
      const publisher = as ? { botId: as.botId, username: "bot" } : { ownerUserId: OWNER, username: OWNER };
      return await publishPost(store, publisher, { channelId, body, idempotencyKey });
    },
    /** Everything in a bot's log, whose numbers follow each other from 1. */
    async heardBy({ botId }: BotRef): Promise<HeardEvent[]> {
      const updates = await store.readUpdates(botId, 0, 1000);
      if (updates.some(({ updateId }, index) => updateId !== index + 1)) throw new Error("a gap in the log");
      return updates.map(({ eventType, payload }) => ({
        eventType: eventType ?? "channel.post_created",
        payload: JSON.parse(payload) as Record<string, unknown>,
      }));
    },
  };
}

export type ChannelWorld = Awaited<ReturnType<typeof makeChannelWorld>>;

/** The bodies of posts in a log. */
export function bodiesOf(events: readonly HeardEvent[]): unknown[] {
  return events.map(({ payload }) => payload.body);
}
