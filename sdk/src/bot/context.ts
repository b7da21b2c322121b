import type { BotClient } from "../client/bot-client.js";
import type { CreateOptions, RequestOptions } from "../client/connection.js";
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
  /** Publishes in it, once also when the handler runs again: see {@link Context.reply}. */
  post(post: string | CreateChannelPostRequest, options?: CreateOptions): Promise<BotPost>;
  /** Reads its slug, title and so on from the service; undefined when the bot is no longer attached to it. */
  get(options?: RequestOptions): Promise<BotChannel | undefined>;
}

/** The argument of handlers: an update, and ways to respond to it. */
export class Context<Event extends EventType = EventType> {
  readonly update: Update<Event>;
  /** The bot's client, for everything without a shortcut here. */
  readonly client: BotClient;
  readonly #botId: () => Promise<string>;
  /** How many posts the handlers have published with a key of the context's. */
  #posts = 0;

  /** @param botId gives the bot's id; unless given, the client is asked */
  constructor(
    update: Update<Event>,
    client: BotClient,
    botId: () => Promise<string> = async () => (await client.getMe()).id,
  ) {
    this.update = update;
    this.client = client;
    this.#botId = botId;
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
      post: async (post, { idempotencyKey, ...options } = {}) => {
        // Counted before anything is awaited, so that it depends only on the order of the calls.
        const key = idempotencyKey ?? this.#nextKey();
        const content = typeof post === "string" ? { body: post } : post;
        return await client.createBotPost(id, content, { ...options, idempotencyKey: await key });
      },
      async get(options) {
        const { items } = await client.listMyChannels(options);
        return items.find((channel) => channel.id === id);
      },
    };
  }

  /**
   * Publishes in the channel the update came from. When the handler runs again for the same update, the first reply is not
   * published again, nor the second, and so on: the key is made of the bot, the update and how many replies came before.
   */
  reply(post: string | CreateChannelPostRequest, options?: CreateOptions): Promise<BotPost> {
    return this.channel.post(post, options);
  }

  async #nextKey(): Promise<string> {
    this.#posts += 1;
    const number = this.#posts;
    return `${await this.#botId()}:${this.update.update_id}:${number}`;
  }
}

/** The channel of an update, if it has one. */
export function channelIdOf(update: Update): string | undefined {
  const { channel_id: id } = update.payload as { channel_id?: unknown };
  return typeof id === "string" ? id : undefined;
}
