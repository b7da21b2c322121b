import type { Api } from "./api.js";
import { Refused } from "./errors.js";

/** A bot as the service describes it; the fields that the commands use. */
export interface Bot {
  id: string;
  username: string;
  display_name: string;
  webhook_url?: string;
  disabled_at?: string;
  created_at: string;
}

/** A channel as the service describes it; the fields that the commands use. */
export interface Channel {
  id: string;
  slug: string;
  title: string;
  created_at: string;
  last_activity_at?: string;
}

interface Items<Item> {
  items: Item[];
}

const PAGE_ITEMS = 100;

export async function listBots(api: Api): Promise<Bot[]> {
  const { items } = await api.request<Items<Bot>>("GET", "/v1/bot-api/bots");
  return items;
}

/** All channels the owner holds, oldest first, page by page. */
export async function listChannels(api: Api): Promise<Channel[]> {
  const channels: Channel[] = [];
  for (;;) {
    const last = channels.at(-1);
    const after = last ? `&after=${last.id}` : "";
    const { items } = await api.request<Items<Channel>>("GET", `/v1/channels?limit=${PAGE_ITEMS}${after}`);
    if (items.length === 0) return channels;
    channels.push(...items);
  }
}

/** The channels the bot that the token belongs to is attached to. */
export async function listOwnChannels(api: Api): Promise<Channel[]> {
  const { items } = await api.request<Items<Channel>>("GET", "/v1/bot-api/channels");
  return items;
}

/** The bot with this id or username (whatever its case). */
export async function findBot(api: Api, name: string): Promise<Bot> {
  const wanted = name.toLowerCase();
  const bot = (await listBots(api)).find(
    ({ id, username }) => id === wanted || username.toLowerCase() === wanted,
  );
  if (bot) return bot;
  throw new Refused(`you have no bot "${name}"; botyard bot list shows those you have`);
}

/** The channel with this id or slug among `channels`. */
export function findChannel(channels: readonly Channel[], name: string): Channel {
  const channel = channels.find(({ id, slug }) => id === name.toLowerCase() || slug === name);
  if (channel) return channel;
  throw new Refused(`there is no channel "${name}" here that this token may use`);
}
