import type { BotClient } from "../client/bot-client.js";
import type { RequestOptions } from "../client/connection.js";
import type {
  BotChannel,
  BotPost,
  CreateChannelPostRequest,
  EventType,
  PayloadOf,
  Update,
} from "../types.js";

/** The channel that an update is about. */
export interface ContextChannel {
  readonly id: string;
  /** Publishes in it. */
  post(post: string | CreateChannelPostRequest, options?: RequestOptions): Promise<BotPost>;
  /** Reads its slug, title and so on from the service; undefined when the bot is no longer attached to it. */
  get(options?: RequestOptions): Promise<BotChannel | undefined>;
}

/** The argument of handlers: an update, and ways to respond to it. */
export class Context<Event extends EventType = EventType> {
  readonly update: Update<Event>;
  /** The bot's client, for everything without a shortcut here. */
  readonly client: BotClient;

  constructor(update: Update<Event>, client: BotClient) {
    this.update = update;
    this.client = client;
  }

  /** The payload of the event. */
  get payload(): PayloadOf<Event> {
    return this.update.payload;
  }

  /** @throws {TypeError} when the event has no channel */
  get channel(): ContextChannel {
    const { client, update } = this;
    const id = channelIdOf(update);
    if (id === undefined) throw new TypeError(`${update.event_type} has no channel`);
    return {
      id,
      post: (post, options) =>
        client.createBotPost(id, typeof post === "string" ? { body: post } : post, options),
      async get(options) {
        const { items } = await client.listMyChannels(options);
        return items.find((channel) => channel.id === id);
      },
    };
  }

  /** Publishes in the channel the update came from. */
  reply(post: string | CreateChannelPostRequest, options?: RequestOptions): Promise<BotPost> {
    return this.channel.post(post, options);
  }
}

/** The channel of an update, if it has one. */
export function channelIdOf(update: Update): string | undefined {
  const { channel_id: id } = update.payload as { channel_id?: unknown };
  return typeof id === "string" ? id : undefined;
}
